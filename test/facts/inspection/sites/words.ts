import type { Dice } from "./dice.ts";

// Texts in several languages. Sentences have slots: {b} the company, {n} a noun, {a} an adjective, {c} a city, {p} a
// person, {d} a number.

export const languages = ["en", "de", "fr", "es", "it", "nl", "pt", "pl", "tr", "ar", "ja"] as const;
export type Language = (typeof languages)[number];

const keys = [
  "signIn",
  "user",
  "email",
  "password",
  "next",
  "forgot",
  "register",
  "help",
  "privacy",
  "terms",
  "contact",
  "search",
  "home",
  "about",
  "products",
  "news",
  "accept",
  "decline",
  "welcome",
  "card",
  "expiry",
  "code",
  "holder",
  "pay",
  "phone",
  "oneTimeCode",
  "remember",
  "imprint",
  "cookies",
  "verify",
] as const;
export type Phrase = (typeof keys)[number];

const table: Record<Language, string> = {
  en: "Sign in|Username|Email address|Password|Continue|Forgot password?|Create account|Help|Privacy|Terms of use|Contact|Search|Home|About us|Products|News|Accept all|Decline|Welcome to {b}|Card number|Expiry date|Security code|Name on card|Pay now|Phone number|One-time code|Remember me|Legal notice|We use cookies to improve this site and to measure its use.|Please confirm your details to keep using your account.",
  de: "Anmelden|Benutzername|E-Mail-Adresse|Passwort|Weiter|Passwort vergessen?|Konto erstellen|Hilfe|Datenschutz|Nutzungsbedingungen|Kontakt|Suche|Startseite|Über uns|Produkte|Aktuelles|Alle akzeptieren|Ablehnen|Willkommen bei {b}|Kartennummer|Ablaufdatum|Prüfnummer|Karteninhaber|Jetzt bezahlen|Telefonnummer|TAN|Angemeldet bleiben|Impressum|Wir verwenden Cookies, um diese Seite zu verbessern.|Bitte bestätigen Sie Ihre Daten, um Ihr Konto weiter zu nutzen.",
  fr: "Se connecter|Identifiant|Adresse e-mail|Mot de passe|Continuer|Mot de passe oublié ?|Créer un compte|Aide|Confidentialité|Conditions d’utilisation|Contact|Rechercher|Accueil|À propos|Produits|Actualités|Tout accepter|Refuser|Bienvenue chez {b}|Numéro de carte|Date d’expiration|Cryptogramme|Titulaire de la carte|Payer|Numéro de téléphone|Code à usage unique|Rester connecté|Mentions légales|Nous utilisons des cookies pour améliorer ce site.|Veuillez confirmer vos informations pour continuer à utiliser votre compte.",
  es: "Iniciar sesión|Usuario|Correo electrónico|Contraseña|Continuar|¿Olvidó su contraseña?|Crear cuenta|Ayuda|Privacidad|Términos de uso|Contacto|Buscar|Inicio|Quiénes somos|Productos|Noticias|Aceptar todo|Rechazar|Bienvenido a {b}|Número de tarjeta|Fecha de caducidad|Código de seguridad|Titular de la tarjeta|Pagar ahora|Teléfono|Código de un solo uso|Recordarme|Aviso legal|Usamos cookies para mejorar este sitio.|Confirme sus datos para seguir usando su cuenta.",
  it: "Accedi|Nome utente|Indirizzo e-mail|Password|Continua|Password dimenticata?|Crea un account|Aiuto|Privacy|Condizioni d’uso|Contatti|Cerca|Home|Chi siamo|Prodotti|Notizie|Accetta tutto|Rifiuta|Benvenuto in {b}|Numero della carta|Scadenza|Codice di sicurezza|Titolare della carta|Paga ora|Telefono|Codice monouso|Ricordami|Note legali|Usiamo i cookie per migliorare questo sito.|Conferma i tuoi dati per continuare a usare il tuo account.",
  nl: "Inloggen|Gebruikersnaam|E-mailadres|Wachtwoord|Doorgaan|Wachtwoord vergeten?|Account aanmaken|Hulp|Privacy|Gebruiksvoorwaarden|Contact|Zoeken|Startpagina|Over ons|Producten|Nieuws|Alles accepteren|Weigeren|Welkom bij {b}|Kaartnummer|Vervaldatum|Beveiligingscode|Naam op kaart|Nu betalen|Telefoonnummer|Eenmalige code|Ingelogd blijven|Colofon|Wij gebruiken cookies om deze site te verbeteren.|Bevestig uw gegevens om uw account te blijven gebruiken.",
  pt: "Entrar|Utilizador|E-mail|Senha|Continuar|Esqueceu a senha?|Criar conta|Ajuda|Privacidade|Termos de uso|Contacto|Pesquisar|Início|Sobre nós|Produtos|Notícias|Aceitar tudo|Recusar|Bem-vindo ao {b}|Número do cartão|Validade|Código de segurança|Nome no cartão|Pagar agora|Telefone|Código único|Lembrar-me|Aviso legal|Usamos cookies para melhorar este site.|Confirme os seus dados para continuar a usar a sua conta.",
  pl: "Zaloguj się|Nazwa użytkownika|Adres e-mail|Hasło|Dalej|Nie pamiętasz hasła?|Załóż konto|Pomoc|Prywatność|Regulamin|Kontakt|Szukaj|Strona główna|O nas|Produkty|Aktualności|Akceptuję|Odrzuć|Witamy w {b}|Numer karty|Data ważności|Kod CVV|Posiadacz karty|Zapłać|Numer telefonu|Kod jednorazowy|Zapamiętaj mnie|Nota prawna|Używamy plików cookie, aby ulepszać tę stronę.|Potwierdź swoje dane, aby dalej korzystać z konta.",
  tr: "Giriş yap|Kullanıcı adı|E-posta adresi|Şifre|Devam|Şifremi unuttum|Hesap oluştur|Yardım|Gizlilik|Kullanım koşulları|İletişim|Ara|Ana sayfa|Hakkımızda|Ürünler|Haberler|Tümünü kabul et|Reddet|{b} hoş geldiniz|Kart numarası|Son kullanma tarihi|Güvenlik kodu|Kart üzerindeki isim|Şimdi öde|Telefon numarası|Tek kullanımlık kod|Beni hatırla|Yasal uyarı|Bu siteyi geliştirmek için çerez kullanıyoruz.|Hesabınızı kullanmaya devam etmek için bilgilerinizi onaylayın.",
  ar: "تسجيل الدخول|اسم المستخدم|البريد الإلكتروني|كلمة المرور|متابعة|هل نسيت كلمة المرور؟|إنشاء حساب|مساعدة|الخصوصية|شروط الاستخدام|اتصل بنا|بحث|الرئيسية|من نحن|المنتجات|الأخبار|قبول الكل|رفض|مرحبا بك في {b}|رقم البطاقة|تاريخ الانتهاء|رمز الأمان|اسم حامل البطاقة|ادفع الآن|رقم الهاتف|رمز لمرة واحدة|تذكرني|إشعار قانوني|نستخدم ملفات تعريف الارتباط لتحسين هذا الموقع.|يرجى تأكيد بياناتك لمواصلة استخدام حسابك.",
  ja: "ログイン|ユーザー名|メールアドレス|パスワード|次へ|パスワードをお忘れですか|アカウントを作成|ヘルプ|プライバシー|利用規約|お問い合わせ|検索|ホーム|会社概要|製品|ニュース|すべて同意する|拒否|{b}へようこそ|カード番号|有効期限|セキュリティコード|カード名義|今すぐ支払う|電話番号|ワンタイムコード|ログイン状態を保持|法的表示|このサイトではクッキーを使用しています。|アカウントを引き続きご利用いただくには、情報をご確認ください。",
};

const phrases = Object.fromEntries(
  languages.map((language) => {
    const texts = table[language].split("|");
    return [language, Object.fromEntries(keys.map((key, index) => [key, texts[index]!]))];
  }),
) as Record<Language, Record<Phrase, string>>;

export function phrase(language: Language, key: Phrase, brand = ""): string {
  return phrases[language][key].replace("{b}", brand);
}

/** Other wordings of the phrases that every site words in its own way, in English. */
const otherWordings: Partial<Record<Phrase, readonly string[]>> = {
  signIn: ["Log in", "Login", "Sign in", "Log on", "Sign In to your account"],
  user: ["Username", "User ID", "Customer number", "Login name", "Member ID"],
  next: ["Next", "Continue", "Proceed", "Go on"],
  forgot: ["Forgot password?", "Forgot your password?", "Trouble signing in?", "Reset password"],
  register: ["Create account", "Register", "Sign up", "Open an account", "Join now", "Get started"],
  remember: ["Remember me", "Keep me signed in", "Stay signed in", "Save my user ID"],
  privacy: ["Privacy", "Privacy policy", "Privacy notice", "Your privacy"],
  terms: ["Terms", "Terms of use", "Terms and conditions", "Conditions"],
  verify: [
    "Please confirm your details to keep using your account.",
    "We noticed unusual activity. Verify your identity to restore access.",
    "Your account is limited until you confirm your information.",
    "Your session has expired. Please sign in again.",
  ],
};

/** Returns a wording of a phrase that stays the same for one site. */
export function wording(dice: Dice, language: Language, key: Phrase, brand = ""): string {
  const others = language === "en" ? otherWordings[key] : undefined;
  return others === undefined ? phrase(language, key, brand) : dice.fork(`wording ${key}`).pick(others);
}

const nouns: Record<Language, string> = {
  en: "account order customer service delivery invoice project team report payment family garden kitchen server network school course ticket journey market offer contract device camera bicycle recipe festival museum library river harbor workshop studio printer engine battery window blanket coffee bakery theater concert league season player harvest forest bridge station airport hotel breakfast insurance pension mortgage loan deposit budget tax refund permit license passport parcel letter warehouse driver truck catalog discount voucher warranty repair battery screen keyboard software update backup archive database meeting calendar message photo album playlist podcast newsletter survey",
  de: "Konto Auftrag Kunde Dienst Lieferung Rechnung Projekt Bericht Zahlung Familie Garten Küche Schule Kurs Reise Markt Angebot Vertrag Gerät Fahrrad Rezept Museum Werkstatt Brücke Bahnhof Versicherung Rente Kredit Steuer Erstattung Paket Brief Katalog Gutschein Reparatur Sitzung Kalender Nachricht",
  fr: "compte commande client service livraison facture projet rapport paiement famille jardin cuisine école cours voyage marché offre contrat appareil vélo recette musée atelier pont gare assurance retraite crédit impôt colis lettre catalogue remise réparation réunion calendrier message",
  es: "cuenta pedido cliente servicio entrega factura proyecto informe pago familia jardín cocina escuela curso viaje mercado oferta contrato aparato bicicleta receta museo taller puente estación seguro pensión crédito impuesto paquete carta catálogo descuento reparación reunión calendario mensaje",
  it: "conto ordine cliente servizio consegna fattura progetto rapporto pagamento famiglia giardino cucina scuola corso viaggio mercato offerta contratto bicicletta ricetta museo officina ponte stazione assicurazione pensione credito imposta pacco lettera catalogo sconto riparazione riunione calendario messaggio",
  nl: "rekening bestelling klant dienst levering factuur project rapport betaling familie tuin keuken school cursus reis markt aanbod contract apparaat fiets recept museum werkplaats brug station verzekering pensioen lening belasting pakket brief catalogus korting reparatie vergadering kalender bericht",
  pt: "conta pedido cliente serviço entrega fatura projeto relatório pagamento família jardim cozinha escola curso viagem mercado oferta contrato aparelho bicicleta receita museu oficina ponte estação seguro pensão crédito imposto pacote carta catálogo desconto reparo reunião calendário mensagem",
  pl: "konto zamówienie klient usługa dostawa faktura projekt raport płatność rodzina ogród kuchnia szkoła kurs podróż rynek oferta umowa urządzenie rower przepis muzeum warsztat most dworzec ubezpieczenie emerytura kredyt podatek paczka list katalog rabat naprawa spotkanie kalendarz wiadomość",
  tr: "hesap sipariş müşteri hizmet teslimat fatura proje rapor ödeme aile bahçe mutfak okul kurs yolculuk pazar teklif sözleşme cihaz bisiklet tarif müze atölye köprü istasyon sigorta emeklilik kredi vergi paket mektup katalog indirim onarım toplantı takvim mesaj",
  ar: "حساب طلب عميل خدمة توصيل فاتورة مشروع تقرير دفع عائلة حديقة مطبخ مدرسة دورة رحلة سوق عرض عقد جهاز دراجة وصفة متحف ورشة جسر محطة تأمين قرض ضريبة طرد رسالة خصم إصلاح اجتماع تقويم",
  ja: "口座 注文 顧客 サービス 配送 請求書 プロジェクト 報告 支払い 家族 庭 台所 学校 講座 旅行 市場 契約 機器 自転車 料理 美術館 工房 橋 駅 保険 年金 融資 税金 荷物 手紙 割引 修理 会議 暦",
};

const adjectives =
  "local simple reliable modern quiet friendly digital regional annual personal secure flexible fresh bright affordable experienced independent careful popular small large early careful green northern southern historic mobile direct clear honest professional practical complete quick regular seasonal".split(
    " ",
  );
export const cities =
  "Aldern Brookhaven Castell Dunmore Eastmere Farlow Glenrock Hartwell Ivydale Kelby Larkspur Milbury Northam Oakridge Penrose Quarry Redfield Selby Thornton Upwell Verdun Westcott Yarrow Lindau Morne Ravel Ostia Terme Vaals Zele Brno Gdynia Izmir Porto Leiria Nantes".split(
    " ",
  );
const given =
  "Anna Ben Clara David Elena Felix Greta Henry Irene Jonas Karin Liam Maria Noah Olga Paul Rosa Simon Tara Victor Wanda Yusuf Zoe".split(
    " ",
  );
const families =
  "Abbott Berger Costa Dahl Evans Fischer Garcia Hansen Ivanov Jansen Keller Lopez Moreau Nowak Olsen Petit Rossi Schmidt Tanaka Ueda Vogel Weber Young Zeller".split(
    " ",
  );

const general: Record<Language, readonly string[]> = {
  en: [
    "Our {n} team in {c} helps with every {n} and answers within {d} hours.",
    "Since {y}, people in {c} have relied on a {a} {n} and a {a} {n}.",
    "Read how {p} turned a {a} {n} into a {n} for {d} households.",
    "The {n} is open from {d} to 18 o'clock, except on public holidays.",
    "A {a} {n} needs a {a} {n}: that is how we have worked for {d} years.",
    "{p} from {c} writes about the {n}, the {n} and a {a} {n}.",
    "New this week: {d} offers for your {n}, with a {a} {n} included.",
    "Ask us about the {n}. We compare each {n} and explain the {a} {n}.",
    "More than {d} visitors came to {c} for the {a} {n} last month.",
    "You can change the {n} at any time, without a fee and without a {n}.",
    "The {a} {n} was renewed in {y}; the {n} followed a year later.",
    "Sign up for the {n} and receive {d} ideas for a {a} {n}.",
    "We store the {n} in {c} and check the {n} twice a day.",
    "{p} is responsible for the {n} and the {a} {n} in {c}.",
    "Choose a {n}, add a {n}, and collect both at the {n} in {c}.",
    "For a {a} {n}, start with a {n} and let the {n} rest for {d} minutes.",
  ],
  de: [
    "Unser Team in {c} hilft bei {n} und {n} innerhalb von {d} Stunden.",
    "Seit {y} vertrauen Menschen in {c} auf {n} und {n}.",
    "{p} aus {c} berichtet über {n}, {n} und {n}.",
    "Neu in dieser Woche: {d} Angebote rund um {n} und {n}.",
    "Fragen zu {n}? Wir vergleichen {n} und erklären {n}.",
    "Sie können {n} jederzeit ändern, ohne Gebühr und ohne {n}.",
  ],
  fr: [
    "Notre équipe à {c} vous aide pour {n} et {n} sous {d} heures.",
    "Depuis {y}, les habitants de {c} comptent sur {n} et {n}.",
    "{p} de {c} parle de {n}, de {n} et de {n}.",
    "Cette semaine : {d} offres pour {n} et {n}.",
    "Des questions sur {n} ? Nous comparons {n} et expliquons {n}.",
  ],
  es: [
    "Nuestro equipo en {c} ayuda con {n} y {n} en {d} horas.",
    "Desde {y}, la gente de {c} confía en {n} y {n}.",
    "{p} de {c} escribe sobre {n}, {n} y {n}.",
    "Esta semana: {d} ofertas para {n} y {n}.",
    "¿Preguntas sobre {n}? Comparamos {n} y explicamos {n}.",
  ],
  it: [
    "Il nostro team a {c} aiuta con {n} e {n} entro {d} ore.",
    "Dal {y}, le persone a {c} si affidano a {n} e {n}.",
    "{p} di {c} scrive di {n}, {n} e {n}.",
    "Questa settimana: {d} offerte per {n} e {n}.",
  ],
  nl: [
    "Ons team in {c} helpt met {n} en {n} binnen {d} uur.",
    "Sinds {y} vertrouwen mensen in {c} op {n} en {n}.",
    "{p} uit {c} schrijft over {n}, {n} en {n}.",
    "Deze week: {d} aanbiedingen voor {n} en {n}.",
  ],
  pt: [
    "A nossa equipa em {c} ajuda com {n} e {n} em {d} horas.",
    "Desde {y}, as pessoas de {c} confiam em {n} e {n}.",
    "{p} de {c} escreve sobre {n}, {n} e {n}.",
    "Esta semana: {d} ofertas para {n} e {n}.",
  ],
  pl: [
    "Nasz zespół w {c} pomaga w sprawach: {n}, {n}, w ciągu {d} godzin.",
    "Od {y} mieszkańcy {c} wybierają {n} i {n}.",
    "{p} z {c} pisze o tematach: {n}, {n} i {n}.",
    "W tym tygodniu: {d} ofert na {n} i {n}.",
  ],
  tr: [
    "{c} ekibimiz {n} ve {n} konusunda {d} saat içinde yardımcı olur.",
    "{y} yılından beri {c} halkı {n} ve {n} için bize güveniyor.",
    "{c} şehrinden {p} {n}, {n} ve {n} hakkında yazıyor.",
    "Bu hafta: {n} ve {n} için {d} teklif.",
  ],
  ar: [
    "فريقنا في {c} يساعدك في {n} و {n} خلال {d} ساعة.",
    "منذ {y} يعتمد الناس في {c} على {n} و {n}.",
    "{p} من {c} يكتب عن {n} و {n} و {n}.",
    "هذا الأسبوع: {d} عروض على {n} و {n}.",
  ],
  ja: [
    "{c}の担当者が{n}と{n}について{d}時間以内にお手伝いします。",
    "{y}年から{c}の皆様に{n}と{n}をお届けしています。",
    "{c}の{p}が{n}、{n}、{n}について書いています。",
    "今週は{n}と{n}の特典が{d}件あります。",
  ],
};

/** English sentences about what companies of a kind do. */
export const topics: Record<string, readonly string[]> = {
  bank: [
    "{b} offers current accounts, savings and mortgages with {a} advice in {c}.",
    "With online banking from {b} you can transfer money, check your balance and block a card at any time.",
    "{b} never asks for your password or one-time code by email or telephone.",
    "Your deposits at {b} are protected up to the legal limit.",
    "Open a {a} savings account at {b} and earn {d} percent interest.",
  ],
  shop: [
    "Free returns within {d} days on every {n} that you buy at {b}.",
    "{b} delivers your {n} tomorrow if you order before noon.",
    "Track your order, manage returns and save your wish list with a {b} account.",
    "Today's deals at {b}: {n}, {n} and a {a} {n}.",
  ],
  mail: [
    "{b} gives you a {a} mailbox with {d} gigabytes and strong spam protection.",
    "Read your mail on every device: {b} synchronizes messages, contacts and calendars.",
    "Your {b} mailbox is encrypted and free of advertising.",
  ],
  parcel: [
    "Track your {b} shipment with the number on your receipt.",
    "{b} delivers parcels to {d} countries and to {d} parcel shops in {c}.",
    "Choose where {b} leaves your parcel: with a neighbor, in a locker or at the counter.",
  ],
  tax: [
    "File your return with {b} before the end of May, or ask for an extension.",
    "{b} refunds are paid to the bank account in your return within {d} days.",
    "Sign in to {b} to see your assessments, payments and letters.",
  ],
  saas: [
    "{b} keeps your {n} and {n} in one {a} workspace.",
    "{d} teams plan their {n} with {b}; start a free trial without a card.",
    "Connect {b} with your calendar, your mail and your {n}.",
  ],
  exchange: [
    "Buy and sell digital assets on {b} with low fees and a {a} wallet.",
    "{b} stores client assets offline and publishes its reserves every {d} days.",
    "Verify your identity to raise your withdrawal limit at {b}.",
  ],
  payment: [
    "Pay with {b} in {d} million shops without entering your card again.",
    "Send money to friends with {b}: an email address is enough.",
    "Every purchase with {b} is covered by buyer protection for {d} days.",
  ],
  telecom: [
    "{b} fiber reaches {d} megabits per second in {c}; check your address.",
    "See your bills, data volume and contract in your {b} account.",
    "Keep your number when you switch to {b}.",
  ],
  university: [
    "{b} teaches {d} students in {d} faculties, from {n} to {n}.",
    "Enroll in courses, see grades and reserve books in the {b} portal.",
    "The library of {b} is open until midnight during examinations.",
  ],
  streaming: [
    "Watch {d} films and series on {b}; cancel at any time.",
    "Your {b} plan works on {d} screens at the same time.",
    "Update your payment method to keep watching {b}.",
  ],
  airline: [
    "{b} flies from {c} to {c} {d} times a week.",
    "Check in online, choose a seat and add baggage with {b}.",
    "Collect miles with {b} and its partners.",
  ],
  craft: [
    "{b} builds {a} furniture for every {n} in {c}.",
    "Visit our workshop in {c} and see how a {a} {n} is made.",
    "Call {p} for a quote; most repairs take {d} days.",
  ],
  club: [
    "{b} has {d} members and meets every Thursday in {c}.",
    "Our members' area holds the minutes, the {n} and the plan for the season.",
    "New members pay {d} a year and receive the {n} for free.",
  ],
};

export type Slots = { brand?: string; topic?: string; language?: Language };

/** Returns a sentence with its slots filled. */
export function sentence(dice: Dice, { brand, topic, language = "en" }: Slots = {}): string {
  const own = language === "en" && topic !== undefined && brand !== undefined && dice.chance(0.35);
  const pattern = own ? dice.pick(topics[topic]!) : dice.pick(general[language]);
  const words = nouns[language].split(" ");
  return pattern.replace(/\{(.)\}/g, (_slot, name: string) => {
    if (name === "b") return brand ?? "";
    if (name === "n") return dice.pick(words);
    if (name === "a") return dice.pick(adjectives);
    if (name === "c") return dice.pick(cities);
    if (name === "p") return person(dice);
    if (name === "y") return String(dice.between(1890, 2020));
    return String(dice.between(2, 90));
  });
}

export function paragraph(dice: Dice, sentences: number, slots: Slots = {}): string {
  return Array.from({ length: sentences }, () => sentence(dice, slots)).join(" ");
}

/** Returns a short heading. */
export function headline(dice: Dice, { language = "en" }: Slots = {}): string {
  const words = nouns[language].split(" ");
  if (language !== "en") return dice.some(words, 3).join(language === "ja" ? "・" : ", ");
  const adjective = dice.pick(adjectives);
  const patterns = [
    `A ${adjective} ${dice.pick(words)} for every ${dice.pick(words)}`,
    `${dice.pick(words)} and ${dice.pick(words)}: our ${adjective} guide`,
    `How to choose a ${dice.pick(words)}`,
    `The ${adjective} ${dice.pick(words)} is here`,
    `${dice.between(3, 12)} ideas for your ${dice.pick(words)}`,
  ];
  const text = dice.pick(patterns);
  return text[0]!.toUpperCase() + text.slice(1);
}

export const person = (dice: Dice): string => `${dice.pick(given)} ${dice.pick(families)}`;
export const noun = (dice: Dice): string => dice.pick(nouns.en.split(" "));
export const adjective = (dice: Dice): string => dice.pick(adjectives);
