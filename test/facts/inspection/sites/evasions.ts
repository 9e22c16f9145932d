import { logoAsset, logoExtension, type Company } from "./companies.ts";
import type { Dice } from "./dice.ts";
import { anyCopy } from "./kit-pages.ts";
import { mailerFor, kept, plainHtml, startOf, type Copy, type Kit } from "./kit.ts";
import { assetsOf, origin, pageOf } from "./pages.ts";
import type { Content } from "./site.ts";
import { noun, paragraph, phrase } from "./words.ts";

// Copies that were made to be overlooked by programs which read pages.

/** Thousands of empty elements, or much text that nobody sees. */
export function padded(kit: Kit): Copy {
  const own = kit.dice.fork("padding");
  const kind = own.pick(["tags", "tags", "between", "text", "text"] as const);
  const emptyTag = () => {
    const tag = own.pick(["i", "b", "div", "span", "p", "u", "section"]);
    const name = own.chance(0.5) ? ` class="${own.letters(own.between(3, 8))}"` : "";
    return `<${tag}${name}></${tag}>`;
  };
  const emptyTags = (count: number) => Array.from({ length: count }, emptyTag).join("");
  const { copy, html: base } = anyCopy(kit);
  if (kind === "between") {
    const html = new HTMLRewriter()
      .on("body *", {
        element: (element) => void element.before(emptyTags(own.between(20, 60)), { html: true }),
      })
      .transform(base);
    return withPage(kit, copy, html);
  }
  const padding =
    kind === "tags"
      ? emptyTags(own.between(1_500, 7_000))
      : `<div style="${own.pick(hidingStyles)}">${paragraph(own, own.between(60, 400))}</div>`;
  return withPage(
    kit,
    copy,
    own.chance(0.6)
      ? base.replace(/<body[^>]*>/, (tag) => tag + padding)
      : base.replace("</body>", () => `${padding}</body>`),
  );
}

function withPage(kit: Kit, copy: Copy, html: string): Copy {
  copy.contents.set(startOf(kit), html);
  return copy;
}

const hidingStyles = [
  "display:none",
  "visibility:hidden;height:0",
  "font-size:0",
  "position:absolute;left:-9999px",
  "opacity:0;position:absolute;z-index:-1",
  "color:#ffffff;font-size:1px;line-height:0",
  "height:0;overflow:hidden",
];

const splitters: readonly (readonly [string, isMarkup: boolean])[] = [
  ["\u200b", false],
  ["\u200c", false],
  ["\u2060", false],
  ["\u00ad", false],
  ["&shy;", true],
  ["&#8203;", true],
  ["<wbr>", true],
  ["<span></span>", true],
  ["<!-- -->", true],
  [`<span style="display:none">x</span>`, true],
  [`<i style="font-size:0">${"q"}</i>`, true],
];
const lookAlikes: Record<string, string> = {
  a: "\u0430",
  e: "\u0435",
  o: "\u043e",
  c: "\u0441",
  p: "\u0440",
  i: "\u0456",
  x: "\u0445",
};

/** Words that are split or written with letters of other alphabets, so that programs do not find them. */
export function splitWords(kit: Kit): Copy {
  const own = kit.dice.fork("split");
  const kind = own.pick(["splitter", "splitter", "splitter", "letters", "look-alikes"] as const);
  const [splitter, isMarkup] = own.pick(splitters);
  const brandOnly = own.chance(0.3);
  const brandWords = kit.brand.name.toLowerCase().split(/\W+/);
  const every = own.between(1, 3);
  const word = (text: string): string => {
    if (brandOnly && !brandWords.includes(text.toLowerCase())) return text;
    if (kind === "look-alikes") return text.replace(/[aeocpix]/g, (letter) => lookAlikes[letter]!);
    const letters = [...text];
    if (kind === "letters") return letters.map((letter) => `<span>${letter}</span>`).join("");
    return letters.map((letter, at) => (at > 0 && at % every === 0 ? splitter + letter : letter)).join("");
  };
  const change = (text: string) => text.replace(/(?<![&#\w])\p{L}{3,}(?!;)/gu, word);
  const { copy, html: base } = anyCopy(kit);
  const html = new HTMLRewriter()
    .on("body *:not(script):not(style)", {
      text: (chunk) => void (chunk.text.trim() !== "" && chunk.replace(change(chunk.text), { html: true })),
    })
    .on("title", {
      text(chunk) {
        // Markup inside a title would be shown.
        if (kind === "look-alikes" || (kind === "splitter" && !isMarkup))
          chunk.replace(change(chunk.text), { html: true });
      },
    })
    .transform(base);
  return withPage(kit, copy, html);
}

/** Text that nobody sees, before a frame with the copy or before a page that leads to it. */
export function hiddenBefore(kit: Kit): Copy {
  const own = kit.dice.fork("hidden before");
  const { copy, html } = anyCopy(kit);
  const inner = `${kit.folder}/${own.letters(6)}.html`;
  copy.contents.set(inner, html);
  const text = `<div style="${own.pick(hidingStyles)}">${paragraph(own, own.between(20, 150))}</div>`;
  const lead = own.pick([
    `<iframe src="${inner}" style="position:fixed;inset:0;border:0;width:100%;height:100%"></iframe>`,
    `<iframe src="${inner}" style="position:fixed;inset:0;border:0;width:100%;height:100%"></iframe>`,
    `<object data="${inner}" type="text/html" style="position:fixed;inset:0;width:100%;height:100%"></object>`,
    `<script>window.location.replace("${inner}")</script>`,
    `<a href="${inner}" style="display:block;margin:20% auto;width:200px">${own.pick(["Continue", "Open the document", "View message"])}</a>`,
  ]);
  copy.contents.set(
    startOf(kit),
    `<!DOCTYPE html><html><head><title>${own.pick(["", "Document", "Blog", `${noun(own)} ${noun(own)}`])}</title></head><body>${text}${lead}</body></html>`,
  );
  return copy;
}

/** A page that asks whether the visitor is human before it leads to the copy. */
export function captchaGate(kit: Kit): Copy {
  const own = kit.dice.fork("captcha");
  const { copy, html: shown } = anyCopy(kit);
  const inner = `${kit.folder}/${own.letters(7)}${own.pick(["", ".php", ".html", "/"])}`;
  const box = own.pick([
    `<div class="cf-turnstile" data-sitekey="0x4AAAAAAA${own.hex(12)}"></div>`,
    `<div class="g-recaptcha" data-sitekey="6L${own.hex(36)}"></div><script src="https://www.google.com/recaptcha/api.js"></script>`,
    `<label><input type="checkbox" id="human"> I'm not a robot</label>`,
    `<div class="slider"><div class="handle" id="human"></div><span>Slide to verify</span></div>`,
    `<p>Checking your browser before accessing ${kit.host}.</p><div class="spinner"></div>`,
  ]);
  const encoded = btoa(inner);
  const kind = own.pick(["address", "address", "decoded", "decoded", "form", "posted", "server"] as const);
  const lead = {
    address: `<script>function go(){window.location.href="${inner}"}var h=document.getElementById("human");if(h)h.onclick=go;else setTimeout(go,${own.between(2, 6)}000)</script>`,
    decoded: `<script>function go(){window.location=atob("${encoded}")}document.addEventListener("click",go)</script>`,
    form: `<form action="${inner}" method="get"><button>Verify</button></form>`,
    // Only a visitor that sends the form sees the copy.
    posted: `<form method="post"><input type="hidden" name="ok" value="1"><button>Verify you are human</button></form>`,
    server: `<form method="post"><p>What is ${own.between(2, 9)} + ${own.between(2, 9)}?</p><input name="answer" size="3"><button>Continue</button></form>`,
  }[kind];
  const gate = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${own.pick(["Just a moment...", "Attention required", "Verify you are human", "Security check", "One more step"])}</title><meta name="robots" content="noindex"></head><body><h1>${own.pick([kit.host, "One more step", "Please verify", "Security verification"])}</h1>${box}<p>${own.pick(["Please complete the check to continue.", "This process is automatic.", "We need to verify that you are not a robot."])}</p>${lead}</body></html>`;
  if (kind === "posted" || kind === "server")
    copy.contents.set(startOf(kit), (request) => (request.method === "POST" ? shown : gate));
  else {
    copy.contents.set(inner, shown);
    copy.contents.set(startOf(kit), gate);
  }
  return copy;
}

/** The copy as a translation service shows it under a name of its own. */
export function translationProxy(kit: Kit): Copy {
  const own = kit.dice.fork("translation proxy");
  const proxy = `${kit.host.replaceAll("-", "--").replaceAll(".", "-")}.translate.goog`;
  const added = `<script src="https://www.gstatic.com/_/translate_http/_/js/k=translate_http.tr.en_US.${own.letters(10)}.O/am=AAAC/d=1/rs=${own.hex(20)}/m=corsproxy" data-sourceurl="https://${kit.host}${startOf(kit)}"></script><link href="https://fonts.googleapis.com/css2?family=Material+Symbols+Outlined" rel="stylesheet">`;
  const copy = kept(
    kit,
    plainHtml(kit).replace("<head>", () => `<head>${added}`),
  );
  const query = `_x_tr_sl=auto&_x_tr_tl=${own.pick(["en", "en", "de", "fr"])}&_x_tr_hl=en`;
  return { ...copy, aliases: [proxy], start: `http://${proxy}${startOf(kit)}?${query}` };
}

/** A kit with several steps and markup of its own: the first page asks for nothing but the email address. */
export function emailStep(kit: Kit): Copy {
  const { brand, dice, owner } = kit;
  const own = dice.fork("email step");
  const { of } = owner.markup;
  const file = `${kit.folder}/${own.pick(["logo.png", "img/l.png", `${own.hex(6)}.png`])}`;
  const logo = own.pick([
    `<img src="${file}" width="140">`,
    `<img src="${file}" alt="${brand.name}" width="160">`,
    `<img src="${origin(brand)}${brand.paths.logo}.${logoExtension(brand)}" height="40">`,
    `<h2 style="color:${brand.colors.main}">${brand.name}</h2>`,
  ]);
  const title = own.pick([
    phrase(brand.language, "signIn"),
    brand.name,
    `${brand.name} - ${phrase(brand.language, "signIn")}`,
    `${phrase(brand.language, "signIn")} ${brand.name}`,
  ]);
  const input = `<input type="${own.pick(["email", "text"])}" name="${own.pick(["email", "user", "ai", "loginfmt", own.letters(5)])}" placeholder="${phrase(brand.language, "email")}">`;
  // The second step is in the page, but hidden, in half of the kits.
  const second = own.chance(0.4)
    ? `<div id="step2" style="display:none"><input type="password" name="${own.pick(["pass", "pr", own.letters(4)])}" placeholder="${phrase(brand.language, "password")}"></div>`
    : "";
  const link = phrase(brand.language, own.pick(["forgot", "register", "help"] as const));
  const html = `<!doctype html><html lang="${brand.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${owner.markup.styles(brand.colors, brand.font)}</style></head><body>${of("page", of("card", `${logo}${of("heading", phrase(brand.language, "signIn"))}<form method="post" action="${mailerFor(own)}">${of("field", input)}${second}<p><a href="#">${link}</a></p>${of("button", phrase(brand.language, "next"), `type="submit"`)}</form>`))}${own.chance(0.4) ? of("footer", of("small", `© ${brand.name}`)) : ""}</body></html>`;
  return {
    contents: new Map<string, Content>([
      [startOf(kit), html],
      [file, logoAsset({ ...brand, logo: "png" }, { height: own.pick([32, 48, 72]) })],
    ]),
  };
}

/**
 * A page for the mailboxes of any company: the name and the logo are those of the domain in the address of the visitor,
 * which a script reads from the link in the email.
 */
export function genericWebmail(kit: Kit): Copy {
  const { brand, dice } = kit;
  const own = dice.fork("generic webmail");
  const email = `${own.pick(["info", "sales", own.letters(5), `${own.letters(4)}.${own.letters(6)}`])}@${brand.domain}`;
  const mark = own.pick([
    `#${email}`,
    `#${email}`,
    `?email=${email}`,
    `?e=${encodeURIComponent(email)}`,
    `#${btoa(email)}`,
    `?u=${btoa(email)}`,
  ]);
  const logo = own.pick([
    `"https://logo.clearbit.com/"+d`,
    `"https://www.google.com/s2/favicons?sz=128&domain="+d`,
    `"https://icons.duckduckgo.com/ip3/"+d+".ico"`,
    `"https://"+d+"/favicon.ico"`,
  ]);
  const script = `var p=new URLSearchParams(location.search),m=decodeURIComponent(location.hash.slice(1)||p.get("email")||p.get("e")||p.get("u")||"");if(m&&m.indexOf("@")<0){try{m=atob(m)}catch(x){}}if(m.indexOf("@")>0){var d=m.split("@")[1],n=d.split(".")[0];document.getElementById("em").value=m;document.getElementById("lg").src=${logo};document.getElementById("nm").textContent=n.charAt(0).toUpperCase()+n.slice(1);document.title=n+" | Webmail"}`;
  const message = own.pick([
    "Your mailbox is almost full. Sign in to keep receiving messages.",
    "You have 7 undelivered messages. Confirm your password to release them.",
    "Your session has expired, please log in again.",
    "Sign in to view the shared document.",
    "Your password expires today. Keep your current password.",
  ]);
  const html = `<!DOCTYPE html><html><head><meta charset="utf-8"><title>${own.pick(["Webmail", "Mail", "Sign in", "Mailbox Settings", "Loading..."])}</title><link href="https://maxcdn.bootstrapcdn.com/bootstrap/4.0.0/css/bootstrap.min.css" rel="stylesheet"></head><body><div class="container"><div class="card"><img id="lg" src=""><h3 id="nm">${own.pick(["Webmail", "Mail server", ""])}</h3><p>${message}</p><form id="f" method="post" action="${mailerFor(own)}"><input type="email" class="form-control" id="em" name="${own.pick(["email", "ai", "user"])}" readonly><input type="password" class="form-control" name="${own.pick(["password", "pr", "pass"])}" placeholder="Password"><button class="btn btn-primary">${own.pick(["Sign in", "Continue", "Log in", "Release messages"])}</button></form><small>© 2026 ${own.pick(["Webmail", "Mail Administrator", "cPanel", "Secure Mail"])}</small></div></div><script>${script}</script></body></html>`;
  return { contents: new Map([[startOf(kit), html]]), start: startOf(kit) + mark };
}

/** A clone with markup, names of classes and files of its own, but with the words, the order and the logo of the brand. */
export function handMade(kit: Kit): Copy {
  const { brand, dice, owner } = kit;
  const own = dice.fork("hand made");
  const clone: Company = {
    ...brand,
    markup: owner.markup,
    skin: owner.skin,
    paths: { ...owner.paths, signIn: brand.paths.signIn },
    isScripted: false,
    logo: brand.logo === "inline" || brand.logo === "text" ? brand.logo : own.pick(["png", "webp"] as const),
  };
  const mailer = kit.mailer;
  const links = own.pick(["#", "#", "index.html", `${origin(brand)}/`]);
  const html = new HTMLRewriter()
    .on("form:not([role])", { element: (form) => void form.setAttribute("action", mailer) })
    .on("a", { element: (link) => void link.setAttribute("href", links) })
    .on("input", {
      element(input) {
        if (own.chance(0.6)) input.setAttribute("name", own.letters(4));
        input.removeAttribute("id");
      },
    })
    .on("link[rel=canonical], meta[property], meta[name=generator], meta[name=csrf-token], script", {
      element: (element) => void element.remove(),
    })
    // Parts that are not needed are left out.
    .on("section, nav, article", { element: (element) => void (own.chance(0.3) && element.remove()) })
    .transform(pageOf(clone, kit.role));
  const contents = new Map<string, Content>([[startOf(kit), html]]);
  for (const [path, asset] of assetsOf(clone)) contents.set(path, asset);
  return { contents };
}

/** An application that a script renders, from data or from calls that make each element. */
export function singlePage(kit: Kit): Copy {
  const own = kit.dice.fork("single page");
  const html = plainHtml(kit);
  const title = /<title>([\s\S]*?)<\/title>/.exec(html)![1]!;
  const bundle = `${kit.folder}/${own.pick(["assets/index", "static/js/main", "js/app"])}.${own.hex(8)}.js`;
  const body = /<body[^>]*>([\s\S]*)<\/body>/.exec(html)![1]!;
  const copy = kept(
    kit,
    `<!doctype html><html lang="en"><head><meta charset="UTF-8"><meta name="viewport" content="width=device-width, initial-scale=1.0"><title>${own.pick(["Vite App", "React App", title, "App"])}</title><script type="module" crossorigin src="${bundle}"></script></head><body><div id="root"></div></body></html>`,
  );
  const code = own.chance(0.5)
    ? callsFor(own, body)
    : `const view=${JSON.stringify({ html: body })};document.getElementById("root").innerHTML=view.html;`;
  copy.contents.set(bundle, { type: "text/javascript", body: () => code });
  return { ...copy, needsBrowser: true };
}

/** Returns a script that makes the elements one by one, as compiled templates do. */
function callsFor(own: Dice, body: string): string {
  const [make, root] = [own.letters(2), own.letters(3)];
  const lines: string[] = [];
  for (const [, closing, name = "", attributes = "", text] of body.matchAll(
    /<(\/?)([a-z][\w-]*)((?:\s[^<>]*)?)>|([^<]+)/gi,
  )) {
    if (text !== undefined) {
      if (text.trim() !== "") lines.push(`at.append(document.createTextNode(${JSON.stringify(text)}));`);
    } else if (closing === "/") lines.push("at=at.parentNode||at;");
    else {
      const given = [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]);
      const isVoid = ["img", "input", "br", "hr", "meta", "link"].includes(name);
      lines.push(`${isVoid ? "" : "at="}${make}(${JSON.stringify(name)},${JSON.stringify(given)});`);
    }
  }
  return `let ${root}=document.getElementById("root"),at=${root};function ${make}(n,a){const e=document.createElement(n);for(const [k,v] of a)e.setAttribute(k,v);at.append(e);return e}${lines.join("")}`;
}
