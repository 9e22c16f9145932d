import { iconAsset, logoAsset, logoExtension, logoSvg, type Asset, type Company } from "./companies.ts";
import type { Dice } from "./dice.ts";
import {
  headline,
  paragraph,
  person,
  phrase,
  sentence,
  wording,
  type Language,
  type Phrase,
} from "./words.ts";

export type PageRole = "home" | "sign_in" | "password" | "payment" | "verify" | "about" | "article";

/** Options of a page. Absent dice are those of the company, so that the page is the same each time. */
export interface PageOptions {
  /** For texts. */
  text?: Dice;
  language?: Language;
  /** Number of the visit, for what changes from one visit to the next. */
  visit?: number;
  /** HTML of the main part instead of the usual one. */
  main?: string;
  title?: string;
}

export const origin = (company: Company): string => `https://www.${company.domain}`;

/** Returns the home page, a sign-in page or a payment page of a company as HTML. */
export function pageOf(company: Company, role: PageRole, options: PageOptions = {}): string {
  const context = contextOf(company, role, options);
  const body = options.main === undefined ? bodyOf(context, role) : framed(context, options.main);
  const title = options.title ?? titleOf(context, role);
  const rendered = company.isScripted ? scriptedShell(context, body) : body;
  return documentOf(context, { title, body: rendered, role });
}

/** Returns only the form of a page as HTML. */
export function formMarkup(company: Company, role: PageRole, options: PageOptions = {}): string {
  return formFor(contextOf(company, role, options), role);
}

function contextOf(company: Company, role: PageRole, options: PageOptions): Context {
  const language = options.language ?? company.language;
  return {
    company,
    of: company.markup.of,
    say: (key) => wording(company.dice, language, key, company.name),
    layout: company.dice.fork(`layout ${role}`),
    text: options.text ?? company.dice.fork(`text ${role}`),
    fresh: company.dice.fork(`visit ${options.visit ?? 1}`),
    language,
  };
}

export function pathOf({ paths }: Company, role: PageRole): string {
  if (role === "home") return "/";
  return role === "payment" ? paths.payment : role === "sign_in" ? paths.signIn : `/${role}`;
}

interface Context {
  company: Company;
  of: Company["markup"]["of"];
  say: (key: Phrase) => string;
  layout: Dice;
  text: Dice;
  fresh: Dice;
  language: Language;
}

function documentOf(
  { company, layout, text, fresh, language }: Context,
  { title, body, role }: { title: string; body: string; role: PageRole },
): string {
  const { paths, dice } = company;
  const own = dice.fork("head");
  const generator = own.pick([
    "",
    "",
    "",
    "",
    "",
    "",
    "WordPress 6.5.2",
    "Hugo 0.121.1",
    "Joomla! - Open Source Content Management",
    "TYPO3 CMS",
    "Drupal 10",
  ]);
  const head = [
    `<meta charset="utf-8">`,
    company.skin === "tables" ? "" : `<meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<title>${title}</title>`,
    own.chance(0.7)
      ? `<meta name="description" content="${sentence(text, { brand: company.name, topic: company.kind, language })}">`
      : "",
    generator === "" ? "" : `<meta name="generator" content="${generator}">`,
    own.chance(0.25) ? `<meta property="og:site_name" content="${company.name}">` : "",
    own.chance(0.5) ? `<meta property="og:title" content="${title}">` : "",
    own.chance(0.4) ? `<link rel="canonical" href="${origin(company)}${pathOf(company, role)}">` : "",
    own.chance(0.2) ? `<link rel="manifest" href="/manifest.json">` : "",
    own.chance(0.8) ? `<link rel="${own.pick(["icon", "shortcut icon"])}" href="${iconPath(company)}">` : "",
    own.chance(0.4) ? `<link rel="apple-touch-icon" href="${paths.assets}/apple-touch-icon.png">` : "",
    own.chance(0.3)
      ? `<link rel="stylesheet" href="https://cdn.jsdelivr.net/npm/bootstrap@5.3.2/dist/css/bootstrap.min.css">`
      : "",
    own.chance(0.2)
      ? `<style>${company.markup.styles(company.colors, company.font)}</style>`
      : `<link rel="stylesheet" href="${paths.style}">`,
    own.chance(0.4)
      ? `<script async src="https://www.googletagmanager.com/gtag/js?id=G-${own.hex(8).toUpperCase()}"></script>\n<script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}gtag("js",new Date());gtag("set",{"anonymize_ip":true,"send_page_view":true});</script>`
      : "",
    own.chance(0.4)
      ? `<script>window.${company.label.replace(/\W/g, "").replace(/^\d+/, "")}Settings={"release":"${own.hex(10)}","locale":"${language}","features":["${own.letters(8)}","${own.letters(6)}"],"api":"/api/v${own.between(1, 4)}"};</script>`
      : "",
    own.chance(0.4) ? `<meta name="csrf-token" content="${fresh.hex(32)}">` : "",
  ].filter((line) => line !== "");
  const direction = language === "ar" ? ` dir="rtl"` : "";
  const start =
    company.skin === "tables"
      ? `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">`
      : own.pick(["<!DOCTYPE html>", "<!DOCTYPE html>", "<!doctype html>"]);
  const script = layout.chance(0.8) ? `\n<script src="${paths.script}"></script>` : "";
  return `${start}\n<html lang="${language}"${direction}>\n<head>\n${head.join("\n")}\n</head>\n<body>\n${body}${script}\n</body>\n</html>\n`;
}

function titleOf({ company, say, text, language }: Context, role: PageRole): string {
  const { name, dice } = company;
  const order = dice.fork("title").pick([" | ", " - ", " – ", ": "]);
  const part = {
    home: sentence(dice.fork("claim"), { language })
      .split(" ")
      .slice(0, 5)
      .join(" ")
      .replace(/[.,:;]$/, ""),
    sign_in: say("signIn"),
    password: say("password"),
    payment: say("pay"),
    verify: say("next"),
    about: say("about"),
    article: headline(text, { language }),
  }[role];
  return dice.fork("title order").chance(0.5) ? `${name}${order}${part}` : `${part}${order}${name}`;
}

export function iconPath(company: Company): string {
  const { type } = iconAsset(company);
  return {
    "image/svg+xml": "/favicon.svg",
    "image/png": "/favicon-32x32.png",
    "image/x-icon": "/favicon.ico",
  }[type]!;
}

function bodyOf(context: Context, role: PageRole): string {
  switch (role) {
    case "home":
      return homeOf(context);
    case "article":
      return framed(context, articleOf(context));
    case "about":
      return framed(context, sectionsOf(context, 3) + contactFormOf(context));
    case "verify":
      return framed(context, formFor(context, role));
    default:
      return accountPageOf(context, role);
  }
}

/** Surrounds the main part with the header and the footer. */
function framed(context: Context, main: string): string {
  const { of } = context;
  const own = context.company.dice.fork("frame");
  // Landing pages and small sites have no menu or no footer.
  const header = own.chance(0.85) ? headerOf(context) : of("brand", logoMarkup(context.company), `href="/"`);
  const footer = own.chance(0.85) ? footerOf(context) : "";
  return of("page", [header, of("main", main), footer, cookiesOf(context)].join("\n"));
}

export function logoMarkup(
  company: Company,
  source = `${company.paths.logo}.${logoExtension(company)}`,
): string {
  const { name, logo, dice } = company;
  if (logo === "text") return `<b style="color:${company.colors.accent}">${name}</b>`;
  if (logo === "inline") return logoSvg(company);
  const own = dice.fork("logo markup");
  const alt = own.chance(0.8) ? ` alt="${own.pick([name, `${name} logo`, "Logo"])}"` : "";
  const kind = own.chance(0.5)
    ? ` class="${own.pick(["logo", "brand-img", "h-8", "img-fluid", "site-logo"])}"`
    : "";
  return `<img src="${source}"${alt}${kind} height="${own.pick([32, 40, 48])}">`;
}

function headerOf({ company, of, say }: Context): string {
  const own = company.dice.fork("header");
  const items = own.some(
    ["products", "about", "news", "help", "contact", "search"] as const,
    own.between(2, 5),
  );
  const nav = items.map((key) => of("navItem", say(key), `href="/${key}"`)).join("\n");
  const signIn = of("navItem", say("signIn"), `href="${company.paths.signIn}"`);
  // Menus, switches of the language and buttons to share are links to nowhere on many sites.
  const toggles = own.chance(0.5)
    ? own
        .some(["products", "news", "help", "about"] as const, own.between(1, 4))
        .map((key) => of("navItem", say(key), `href="${own.pick(["#", "#", "javascript:void(0)"])}"`))
        .join("\n")
    : "";
  const search = own.chance(0.25)
    ? `<form action="/search" role="search"><input type="search" name="q" placeholder="${say("search")}"></form>`
    : "";
  const quickSignIn = own.chance(0.1)
    ? `<form action="${company.paths.signIn}" method="post"><input name="${own.pick(["user", "login"])}" placeholder="${say("user")}"><input type="password" name="pass" placeholder="${say("password")}"><button>${say("signIn")}</button></form>`
    : "";
  return of(
    "header",
    `${of("brand", logoMarkup(company), `href="/"`)}\n${of("nav", `${nav}\n${toggles}\n${signIn}`)}${search}${quickSignIn}`,
  );
}

/** Names of scripts to which forms of ordinary sites are sent, too: they are those of tutorials and hosting companies. */
const formScripts = [
  "send.php",
  "mail.php",
  "process.php",
  "submit.php",
  "contact.php",
  "form.php",
  "action.php",
];

/** A form to subscribe to news, often run by another company. */
function newsletterOf({ company, say }: Context): string {
  const own = company.dice.fork("newsletter");
  if (!own.chance(0.3)) return "";
  const action = own.pick([
    "/newsletter",
    "/subscribe",
    `/${own.pick(formScripts)}`,
    `/forms/${own.pick(formScripts)}`,
    `https://${own.letters(6)}.us${own.between(1, 21)}.list-manage.com/subscribe/post`,
  ]);
  return `<form action="${action}" method="post"><input type="email" name="${own.pick(["email", "EMAIL"])}" placeholder="${say("email")}"><button>${say("register")}</button></form>`;
}

function contactFormOf({ company, say }: Context): string {
  const own = company.dice.fork("contact form");
  if (!own.chance(0.15)) return "";
  return `<form action="${own.pick(["/contact", `/${own.pick(formScripts)}`, own.pick(formScripts)])}" method="post"><input name="name" placeholder="Name"><input type="email" name="email" placeholder="${say("email")}"><input name="phone" placeholder="${say("phone")}"><textarea name="message"></textarea><button>${say("contact")}</button></form>`;
}

function footerOf({ company, of, say, ...rest }: Context): string {
  const own = company.dice.fork("footer");
  const links = (["privacy", "terms", "imprint", "contact", "help"] as const)
    .filter(() => own.chance(0.8))
    .map((key) => of("link", say(key), `href="${own.pick(["", "/legal", "/info"])}/${key}"`));
  const social = own
    .some(
      [
        "https://www.facebook.com/",
        "https://twitter.com/",
        "https://www.linkedin.com/company/",
        "https://www.instagram.com/",
      ],
      own.below(4),
    )
    .map((start) =>
      of("link", start.split("//")[1]!.replace(/^www\.|\..*/g, ""), `href="${start}${company.label}"`),
    );
  return of(
    "footer",
    [
      of("column", links.join("\n")),
      of("column", social.join("\n")),
      newsletterOf({ company, of, say, ...rest }),
      of(
        "small",
        `© ${own.between(2019, 2026)} ${company.name}${own.pick(["", ", Inc.", " Ltd.", " GmbH", " plc"])}`,
      ),
    ].join("\n"),
  );
}

function cookiesOf({ company, of, say }: Context): string {
  if (!company.dice.fork("cookies").chance(0.4)) return "";
  return of(
    "cookies",
    `${of("text", say("cookies"))}<button>${say("accept")}</button><button>${say("decline")}</button>`,
  );
}

function homeOf(context: Context): string {
  const { company, of, say, layout, text, fresh, language } = context;
  const slots = { brand: company.name, topic: company.kind, language };
  const hero = of(
    "hero",
    `${of("title", layout.chance(0.5) ? phrase(language, "welcome", company.name) : headline(text, slots))}${of("text", paragraph(text, 2, slots))}${of("link", say("register"), `href="/register"`)}`,
  );
  const cards = Array.from({ length: layout.between(3, 6) }, () =>
    of("card", `${of("heading", headline(text, slots))}${of("text", paragraph(text, 2, slots))}`),
  ).join("\n");
  const date = `2026-${String(fresh.between(1, 12)).padStart(2, "0")}-${String(fresh.between(1, 28)).padStart(2, "0")}`;
  const news = Array.from({ length: layout.between(2, 4) }, () =>
    of("item", `${of("meta", date)} ${of("link", headline(fresh, slots), `href="/news/${fresh.hex(6)}"`)}`),
  ).join("\n");
  const parts = [
    hero,
    of("section", of("grid", cards)),
    sectionsOf(context, layout.between(1, 3)),
    of("section", `${of("heading", say("news"))}${of("list", news)}`),
  ];
  return framed(context, (layout.chance(0.5) ? parts : [parts[0]!, ...parts.slice(1).reverse()]).join("\n"));
}

function sectionsOf({ company, of, text, language }: Context, count: number): string {
  const slots = { brand: company.name, topic: company.kind, language };
  return Array.from({ length: count }, () =>
    of(
      "section",
      `${of("heading", headline(text, slots))}${of("text", paragraph(text, 4, slots))}${of("text", paragraph(text, 3, slots))}`,
    ),
  ).join("\n");
}

function articleOf(context: Context): string {
  const { of, text, language } = context;
  const paragraphs = Array.from({ length: text.between(4, 9) }, () =>
    of("text", paragraph(text, text.between(2, 5), { language })),
  );
  const video = text.chance(0.15)
    ? `<iframe src="https://www.youtube.com/embed/${text.hex(11)}" title="Video"></iframe>`
    : "";
  return of(
    "article",
    `${of("title", headline(text, { language }))}${of("meta", `${person(text)}, ${text.between(1, 28)}.${text.between(1, 12)}.2026`)}${paragraphs.join("\n")}${video}${contactFormOf(context)}`,
  );
}

/** A sign-in or payment page, which often has a header and a footer of its own. */
function accountPageOf(context: Context, role: PageRole): string {
  const { company, of, say, layout, text, language } = context;
  const slots = { brand: company.name, topic: company.kind, language };
  const form = formFor(context, role);
  const promotion = of(
    "section",
    `${of("heading", headline(text, slots))}${of("text", paragraph(text, 2, slots))}`,
  );
  const kind = layout.pick(["bare", "framed", "framed", "split", "small"]);
  if (kind === "framed") return framed(context, layout.chance(0.5) ? `${form}\n${promotion}` : form);
  if (kind === "split")
    return of(
      "page",
      of("grid", `${of("card", `${logoMarkup(company)}${promotion}`)}${of("card", form)}`) +
        footerOf(context),
    );
  const logo = of("brand", logoMarkup(company), `href="/"`);
  const legal = of(
    "small",
    ["privacy", "terms", "help"].map((key) => of("link", say(key as Phrase), `href="/${key}"`)).join(" "),
  );
  const end = layout.chance(0.5) ? footerOf(context) : legal;
  if (kind === "bare") return of("page", `${logo}\n${of("main", form)}\n${end}`);
  return of(
    "page",
    `${of("main", of("card", `${logo}${form}${end === legal ? legal : ""}`))}${end === legal ? "" : end}`,
  );
}

interface Input {
  key: Phrase;
  name: string;
  type: string;
  autocomplete?: string;
}

const inputsFor = (role: PageRole, own: Dice, isTwoStep: boolean): Input[] => {
  const user: Input = own.chance(0.6)
    ? {
        key: "email",
        name: own.pick(["email", "username", "login", "identifier"]),
        type: "email",
        autocomplete: "username",
      }
    : { key: "user", name: own.pick(["user", "userid", "customer", "j_username"]), type: "text" };
  const password: Input = {
    key: "password",
    name: own.pick(["password", "pass", "passwd", "pin"]),
    type: "password",
    autocomplete: "current-password",
  };
  if (role === "sign_in") return isTwoStep ? [user] : [user, password];
  if (role === "password") return [password];
  const card: Input[] = [
    { key: "holder", name: "holder", type: "text", autocomplete: "cc-name" },
    { key: "card", name: own.pick(["cardnumber", "cc", "card_no"]), type: "text", autocomplete: "cc-number" },
    { key: "expiry", name: "expiry", type: "text", autocomplete: "cc-exp" },
    { key: "code", name: own.pick(["cvc", "cvv", "csc"]), type: "text", autocomplete: "cc-csc" },
  ];
  if (role === "payment") return own.chance(0.5) ? card : card.slice(1);
  const identity: Input[] = [
    { key: "holder", name: own.pick(["fullname", "name"]), type: "text" },
    { key: "phone", name: "phone", type: "tel" },
    { key: "user", name: own.pick(["date_of_birth", "dob", "ssn", "account_number"]), type: "text" },
  ];
  return own.pick([
    identity,
    [user, password, { key: "phone", name: "phone", type: "tel" }],
    card,
    [
      { key: "phone", name: "phone", type: "tel" },
      { key: "oneTimeCode", name: "otp", type: "text", autocomplete: "one-time-code" },
    ],
    [user, password],
  ]);
};

function formFor({ company, of, say, layout, text, fresh, language }: Context, role: PageRole): string {
  const own = role === "verify" ? text : company.dice.fork(`form ${role}`);
  const fields = inputsFor(role, own, company.isTwoStep).map((input) =>
    fieldOf(input, { company, of, say, language, own }),
  );
  const hidden = own
    .some(["csrf", "_token", "state", "next", "SAMLRequest", "lt"], own.below(3))
    .map((name) => `<input type="hidden" name="${name}" value="${fresh.hex(24)}">`);
  const title =
    role === "sign_in" && layout.chance(0.4)
      ? phrase(language, "welcome", company.name)
      : role === "payment"
        ? say("pay")
        : role === "verify"
          ? say("next")
          : say("signIn");
  const remember =
    role === "sign_in" && own.chance(0.5)
      ? of(
          "field",
          `<input type="checkbox" name="remember" id="remember"> <label for="remember">${say("remember")}</label>`,
        )
      : "";
  const extra =
    role === "sign_in"
      ? of(
          "text",
          `${of("link", say("forgot"), `href="/recover"`)} ${of("link", say("register"), `href="/register"`)}`,
        )
      : "";
  const button = of(
    "button",
    role === "payment" ? say("pay") : own.chance(0.5) ? say("signIn") : say("next"),
    `type="submit"`,
  );
  const notice = role === "verify" ? of("notice", wording(text, language, "verify", company.name)) : "";
  const action =
    role === "payment"
      ? "/payment/submit"
      : own.pick([
          company.paths.signIn,
          "/session",
          "/api/auth",
          "/j_security_check",
          "/authenticate",
          "/login/submit",
          "login.php",
          "check_login.php",
          "auth.php",
          "process.php",
          "verify.php",
        ]);
  return of(
    "form",
    `${of("title", title)}${notice}\n${hidden.join("")}\n${fields.join("\n")}\n${remember}${button}\n${extra}`,
    `action="${action}" method="post"`,
  );
}

function fieldOf(
  { key, name, type, autocomplete }: Input,
  { company, of, say, own }: Pick<Context, "company" | "of" | "say"> & { language: Language; own: Dice },
): string {
  const text = say(key);
  const isInside = company.dice.fork("labels").chance(0.3);
  const complete = autocomplete !== undefined && own.chance(0.5) ? ` autocomplete="${autocomplete}"` : "";
  const input = of(
    "input",
    "",
    `type="${type}" name="${name}" id="${name}"${complete}${isInside ? ` placeholder="${text}"` : ""}`,
  );
  return of("field", isInside ? input : `${of("label", text, `for="${name}"`)}\n${input}`);
}

/** The body of a page that a script renders from a string. */
function scriptedShell({ company }: Context, body: string): string {
  const id = company.skin === "material" ? "app" : "root";
  return `<div id="${id}"></div>\n<noscript>You need to enable JavaScript to run this app.</noscript>\n<script>window.__STATE__=${JSON.stringify({ view: body }).replaceAll("</", "<\\/")};document.getElementById(${JSON.stringify(id)}).innerHTML=window.__STATE__.view;</script>`;
}

/** Returns the files that pages of a company refer to, by path. */
export function assetsOf(company: Company): Map<string, Asset> {
  const { paths, colors, font, dice } = company;
  const manifest = {
    name: company.name,
    short_name: company.name.split(" ")[0],
    start_url: "/",
    icons: [{ src: iconPath(company), sizes: "32x32" }],
  };
  return new Map<string, Asset>([
    [iconPath(company), iconAsset(company)],
    ["/favicon.ico", iconAsset(company)],
    [
      `${paths.assets}/apple-touch-icon.png`,
      { ...logoAsset({ ...company, logo: "png" }), type: "image/png" },
    ],
    [`${paths.logo}.${logoExtension(company)}`, logoAsset(company)],
    [paths.style, { type: "text/css", body: () => company.markup.styles(colors, font) }],
    [
      paths.script,
      {
        type: "text/javascript",
        body: () =>
          `(function(){var version="${dice.fork("script").hex(12)}";window.site={version:version};}());`,
      },
    ],
    ["/manifest.json", { type: "application/manifest+json", body: () => JSON.stringify(manifest) }],
  ]);
}
