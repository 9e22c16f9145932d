import { iconAsset, logoAsset, logoExtension, type Company } from "./companies.ts";
import type { Dice } from "./dice.ts";
import { companyHost, fileName, freeHost, ordinaryHost } from "./hosts.ts";
import { assetsOf, iconPath, origin, pageOf, pathOf, type PageRole } from "./pages.ts";
import type { Content } from "./site.ts";
import { noun } from "./words.ts";

/** Everything from which a copy is made. */
export interface Kit {
  dice: Dice;
  brand: Company;
  /** Folder of the kit, without the last slash. */
  folder: string;
  host: string;
  role: PageRole;
  /** Where the form is sent. */
  mailer: string;
  /** A company whose hacked site the kit is on. */
  owner: Company;
  /** Returns a screenshot of the original page, as a file; undefined if there is none. */
  screenshot: () => Uint8Array<ArrayBuffer> | undefined;
}

export interface Copy {
  contents: Map<string, Content>;
  start?: string;
  needsBrowser?: boolean;
  aliases?: string[];
  scheme?: "http";
}

/** Scripts of kits, which have the names that tutorials give them. */
const kitScripts = [
  "login.php",
  "post.php",
  "next.php",
  "process.php",
  "send.php",
  "submit.php",
  "auth.php",
  "action.php?id=1",
  "verify/step2.php",
  "mail.php",
];

/** Returns where a kit sends what was typed: newer kits have no script of their own, or none with a telling name. */
export function mailerFor(dice: Dice): string {
  return dice.pick([
    () => dice.pick(kitScripts),
    () => dice.pick(kitScripts),
    () => dice.pick(kitScripts),
    () => dice.pick(kitScripts),
    () => dice.pick([`${dice.letters(5)}.php`, dice.pick(kitScripts)]),
    () => "",
    () => dice.pick(["api/login", "check", "session", "/v1/collect", "validate"]),
    () => dice.pick(["api/login", "check", "session", "/v1/collect", "validate"]),
    () =>
      `https://${dice.letters(6)}.${dice.pick(["workers.dev", "com", "ru", "onrender.com"])}/${dice.letters(4)}`,
    () => `https://${dice.pick(["formspree.io/f/", "getform.io/f/", "submit-form.com/"])}${dice.letters(8)}`,
  ])();
}

export const servers = [
  "nginx",
  "Apache",
  "Apache/2.4.57 (Ubuntu)",
  "LiteSpeed",
  "cloudflare",
  "Microsoft-IIS/10.0",
  "Vercel",
];

/** Four of five phishing hosts do not contain the brand. Many belong to a company whose site was hacked. */
export function hostOf(
  dice: Dice,
  { brand, owner, index }: { brand: Company; owner: Company; index: number },
): string {
  if (dice.chance(0.12)) return freeHost(dice, index);
  if (dice.chance(0.45)) return companyHost(dice, { domain: owner.domain, index });
  if (dice.chance(0.7)) return ordinaryHost(dice, index);
  const number = index.toString(36);
  return dice.pick([
    `${brand.label}.${dice.letters(5)}${number}.com`,
    `${brand.label}-${dice.pick(["secure", "help", "login"])}${number}.net`,
    `${dice.letters(4)}-${brand.label}${number}.${dice.pick(["pages.dev", "web.app", "weebly.com"])}`,
  ]);
}

export const startOf = ({ folder: path, dice, brand }: Kit) => path + fileOf(dice.fork("file"), brand);

function fileOf(own: Dice, brand: Company): string {
  if (own.chance(0.15)) return pathOf(brand, "sign_in");
  return `/${fileName(own, ["login", "signin", "account", "verify", own.letters(6), own.hex(8), noun(own)])}`;
}

/** Kits are made from what a browser shows. */
export const rendered = ({ brand, dice }: Kit): Company =>
  dice.fork("rendered").chance(0.9) ? { ...brand, isScripted: false } : brand;
export const original = (kit: Kit) =>
  pageOf(rendered(kit), kit.role, { visit: kit.dice.fork("visit").below(500) });

/** The page and the files of the original, in the folder of the kit. */
export function kept(kit: Kit, html: string): Copy {
  const contents = new Map<string, Content>([[startOf(kit), html]]);
  const { brand, folder: at } = kit;
  for (const [path, asset] of assetsOf(brand)) contents.set(at + path, asset);
  if (!hasIcon(kit)) {
    for (const path of [iconPath(brand), "/favicon.ico"]) contents.delete(at + path);
    if (kit.dice.fork("icon of the owner").chance(0.4)) contents.set("/favicon.ico", iconAsset(kit.owner));
  }
  const logo = `${at}${brand.paths.logo}.${logoExtension(brand)}`;
  const use = logoUse(kit);
  if (use === "missing") contents.delete(logo);
  if (use === "resized")
    contents.set(
      logo,
      logoAsset({ ...brand, logo: "png" }, { height: kit.dice.fork("height").pick([24, 36, 64, 90]) }),
    );
  return { contents, needsBrowser: rendered(kit).isScripted };
}

export const page = (kit: Kit, change: (html: string) => string): [string, string] => [
  startOf(kit),
  change(original(kit)),
];

/** Titles that say nothing: of editors, of site builders and of kits that avoid the brand. */
const emptyTitles = [
  "Login",
  "Sign in",
  "Document",
  "Verify",
  "Home",
  "Welcome",
  "Untitled",
  "index",
  "My Site",
  "Page",
  "Secure",
  "Account",
];

/** How a kit shows the logo. */
type LogoUse = "kept" | "resized" | "background" | "missing";
const logoUse = ({ dice }: Kit): LogoUse =>
  dice
    .fork("use of the logo")
    .pick(["kept", "kept", "kept", "kept", "resized", "resized", "background", "background", "missing"]);

/** Changes the title, the icon, the logo, forms and links as kits do. */
export function withMailer(kit: Kit, html: string): string {
  const own = kit.dice.fork("links");
  const links = own.pick(["dead", "dead", "kept", "kept", "original", "original"]);
  const isCleaned = own.chance(0.35);
  const change = kit.dice.fork("head");
  const title = change.chance(0.2)
    ? change.pick([...emptyTitles, change.letters(6), `${noun(change)} ${noun(change)}`])
    : undefined;
  const isBuilt = change.chance(0.12);
  const siteName = change.pick([
    "My Site",
    noun(change),
    `${noun(change)}${change.between(1, 99)}`,
    kit.owner.name,
  ]);
  const logo = `${kit.brand.paths.logo}.${logoExtension(kit.brand)}`;
  let rewriter = new HTMLRewriter()
    .on("form:not([role])", { element: (form) => void form.setAttribute("action", kit.mailer) })
    .on("a", {
      element(link) {
        const target = link.getAttribute("href") ?? "";
        if (links === "dead") link.setAttribute("href", "#");
        if (links === "original" && target.startsWith("/"))
          link.setAttribute("href", origin(kit.brand) + target);
      },
    })
    .on("link[rel=canonical], meta[property], meta[name=generator], meta[name=csrf-token], script[async]", {
      element: (element) => void (isCleaned && element.remove()),
    });
  if (title !== undefined)
    rewriter = rewriter.on("title", { element: (element) => void element.setInnerContent(title) });
  if (!hasIcon(kit)) rewriter = rewriter.on('link[rel*="icon"]', { element: (link) => void link.remove() });
  if (logoUse(kit) === "background")
    rewriter = rewriter.on(`img[src="${logo}"]`, {
      element: (image) =>
        void image.replace(
          `<span class="logo" style="display:block;width:200px;height:48px;background:url(${kit.folder}${logo}) no-repeat"></span>`,
          { html: true },
        ),
    });
  // Kits often keep the copyright notice of a template or of a site builder.
  const builderFooter = change.pick([
    "",
    `<footer>© ${change.between(2018, 2026)} ${siteName}. Powered by Site Builder</footer>`,
    `<footer>© ${change.between(2018, 2026)} ${siteName}</footer>`,
    `<div id="credit">Design by Free Templates</div>`,
  ]);
  if (isBuilt)
    rewriter = rewriter
      .on('meta[property="og:site_name"], meta[name=generator]', {
        element: (element) => void element.remove(),
      })
      .on("head", {
        element: (head) =>
          void head.append(
            `<meta name="generator" content="Site Builder 4"><meta property="og:site_name" content="${siteName}">`,
            { html: true },
          ),
      })
      .on("body", {
        element: (body) => void body.append(builderFooter, { html: true }),
      });
  if (change.chance(0.04))
    rewriter = rewriter.on("body", {
      element: (body) =>
        void body.prepend(`<script src="${change.pick(["antibots", "blocker", "killbot"])}.php"></script>`, {
          html: true,
        }),
    });
  return rewriter.transform(html);
}

/** Many kits leave out the icon, or keep the icon of the site that they were put on. */
const hasIcon = ({ dice }: Kit) => dice.fork("icon of the kit").chance(0.55);

export function withAddresses(html: string, change: (path: string) => string): string {
  const changed = (name: string) => ({
    element(element: HTMLRewriterTypes.Element) {
      const value = element.getAttribute(name) ?? "";
      if (value.startsWith("/") && !value.startsWith("//")) element.setAttribute(name, change(value));
    },
  });
  return new HTMLRewriter().on("img, script", changed("src")).on("link", changed("href")).transform(html);
}

export const rehosted = (kit: Kit, html: string) =>
  withAddresses(withMailer(kit, html), (path) => kit.folder + path);
export const hotLinked = (kit: Kit, html: string) =>
  withAddresses(withMailer(kit, html), (path) => origin(kit.brand) + path);

export function plainHtml(kit: Kit): string {
  const html = pageOf({ ...kit.brand, isScripted: false }, kit.role);
  return kit.dice.chance(0.5) ? rehosted(kit, html) : hotLinked(kit, html);
}
