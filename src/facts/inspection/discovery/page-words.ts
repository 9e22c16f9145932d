import type { OriginalRole } from "../model/original.ts";

/** Roles that links are recognized by. */
export type LinkedRole = Extract<OriginalRole, "sign_in" | "payment">;

/**
 * Texts of links to pages on which visitors sign in or pay, in common languages.
 */
export const linkPhrases: Record<LinkedRole, readonly string[]> = {
  sign_in: [
    ..."sign in|signin|log in|login|log on|logon|my account|your account|client area|member login".split("|"),
    ..."online banking|internet banking|e-banking|ebanking|netbanking|mobile banking".split("|"),
    ..."anmelden|anmeldung|einloggen|mein konto|kundenkonto|kundenlogin".split("|"),
    ..."connexion|se connecter|s'identifier|mon compte|espace client|mon espace".split("|"),
    ..."iniciar sesion|inicia sesion|acceder|acceso clientes|mi cuenta|entrar|area de clientes".split("|"),
    ..."accedi|area clienti|area riservata|il mio account".split("|"),
    ..."iniciar sessao|minha conta|area de cliente|aceder".split("|"),
    ..."inloggen|aanmelden|mijn account|mijn omgeving".split("|"),
    ..."logga in|mitt konto|mina sidor|log ind|min konto|min side|logg inn|kirjaudu|kirjaudu sisaan".split(
      "|",
    ),
    ..."zaloguj|zaloguj sie|logowanie|moje konto|prihlasit|prihlasit se|prihlaseni|prihlasenie".split("|"),
    ..."bejelentkezes|belepes|autentificare|conectare|contul meu|prijava|prijavi se|влез".split("|"),
    ..."войти|вход|личный кабинет|увійти|особистий кабінет|вхід".split("|"),
    ..."giris|giris yap|oturum ac|hesabim|συνδεση|εισοδος|ο λογαριασμος μου".split("|"),
    ..."ログイン|サインイン|マイページ|登录|登入|會員登入|로그인|내 계정".split("|"),
    ..."تسجيل الدخول|دخول|حسابي|כניסה|התחברות|ورود|लॉग इन|साइन इन".split("|"),
    ..."dang nhap|masuk|log masuk|เข้าสู่ระบบ".split("|"),
  ],
  payment: [
    ..."checkout|pay|pay now|pay bill|pay my bill|make a payment|payment|payments|billing|top up".split("|"),
    ..."bezahlen|zahlen|zur kasse|rechnung bezahlen|aufladen|paiement|payer|payer ma facture".split("|"),
    ..."pagar|pago|pagos|pagar factura|paga|pagamento|pagamenti|betalen|rekening betalen".split("|"),
    ..."betala|betaling|betal|maksa|zaplac|platnosc|platnosci|zaplatit|platba|fizetes|plata".split("|"),
    ..."оплатить|оплата|оплатити|odeme|odeme yap|πληρωμη|お支払い|支払い|支付|付款|결제".split("|"),
    ..."الدفع|ادفع|תשלום|भुगतान|thanh toan|bayar|ชำระเงิน".split("|"),
  ],
};

/** Parts of the paths and host names of such pages. */
export const pathWords: Record<LinkedRole, readonly string[]> = {
  sign_in: (
    "login logon signin sign-in sign_in log-in log_in sso auth oauth authenticate account/login ebanking e-banking onlinebanking " +
    "netbanking anmelden anmeldung einloggen connexion identification iniciar-sesion acceso accedi inloggen logga-in " +
    "kirjaudu logowanie zaloguj prihlaseni belepes giris vhod dang-nhap my-account myaccount mijn mon-compte mi-cuenta"
  ).split(" "),
  payment: (
    "checkout pay payment payments billing paybill pay-bill bezahlen kasse zahlung paiement pago pagos pagamento betalen " +
    "betaling platnosc platba odeme oplata topup top-up"
  ).split(" "),
};

/** Words of links that lead to something else, although they are beside those above. */
export const otherPathWords: readonly string[] =
  "logout log-out signout sign-out register registration signup sign-up forgot reset recover help faq support blog news press career careers jobs download privacy terms".split(
    " ",
  );
