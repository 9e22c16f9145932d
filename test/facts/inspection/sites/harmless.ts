import {
  logoAsset,
  logoExtension,
  makeCompany,
  companyKinds,
  type Asset,
  type Company,
} from "./companies.ts";
import {
  event,
  fanSite,
  hostedStatus,
  notFound,
  parkedMention,
  partnerSignIn,
  paymentBadges,
  reviewSignIn,
  sameSoftware,
  survey,
  unsubscribe,
  vendorBlog,
  wiki,
} from "./confusing.ts";
import type { Dice } from "./dice.ts";
import { blank, paint, pngOf, write } from "./drawing.ts";
import { companyHost, fileName, folder, freeHost, ordinaryHost } from "./hosts.ts";
import { servers } from "./kit.ts";
import { encodings } from "./obfuscation.ts";
import { assetsOf, formMarkup, origin, pageOf, pathOf } from "./pages.ts";
import { brandPicture, linkTo, logoAddress, mentions, type Harmless, type Setting } from "./setting.ts";
import { responder, type Content, type Site } from "./site.ts";
import type { SkinName } from "./skins.ts";
import { headline, noun, paragraph, person, sentence } from "./words.ts";

/** Classes of harmless sites with their shares. */
const classes: Record<string, { share: number; make: (setting: Setting) => Harmless }> = {
  news: { share: 6, make: news },
  awareness: { share: 4, make: awareness },
  guide: { share: 3, make: guide },
  partner: { share: 4, make: partner },
  reseller: { share: 4, make: reseller },
  shop_payment: { share: 5, make: shopPayment },
  sign_in_with: { share: 5, make: signInWith },
  powered_by: { share: 2, make: poweredBy },
  forum: { share: 4, make: forum },
  job_ad: { share: 3, make: jobAd },
  review: { share: 4, make: review },
  documentation: { share: 3, make: documentation },
  directory: { share: 3, make: directory },
  status_page: { share: 2, make: statusPage },
  app_listing: { share: 2, make: appListing },
  link_list: { share: 3, make: linkList },
  search_results: { share: 3, make: searchResults },
  link_preview: { share: 2, make: linkPreview },
  parked: { share: 4, make: parked },
  default_page: { share: 4, make: defaultPage },
  software_sign_in: { share: 4, make: softwareSignIn },
  picture_page: { share: 2, make: picturePage },
  empty: { share: 1, make: () => ({ html: "<html><head></head><body></body></html>", isUnrelated: true }) },
  error: { share: 2, make: errorPage },
  challenge: { share: 2, make: challenge },
  same_template: { share: 5, make: sameTemplate },
  similar_name: { share: 4, make: similarName },
  own_pages: { share: 4, make: ownPages },
  partner_sign_in: { share: 3, make: partnerSignIn },
  same_software: { share: 4, make: sameSoftware },
  hosted_status: { share: 2, make: hostedStatus },
  wiki: { share: 2, make: wiki },
  review_sign_in: { share: 3, make: reviewSignIn },
  payment_badges: { share: 3, make: paymentBadges },
  fan_site: { share: 3, make: fanSite },
  vendor_blog: { share: 3, make: vendorBlog },
  parked_mention: { share: 3, make: parkedMention },
  not_found: { share: 3, make: notFound },
  unsubscribe: { share: 2, make: unsubscribe },
  survey: { share: 2, make: survey },
  event: { share: 2, make: event },
  ordinary_sign_in: { share: 8, make: () => ({ role: "sign_in", isUnrelated: true }) },
  ordinary_payment: { share: 4, make: () => ({ role: "payment", isUnrelated: true }) },
  ordinary_home: { share: 6, make: () => ({ role: "home", isUnrelated: true }) },
  ordinary_article: { share: 4, make: () => ({ role: "article", isUnrelated: true }) },
};
export const harmlessClasses: Record<string, number> = Object.fromEntries(
  Object.entries(classes).map(([name, { share }]) => [name, share]),
);

export function makeHarmless(
  dice: Dice,
  {
    name,
    brand,
    others,
    index,
    skins,
    screenshot,
  }: {
    name: string;
    brand: Company;
    others: readonly Company[];
    index: number;
    skins: readonly SkinName[];
    screenshot: (domain: string) => Uint8Array<ArrayBuffer> | undefined;
  },
): Site {
  const kind = dice.fork("kind").pick(companyKinds);
  const language = dice.fork("language").chance(0.5)
    ? brand.language
    : dice.fork("other language").pick(["en", "de", "fr", "es"] as const);
  const hostDice = dice.fork("host");
  const host = hostDice.chance(0.15) ? freeHost(hostDice, index) : ordinaryHost(hostDice, index);
  const someone = otherCompany(dice, { kind, language, skins, others });
  // Half of the owners have a name that belongs to their host, as real ones do.
  const owner = {
    ...someone,
    domain: dice.fork("owned").chance(0.6) ? someone.domain : host.replace(/^www\./, ""),
  };
  const setting: Setting = { dice, owner, brand, others, screenshot: screenshot(brand.domain) };
  const page = classes[name]!.make(setting);
  const shownAt =
    page.host ??
    (page.owner !== undefined || owner.domain === someone.domain
      ? companyHost(dice, { domain: (page.owner ?? owner).domain, index })
      : host);
  const company = page.owner ?? { ...owner, domain: shownAt.replace(/^www\./, "") };
  const secure = dice.fork("scheme").chance(0.7);
  const words = [noun(dice), noun(dice), dice.letters(6), "login", "account"];
  // Articles and shops have the name of what they are about in the address.
  if (page.title?.includes(brand.name) === true && dice.fork("address").chance(0.35))
    words.splice(0, 5, brand.label, `${brand.label}-${noun(dice)}`, `${noun(dice)}-${brand.label}`);
  const path =
    page.role !== undefined && page.role !== "home"
      ? pathOf(company, page.role)
      : `${folder(dice)}/${fileName(dice, words)}`;
  const visit = visitOf(dice.fork("visit"), { path, brand, host: shownAt });
  return {
    host: shownAt,
    aliases: visit.alias === undefined ? [] : [visit.alias],
    class: name,
    kind: "harmless",
    protectedDomain: page.isUnrelated === true ? "" : brand.domain,
    start: `${secure ? "https" : "http"}://${visit.alias ?? shownAt}${visit.path}`,
    needsBrowser: page.needsBrowser ?? false,
    respond: responder(() => {
      const { main, title, status } = page;
      const options = { ...(main === undefined ? {} : { main }), ...(title === undefined ? {} : { title }) };
      const made = page.html ?? pageOf(company, page.role ?? "article", options);
      const html =
        page.owner === undefined && dice.fork("unfinished").chance(0.1) ? withDeadLinks(made) : made;
      const shown: Content =
        status === undefined
          ? html
          : () => new Response(html, { status, headers: { "content-type": "text/html" } });
      return new Map<string, Content>([
        ...(page.html === undefined ? assetsOf(company) : []),
        ...(visit.alias === undefined
          ? []
          : [[visit.path, { location: `http://${shownAt}${path}` }] as [string, Content]]),
        [path, shown],
        ...(page.contents ?? []),
      ]);
    }, dice.fork("server").pick(servers)),
  };
}

/** Returns a company that has not by chance the name of one of the others: nobody could tell its pages from copies. */
function otherCompany(
  dice: Dice,
  { others, ...options }: Parameters<typeof makeCompany>[1] & { others: readonly Company[] },
): Company {
  for (let attempt = 0; ; attempt++) {
    const company = makeCompany(dice.fork(`owner${attempt === 0 ? "" : ` ${attempt}`}`), options);
    if (!others.some(({ name, label }) => name === company.name || label === company.label)) return company;
  }
}

/**
 * Returns how a visitor comes to a site: a few follow an address of another host that leads on, or a link in an email to
 * somebody of the brand, which often contains the address of the recipient.
 */
function visitOf(
  dice: Dice,
  { path, brand, host }: { path: string; brand: Company; host: string },
): { alias?: string; path: string } {
  if (dice.chance(0.05)) {
    const alias = `${dice.pick(["go", "link", "click"])}.${dice.letters(3)}${host.replace(/\W/g, "").slice(-14)}.link`;
    return { alias, path: `/${dice.letters(7)}` };
  }
  const email = `${dice.letters(5)}@${brand.domain}`;
  if (dice.chance(0.03)) return { path: `${path}?${dice.pick(["email", "e", "user"])}=${email}` };
  if (dice.chance(0.02)) return { path: `${path}?utm_source=mail&u=${btoa(email)}` };
  return { path };
}

/** Returns a page of a site that is not finished: links to its own pages lead nowhere yet. */
function withDeadLinks(html: string): string {
  return new HTMLRewriter()
    .on("a", {
      element: (link) =>
        void (link.getAttribute("href")?.startsWith("/") === true && link.setAttribute("href", "#")),
    })
    .transform(html);
}

function news(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const { of } = owner.markup;
  const title = dice.pick([
    `${brand.name} raises prices for its customers`,
    `${brand.name}: outage of online services`,
    `What the ${brand.name} merger means for you`,
    `${brand.name} warns of phishing`,
    `Regulator fines ${brand.name}`,
  ]);
  const picture = dice.chance(0.5) ? brandPicture(setting) : { markup: "", contents: [] };
  const main = of(
    "article",
    `${of("title", title)}${of("meta", `${person(dice)}, ${dice.between(1, 28)}.11.2026`)}${picture.markup}${mentions(setting, dice.between(3, 8))}`,
  );
  return { main, title: `${title} | ${owner.name}`, contents: picture.contents };
}

function awareness(setting: Setting): Harmless {
  const { owner, brand, dice, screenshot: taken } = setting;
  const { of } = owner.markup;
  const title = dice.pick([
    `Beware of fake ${brand.name} emails`,
    `${brand.name} phishing: how to recognize it`,
    `Fake ${brand.name} sign-in page steals passwords`,
  ]);
  const file = `/uploads/${brand.label}-screenshot.png`;
  const texts = [
    `The message claims that your ${brand.name} account is limited and asks you to enter your password and card number.`,
    `The link leads to a page that looks exactly like the sign-in page of ${brand.name}.`,
    `The real address of ${brand.name} is ${linkTo(brand, brand.domain)}. Never enter a one-time code on another page.`,
    `If you entered your details, change your password and call ${brand.name} at once.`,
  ];
  const main = of(
    "article",
    `${of("title", title)}<img src="${file}" alt="Screenshot of the fake page">${dice
      .some(texts, 3)
      .map((text) => of("text", `${text} ${sentence(dice)}`))
      .join("\n")}${mentions(setting, 2)}`,
  );
  const drawn = logoAsset({ ...brand, logo: "png" }, { height: 120 });
  const screenshot: Asset = taken === undefined ? drawn : { type: "image/png", body: () => taken };
  return { main, title: `${title} - ${owner.name}`, contents: [[file, screenshot]] };
}

function guide(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const { of } = owner.markup;
  const title = dice.pick([
    `How to log in to ${brand.name}`,
    `${brand.name} login: step by step`,
    `${brand.name} account: all you need to know`,
  ]);
  const steps = [
    `Go to ${linkTo(brand, brand.domain)} and choose sign in.`,
    "Enter your username and your password.",
    "Confirm with the code on your phone.",
    `If you forgot your password, ${brand.name} sends a link to your email address.`,
  ];
  const main = of(
    "article",
    `${of("title", title)}${of("list", steps.map((step) => of("item", step)).join(""))}${mentions(setting, dice.between(2, 4))}`,
  );
  return { main, title };
}

function partner(setting: Setting): Harmless {
  const { owner, brand, others, dice } = setting;
  const { of } = owner.markup;
  const listed = dice.some([...others.filter((one) => one !== brand), brand], 6);
  const shown = [...listed.filter((one) => one !== brand), brand];
  const logos = shown
    .map((one) =>
      of(
        "card",
        `<a href="${origin(one)}/"><img src="/partners/${one.label}.${logoExtension(one)}" alt="${one.name}"></a>`,
      ),
    )
    .join("\n");
  const main = `${of("hero", `${of("title", `Our partners`)}${of("text", paragraph(dice, 3, { brand: owner.name, topic: owner.kind }))}`)}${of("section", of("grid", logos))}${of("text", paragraph(dice, 3))}`;
  return {
    main,
    title: `Partners - ${owner.name}`,
    contents: shown.map((one) => [`/partners/${one.label}.${logoExtension(one)}`, logoAsset(one)]),
  };
}

function reseller(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const { of } = owner.markup;
  const picture = brandPicture(setting);
  const products = Array.from({ length: dice.between(3, 6) }, () =>
    of(
      "card",
      `${of("heading", `${brand.name} ${noun(dice)}`)}${of("text", sentence(dice))}<b>${dice.between(5, 400)}.00</b>${of("button", "Add to cart")}`,
    ),
  ).join("\n");
  const main = `${of("title", `${brand.name} at ${owner.name}`)}${picture.markup}${of("text", `${owner.name} is an authorized dealer of ${brand.name}. ${paragraph(dice, 2)}`)}${of("section", of("grid", products))}`;
  return { main, title: `${brand.name} - buy online at ${owner.name}`, contents: picture.contents };
}

function shopPayment(setting: Setting): Harmless {
  const { owner, brand, others, dice } = setting;
  const { of } = owner.markup;
  const picture = brandPicture(setting);
  const methods = [
    brand,
    ...dice.some(
      others.filter((one) => one !== brand),
      dice.below(3),
    ),
  ]
    .map((one) =>
      of("item", `<input type="radio" name="method"> ${one === brand ? picture.markup : ""} ${one.name}`),
    )
    .join("\n");
  const isCheckout = dice.chance(0.6);
  const main = isCheckout
    ? `${of("title", "Checkout")}${of("list", methods)}${formMarkup(owner, "payment")}${of("text", `With ${brand.name} you are redirected to ${brand.domain}.`)}`
    : `${of("title", "Payment methods")}${of("text", `We accept ${brand.name}, cards and bank transfer. ${paragraph(dice, 2)}`)}${of("list", methods)}${formMarkup(owner, "sign_in")}`;
  return {
    main,
    title: `${isCheckout ? "Checkout" : "Payment"} - ${owner.name}`,
    contents: picture.contents,
  };
}

function signInWith(setting: Setting): Harmless {
  const { owner, brand, others, dice } = setting;
  const { of } = owner.markup;
  const offered = [
    brand,
    ...dice.some(
      others.filter((one) => one !== brand),
      dice.between(0, 2),
    ),
  ];
  const links = offered.map((one) =>
    of(
      "link",
      `<img src="${dice.chance(0.3) ? logoAddress(one) : `/sso/${one.label}.${logoExtension(one)}`}" alt="" height="20"> Sign in with ${one.name}`,
      `href="${origin(one)}/oauth/authorize?client_id=${dice.hex(12)}&amp;redirect_uri=https%3A%2F%2F${owner.domain}%2Fcallback"`,
    ),
  );
  return {
    main: `${formMarkup(owner, "sign_in")}${links.join("\n")}`,
    title: `Sign in - ${owner.name}`,
    contents: offered.map((one) => [`/sso/${one.label}.${logoExtension(one)}`, logoAsset(one)]),
  };
}

/** A company's own sign-in page that a service of the brand runs for it. */
function poweredBy(setting: Setting): Harmless {
  const { owner, brand } = setting;
  const { of } = owner.markup;
  const script = `<script src="${origin(brand)}/widget/v2/embed.js"></script><link rel="stylesheet" href="${origin(brand)}/widget/v2/embed.css">`;
  return {
    main: `${formMarkup(owner, "sign_in")}${of("small", `Powered by ${linkTo(brand)}`)}${script}`,
    title: `${owner.name} - Sign in`,
  };
}

function forum(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const { of } = owner.markup;
  const title = dice.pick([
    `Can't log in to ${brand.name}`,
    `${brand.name} charged me twice`,
    `Is ${brand.name} down?`,
    `${brand.name} customer service experience`,
  ]);
  const posts = Array.from({ length: dice.between(3, 8) }, () =>
    of(
      "card",
      `${of("meta", `${dice.letters(7)}, ${dice.between(1, 28)} Nov`)}${of("text", `${dice.pick([`I had the same problem with ${brand.name}.`, `Call ${brand.name} and ask for a ${noun(dice)}.`, "Same here.", `Try ${linkTo(brand, `${brand.domain}/help`)}.`])} ${sentence(dice)}`)}`,
    ),
  ).join("\n");
  const box = dice.chance(0.6)
    ? `<form action="/ucp.php?mode=login" method="post"><input name="username" placeholder="Username"><input type="password" name="password" placeholder="Password"><button>Login</button></form>`
    : "";
  return { main: `${box}${of("title", title)}${posts}`, title: `${title} - ${owner.name} forum` };
}

function jobAd(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const { of } = owner.markup;
  const job = dice.pick(["Software engineer", "Branch manager", "Accountant", "Driver", "Data analyst"]);
  const picture = brandPicture(setting);
  const form = `<form action="${dice.pick(["/apply", "/apply.php", "/send.php", "/submit.php", "process.php"])}" method="post"><label>Name<input name="name"></label><label>Email<input type="email" name="email"></label><label>Phone<input name="phone"></label><button>Apply</button></form>`;
  return {
    main: `${picture.markup}${of("title", `${job} at ${brand.name}`)}${mentions(setting, 2)}${form}`,
    title: `${job} - ${brand.name} | ${owner.name} jobs`,
    contents: picture.contents,
  };
}

function review(setting: Setting): Harmless {
  const { owner, brand, others, dice } = setting;
  const { of } = owner.markup;
  const rival = dice.pick(others.filter((one) => one !== brand));
  const title = dice.pick([
    `${brand.name} vs ${rival.name}: which is better?`,
    `${brand.name} review 2026`,
    `The best alternatives to ${brand.name}`,
  ]);
  const rows = [brand, rival, ...dice.some(others, 2)]
    .map(
      (one) =>
        `<tr><td><img src="/img/${one.label}.${logoExtension(one)}" alt="${one.name}" height="24"></td><td>${linkTo(one)}</td><td>${dice.between(2, 5)}/5</td></tr>`,
    )
    .join("");
  const files = [brand, rival].map((one): [string, Content] => [
    `/img/${one.label}.${logoExtension(one)}`,
    logoAsset(one),
  ]);
  return {
    main: of(
      "article",
      `${of("title", title)}<table>${rows}</table>${mentions(setting, dice.between(3, 6))}`,
    ),
    title,
    contents: files,
  };
}

function documentation(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const { of } = owner.markup;
  const sample = `<form action="/login" method="post"><input type="email" name="email" placeholder="Email"><input type="password" name="password" placeholder="Password"><button>Log in</button></form>`;
  const main = of(
    "article",
    `${of("title", `Integrating ${brand.name}`)}${of("text", `Install the ${brand.name} client and set the key from ${linkTo(brand, "your dashboard")}. ${paragraph(dice, 2)}`)}<pre><code>import { Client } from "${brand.label}";\nconst client = new Client({ key: process.env.KEY });</code></pre>${of("heading", "Example form")}${sample}${of("text", paragraph(dice, 3))}`,
  );
  return { main, title: `${brand.name} integration - ${owner.name} docs` };
}

function directory(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const { of } = owner.markup;
  const branches = Array.from({ length: dice.between(3, 9) }, () =>
    of(
      "item",
      `${brand.name}, ${dice.between(1, 99)} ${person(dice).split(" ")[1]} Street, open 9-17, phone 0${dice.between(100_000, 999_999)}`,
    ),
  ).join("\n");
  return {
    main: `${of("title", `${brand.name} branches near you`)}${of("list", branches)}${of("text", paragraph(dice, 2))}${of("text", linkTo(brand, `Website of ${brand.name}`))}`,
    title: `${brand.name}: opening hours and addresses`,
  };
}

function statusPage(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const { of } = owner.markup;
  const picture = brandPicture(setting);
  const reports = Array.from({ length: 4 }, () =>
    of(
      "item",
      `${dice.between(0, 23)}:00 ${dice.between(1, 200)} reports: ${dice.pick(["sign-in", "app", "website", "payments"])}`,
    ),
  ).join("");
  return {
    main: `${of("title", `Is ${brand.name} down right now?`)}${picture.markup}${of("text", `User reports show no current problems at ${brand.name}. ${sentence(dice)}`)}${of("list", reports)}`,
    title: `${brand.name} down? Current status | ${owner.name}`,
    contents: picture.contents,
  };
}

function appListing(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const { of } = owner.markup;
  const picture = brandPicture(setting);
  return {
    main: `${picture.markup}${of("title", `${brand.name} Mobile`)}${of("text", `By ${brand.name}. ${dice.between(2, 5)}.${dice.below(10)} stars. ${paragraph(dice, 3, { brand: brand.name, topic: brand.kind })}`)}${of("button", "Install")}${of("heading", "Reviews")}${mentions(setting, 2)}`,
    title: `${brand.name} Mobile - Apps on ${owner.name}`,
    contents: picture.contents,
  };
}

function linkList(setting: Setting): Harmless {
  const { owner, brand, others, dice } = setting;
  const { of } = owner.markup;
  const items = dice
    .some([...others, brand], 12)
    .map((one) => of("item", `${linkTo(one)} - ${sentence(dice)}`))
    .join("\n");
  return {
    main: `${of("title", "Useful links")}${of("list", items)}${of("text", linkTo(brand))}`,
    title: `Links - ${owner.name}`,
  };
}

function searchResults(setting: Setting): Harmless {
  const { owner, brand, others, dice } = setting;
  const { of } = owner.markup;
  const query = dice.pick([`${brand.name} login`, brand.name, `${brand.name} contact`]);
  const results = [brand, ...dice.some(others, 4)]
    .map((one) =>
      of(
        "card",
        `${of("heading", linkTo(one, `${one.name} - ${headline(dice)}`))}${of("small", `${one.domain}${one.paths.signIn}`)}${of("text", sentence(dice, { brand: one.name, topic: one.kind }))}`,
      ),
    )
    .join("\n");
  return {
    main: `<form action="/search"><input name="q" value="${query}"><button>Search</button></form>${results}`,
    title: `${query} - ${owner.name} search`,
  };
}

function linkPreview(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const { of } = owner.markup;
  return {
    main: `${of("title", "You are leaving this site")}${of("text", `The link leads to ${linkTo(brand, origin(brand) + brand.paths.signIn)}. ${sentence(dice)}`)}${of("button", "Continue")}`,
    title: `Redirect notice - ${owner.name}`,
  };
}

function parked({ dice, owner }: Setting): Harmless {
  const name = owner.domain;
  const topics = Array.from(
    { length: 6 },
    () => `<li><a href="/${dice.letters(5)}">${noun(dice)} ${noun(dice)}</a></li>`,
  ).join("");
  const html = dice.pick([
    `<html><head><title>${name} is for sale</title></head><body><h1>${name}</h1><p>This domain may be for sale. <a href="https://www.${dice.letters(5)}-domains.com/buy?d=${name}">Make an offer</a></p></body></html>`,
    `<html><head><title>${name}</title></head><body><h2>Related searches</h2><ul>${topics}</ul><p>The domain is parked free of charge.</p></body></html>`,
    `<html><head><title>Coming soon</title></head><body><h1>Coming soon</h1><p>This site is under construction.</p></body></html>`,
  ]);
  return { html, isUnrelated: true };
}

/** A poster or a menu as one picture, sometimes with a form. */
function picturePage({ dice, owner }: Setting): Harmless {
  const poster: Asset = {
    type: "image/png",
    body() {
      const raster = blank(1000, 700, owner.colors.paper);
      paint(raster, owner.mark, dice.between(40, 600), dice.between(30, 300), dice.between(80, 300));
      for (const [line, text] of [owner.name, noun(dice), person(dice)].entries())
        write(raster, text, { left: 60, top: 420 + line * 80, height: 44, color: owner.colors.ink });
      return pngOf(raster);
    },
  };
  const form = dice.chance(0.4)
    ? `<form action="/${dice.pick([noun(dice), "login", "mail", "post"])}.php" method="post"><input type="email" name="email"><input type="password" name="password"><input type="submit"></form>`
    : "";
  const html = `<html><head><title>${dice.pick([owner.name, "Welcome", ""])}</title></head><body style="margin:0"><img src="/poster" style="max-width:100%">${form}</body></html>`;
  return { html, contents: [["/poster", poster]], isUnrelated: true, needsBrowser: true };
}

function defaultPage({ dice }: Setting): Harmless {
  const html = dice.pick([
    "<!DOCTYPE html><html><head><title>Welcome to nginx!</title></head><body><h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working. Further configuration is required.</p></body></html>",
    '<html><head><title>Apache2 Default Page: It works</title></head><body><div class="main_page"><div class="page_header"><span>Apache2 Default Page</span></div><p>This is the default welcome page used to test the correct operation of the Apache2 server.</p></div></body></html>',
    '<html><head><title>IIS Windows Server</title></head><body><a href="http://go.microsoft.com/fwlink/?linkid=66138"><img src="iisstart.png" alt="IIS"></a></body></html>',
    "<html><body><h1>It works!</h1></body></html>",
    '<html><head><title>Index of /</title></head><body><h1>Index of /</h1><ul><li><a href="backup/">backup/</a></li><li><a href="cgi-bin/">cgi-bin/</a></li></ul></body></html>',
    '<html lang="en"><head><title>Hello world! - My Blog</title><meta name="generator" content="WordPress 6.5.2"></head><body class="home blog"><h1 class="site-title">My Blog</h1><article class="post"><h2>Hello world!</h2><p>Welcome to WordPress. This is your first post. Edit or delete it, then start writing!</p></article></body></html>',
  ]);
  return { html, isUnrelated: true };
}

function softwareSignIn({ dice, owner }: Setting): Harmless {
  const form = (action: string, user: string, password: string, button: string) =>
    `<form method="post" action="${action}"><input name="${user}" type="text"><input name="${password}" type="password"><button type="submit">${button}</button></form>`;
  const [title, body] = dice.pick([
    [
      `Log In ‹ ${owner.name} — WordPress`,
      `<div id="login"><h1><a href="https://wordpress.org/">Powered by WordPress</a></h1>${form("/wp-login.php", "log", "pwd", "Log In")}<p id="nav"><a href="/wp-login.php?action=lostpassword">Lost your password?</a></p></div>`,
    ],
    [
      "Roundcube Webmail :: Welcome to Roundcube Webmail",
      `<div id="login-form">${form("./?_task=login", "_user", "_pass", "Login")}</div>`,
    ],
    [
      "cPanel Login",
      `<div id="login-wrapper"><p>Enter your email address and password</p>${form("/login/", "user", "pass", "Log in")}</div>`,
    ],
    [
      "phpMyAdmin",
      `<div class="container"><h1>Welcome to phpMyAdmin</h1>${form("index.php?route=/", "pma_username", "pma_password", "Log in")}</div>`,
    ],
    [
      "Router login",
      `<table><tr><td>Please log in to your router</td></tr><tr><td>${form("/cgi-bin/luci", "luci_username", "luci_password", "Login")}</td></tr></table>`,
    ],
    [
      `${owner.name} Moodle: Log in to the site`,
      `<div class="loginbox">${form("/login/index.php", "username", "password", "Log in")}<a href="/login/forgot_password.php">Lost password?</a></div>`,
    ],
  ] as const);
  return {
    html: `<!DOCTYPE html><html><head><title>${title}</title></head><body>${body}</body></html>`,
    isUnrelated: true,
  };
}

function errorPage({ dice }: Setting): Harmless {
  const [status, text] = dice.pick([
    [404, "Not Found"],
    [403, "Forbidden"],
    [500, "Internal Server Error"],
    [503, "Service Unavailable"],
    [410, "Gone"],
  ] as const);
  return {
    html: `<html><head><title>${status} ${text}</title></head><body><center><h1>${status} ${text}</h1></center><hr><center>nginx</center></body></html>`,
    status,
    isUnrelated: true,
  };
}

function challenge({ dice, owner }: Setting): Harmless {
  const inner = pageOf({ ...owner, isScripted: false }, dice.pick(["home", "sign_in", "article"] as const));
  const script = encodings[dice.pick(Object.keys(encodings) as (keyof typeof encodings)[])](inner, dice);
  const html = dice.chance(0.4)
    ? `<html><head><title>Just a moment...</title><meta http-equiv="refresh" content="360"></head><body><h1>Checking your browser</h1><noscript>Enable JavaScript and cookies to continue</noscript><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script></body></html>`
    : `<html><head></head><body><script>${script}</script></body></html>`;
  return { html, isUnrelated: true };
}

/** Another company with the same theme as the brand: same builder, same classes, often the same layout. */
function sameTemplate({ dice, owner, brand }: Setting): Harmless {
  const twin: Company = {
    ...owner,
    language: dice.chance(0.7) ? brand.language : owner.language,
    markup: brand.markup,
    skin: brand.skin,
    ...(dice.chance(0.5) ? { paths: brand.paths } : {}),
  };
  return { owner: twin, role: dice.pick(["sign_in", "sign_in", "payment", "home"] as const) };
}

function similarName({ dice, owner, brand }: Setting): Harmless {
  const like = makeCompany(dice.fork("similar"), {
    kind: dice.pick(["craft", "shop", "club"]),
    language: owner.language,
    skins: [owner.skin],
    like: brand,
  });
  return { owner: like, role: dice.pick(["home", "sign_in", "article"] as const) };
}

/** Pages of the brand's owner, on its domain or on a name that is allowed. */
function ownPages({ dice, brand }: Setting): Harmless {
  const host = dice.chance(0.6)
    ? `${dice.pick(["help", "signin", "m", "pay", "accounts", "beta"])}.${brand.domain}`
    : `${dice.pick(["www.", ""])}${allowedName(brand)}`;
  return { owner: { ...brand }, host, role: dice.pick(["sign_in", "payment", "home"] as const) };
}

/** A name on which the owner of a brand has pages, and which is allowed. */
export const allowedName = (brand: Company): string => `${brand.label}-services.com`;
