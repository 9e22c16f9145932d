import { lazy } from "../../../platform/lib/startup.ts";
import type { PageView } from "../../lookups/page/page-view.ts";
import { foldText } from "../../lookups/page/fold-text.ts";
import { withoutQuery } from "../measures/addresses.ts";
import { isOwnHost, type Owner } from "./own-names.ts";
import type { PageNames, OriginalRole } from "../model/original.ts";

/** A page to sign in or pay to which another page links. */
export interface LinkedPage {
  /** Without fragment, and without a query unless only that shows the role. */
  url: string;
  role: LinkedRole;
  /** Text of the link; empty for a frame. */
  text: string;
}

/** `own`: pages on names of the owner, the clearest first. `elsewhere`: on other names. */
export interface DiscoveredPages {
  own: LinkedPage[];
  elsewhere: LinkedPage[];
}

/** Number of discovered pages of each role that are captured. Most brands have one of each. */
export const discoveredMax: Record<LinkedRole, number> = { sign_in: 2, payment: 1 };
const elsewhereMax = 4;
const linksMax = 2_000;
/** A longer text is a sentence or a heading, in which the word need not name the target. */
const textLengthMax = 40;
const phraseLengthMin = 5;
/** Number of words of a text in which one word is enough: "Customer login", but not "The history of payments". */
const wordsMax = 3;
const urlLengthMax = 500;
const roles = Object.keys(discoveredMax) as LinkedRole[];

/** Finds the pages to sign in and to pay to which a home page links, by the texts of links and the words of addresses. */
export function discoverPages(
  view: Pick<PageView, "addresses" | "links" | "linkTexts" | "resources">,
  owner: Owner,
): DiscoveredPages {
  const texts = view.linkTexts ?? [];
  const seen = new Set(texts.map(({ url }) => url));
  const frames = view.resources.filter(({ kind }) => kind === "frame").map(({ url }) => url);
  const untitled = [...view.links, ...frames]
    .filter((url) => !seen.has(url))
    .map((url) => ({ url, text: "" }));
  const pages = new Set(view.addresses.map(withoutQuery));
  const found = [...texts, ...untitled].slice(0, linksMax).flatMap(({ url, text }) => {
    const target = targetOf(url);
    if (target === undefined || pages.has(withoutQuery(target.href))) return [];
    const best = roles
      .map((role) => ({ role, score: scoreOf(role, target, text) }))
      .toSorted((one, other) => other.score - one.score)[0]!;
    return best.score === 0
      ? []
      : [{ url: addressOf(target, best.role), text, host: target.hostname, ...best }];
  });
  // Stable: of equal ones, the first in the document, which is usually in the head of the page.
  const sorted = found.toSorted((one, other) => other.score - one.score);
  const chosen = (items: typeof found, countMax: (role: LinkedRole) => number): LinkedPage[] =>
    roles.flatMap((role) =>
      distinct(items.filter((item) => item.role === role))
        .slice(0, countMax(role))
        .map(({ url, text }) => ({ url, role, text })),
    );
  return {
    own: chosen(
      sorted.filter(({ host }) => isOwnHost(host, owner)),
      (role) => discoveredMax[role],
    ),
    elsewhere: chosen(
      sorted.filter(({ host, score }) => !isOwnHost(host, owner) && score >= titledScore),
      () => elsewhereMax,
    ),
  };
}

/** Score of a link whose text names the role. */
const titledScore = 3;

function scoreOf(role: LinkedRole, target: URL, text: string): number {
  const words = `${target.hostname}${decoded(target.pathname)}`.toLowerCase().split(/[/.?&=]+/);
  if (words.some((word) => otherPathWords.includes(stemOf(word)))) return 0;
  const isNamed = words.some((word) => pathWords[role].includes(stemOf(word)));
  const query = [...target.searchParams].flat().some((word) => pathWords[role].includes(word.toLowerCase()));
  const phrase = fold(text);
  const isTitled = phrase.length > 0 && phrase.length <= textLengthMax && hasPhrase(role, phrase);
  return (isTitled ? titledScore : 0) + (isNamed || query ? 1 : 0);
}

const folded = lazy(() => ({
  sign_in: linkPhrases.sign_in.map(foldPhrase),
  payment: linkPhrases.payment.map(foldPhrase),
}));

function hasPhrase(role: LinkedRole, text: string): boolean {
  const isShort = text.split(" ").length <= wordsMax;
  return folded()[role].some(({ phrase, isPart }) => {
    if (text === phrase) return true;
    if (isPart === "anywhere") return text.includes(phrase);
    return isPart && (isShort || phrase.includes(" ")) && ` ${text} `.includes(` ${phrase} `);
  });
}

/** A short word, such as "pay", has to be the whole text. Some scripts do not separate words. */
function foldPhrase(text: string): { phrase: string; isPart: boolean | "anywhere" } {
  const phrase = fold(text);
  const isJoined = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]/.test(text);
  return { phrase, isPart: isJoined ? "anywhere" : phrase.length >= phraseLengthMin };
}

function fold(text: string): string {
  return foldText(text.slice(0, 5 * textLengthMax))
    .replaceAll("đ", "d")
    .replace(/[^\p{L}\p{N}'-]+/gu, " ")
    .trim();
}

/** Returns the word of a path without the ending of a file. */
function stemOf(word: string): string {
  return word.replace(/\.(html?|php|aspx?|jsp|do)$/, "");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function targetOf(url: string): URL | undefined {
  if (url.length > urlLengthMax) return undefined;
  const target = URL.parse(url);
  if (target === null || !/^https?:$/.test(target.protocol)) return undefined;
  if (target.username !== "" || target.password !== "") return undefined;
  target.hash = "";
  return target;
}

/** Queries mostly carry where to return to, which differs from visit to visit. */
function addressOf(target: URL, role: LinkedRole): string {
  const bare = new URL(target);
  bare.search = "";
  return scoreOf(role, bare, "") === 0 && scoreOf(role, target, "") > 0 ? target.href : bare.href;
}

function distinct<T extends { url: string }>(items: readonly T[]): T[] {
  return [...new Map(items.toReversed().map((item) => [item.url, item])).values()].toReversed();
}

const namesMax = 50;
const nameLengthMax = 100;
const hostLengthMax = 253;

/** Returns the names in a page, its manifest, its certificate and the redirects to it. */
export function pageNamesOf(view: PageView, owner: Owner): PageNames {
  const hosts = view.addresses.flatMap((address) => URL.parse(address)?.hostname ?? []);
  return {
    ...(view.siteName === undefined ? {} : { siteName: view.siteName.slice(0, nameLengthMax) }),
    manifest: bounded(view.manifestNames ?? [], nameLengthMax),
    certificate: bounded(view.certificateNames ?? [], hostLengthMax),
    redirects: bounded(hosts, hostLengthMax),
    elsewhere: discoverPages(view, owner).elsewhere,
  };
}

function bounded(names: readonly string[], lengthMax: number): string[] {
  return [...new Set(names)].slice(0, namesMax).map((name) => name.slice(0, lengthMax));
}

/** Roles that links are recognized by. */
type LinkedRole = Extract<OriginalRole, "sign_in" | "payment">;

/**
 * Texts of links to pages on which visitors sign in or pay, in common languages.
 */
const linkPhrases: Record<LinkedRole, readonly string[]> = {
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
const pathWords: Record<LinkedRole, readonly string[]> = {
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
const otherPathWords: readonly string[] =
  "logout log-out signout sign-out register registration signup sign-up forgot reset recover help faq support blog news press career careers jobs download privacy terms".split(
    " ",
  );
