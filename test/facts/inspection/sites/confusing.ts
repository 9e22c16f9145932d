import { logoAsset, logoExtension, makeCompany, type Company } from "./companies.ts";
import { formMarkup, origin, pageOf, type PageRole } from "./pages.ts";
import { brandPicture, linkTo, logoAddress, mentions, type Harmless, type Setting } from "./setting.ts";
import { noun, paragraph, person, phrase, sentence } from "./words.ts";

// Harmless sites that have much in common with copies.

/** A portal of a partner that shows both names, and where one signs in. */
export function partnerSignIn(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const { of } = owner.markup;
  const picture = brandPicture(setting);
  const text = dice.pick([
    `${owner.name} is an official partner of ${brand.name}.`,
    `Manage your ${brand.name} contracts with ${owner.name}.`,
    `Portal of ${owner.name} for customers of ${brand.name}.`,
  ]);
  const button = of(
    "link",
    `Continue with ${brand.name}`,
    `href="${origin(brand)}/oauth2/authorize?client_id=${dice.hex(10)}"`,
  );
  return {
    main: `${picture.markup}${of("title", dice.pick([`${owner.name} partner portal`, `${brand.name} partner portal of ${owner.name}`]))}${of("text", text)}${formMarkup(owner, "sign_in")}${dice.chance(0.6) ? button : ""}`,
    title: dice.pick([`${owner.name} - ${brand.name} partner portal`, `Sign in | ${owner.name}`]),
    contents: picture.contents,
  };
}

/** The sign-in page of another company that uses the same software, with the same words and only another name and logo. */
export function sameSoftware({ dice, owner, brand }: Setting): Harmless {
  const twin: Company = {
    ...brand,
    name: owner.name,
    label: owner.label,
    domain: owner.domain,
    mark: owner.mark,
    colors: dice.chance(0.7) ? owner.colors : brand.colors,
    logo: brand.logo,
    isScripted: false,
  };
  return { owner: twin, role: dice.pick(["sign_in", "sign_in", "sign_in", "payment"] as const) };
}

/** The page on which the brand reports outages, at a company that runs such pages. */
export function hostedStatus(setting: Setting): Harmless {
  const { brand, dice } = setting;
  const picture = brandPicture(setting);
  const parts = dice
    .some(["Website", "Mobile app", "Sign-in", "Payments", "API", "Messages"], 4)
    .map((part) => `<div class="component"><span>${part}</span> <span>Operational</span></div>`)
    .join("");
  const html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${brand.name} Status</title></head><body class="status index"><div class="masthead"><a href="${origin(brand)}">${picture.markup}</a></div><form action="/subscriptions" method="post"><input type="email" name="email" placeholder="Email address"><button>Subscribe to updates</button></form><h2>All systems operational</h2>${parts}<h3>Past incidents</h3><p>${sentence(dice)}</p><p>${sentence(dice)}</p><footer><a href="/history">History</a> <a href="https://www.${dice.fork("service").letters(6)}status.com">Powered by ${dice.letters(6)}status</a></footer></body></html>`;
  return { html, contents: picture.contents };
}

export function wiki(setting: Setting): Harmless {
  const { brand, dice } = setting;
  const name = dice.pick(["Wiki", "Encyclopedia", "Lexicon", "Handbook"]);
  const picture = brandPicture(setting);
  const rows = [
    ["Industry", brand.kind],
    ["Founded", String(dice.between(1900, 2015))],
    ["Key people", person(dice)],
    ["Website", linkTo(brand, brand.domain)],
  ]
    .map(([key, value]) => `<tr><th>${key}</th><td>${value}</td></tr>`)
    .join("");
  const html = `<!DOCTYPE html><html lang="en" class="client-nojs"><head><meta charset="utf-8"><title>${brand.name} - ${name}</title></head><body class="mediawiki"><div id="mw-head"><a href="/index.php?title=Special:UserLogin">Log in</a> <a href="/index.php?title=Special:CreateAccount">Create account</a><form action="/index.php"><input type="search" name="search"></form></div><div id="content"><h1>${brand.name}</h1><table class="infobox"><tr><td>${picture.markup}</td></tr>${rows}</table>${mentions(setting, dice.between(3, 8))}<h2>History</h2>${mentions(setting, 3)}<h2>References</h2><ol><li><a href="https://news.example/${dice.letters(6)}">${sentence(dice)}</a></li></ol></div></body></html>`;
  return { html, contents: picture.contents };
}

/** A site with reviews of the brand, where one signs in to write one. */
export function reviewSignIn(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const { of } = owner.markup;
  const picture = brandPicture(setting);
  const reviews = Array.from({ length: dice.between(3, 8) }, () =>
    of(
      "card",
      `${of("meta", person(dice))}${"★".repeat(dice.between(1, 5))}${of("text", dice.pick([`${brand.name} never answered me.`, `Quick help from ${brand.name}.`, `I closed my ${brand.name} account.`, sentence(dice)]))}`,
    ),
  ).join("\n");
  const form = `<form action="/login" method="post"><h3>Sign in to write a review</h3><input type="email" name="email" placeholder="Email"><input type="password" name="password" placeholder="Password"><button>Sign in</button></form>`;
  return {
    main: `${picture.markup}${of("title", `${brand.name} reviews`)}${of("text", `${dice.between(1, 4)}.${dice.below(10)} of 5, ${dice.between(30, 9_000)} reviews`)}${reviews}${form}`,
    title: dice.pick([`${brand.name} reviews | ${owner.name}`, `Read customer reviews of ${brand.name}`]),
    contents: picture.contents,
  };
}

/** A checkout with badges of payment methods, which often come from the brand. */
export function paymentBadges(setting: Setting): Harmless {
  const { owner, brand, others, dice } = setting;
  const { of } = owner.markup;
  const shown = [
    brand,
    ...dice.some(
      others.filter((one) => one !== brand),
      4,
    ),
  ];
  const badges = shown
    .map(
      (one) =>
        `<img src="${dice.chance(0.5) ? logoAddress(one) : `/badges/${one.label}.${logoExtension(one)}`}" alt="${one.name}" height="24">`,
    )
    .join("");
  const role: PageRole = dice.pick(["payment", "sign_in"]);
  return {
    main: `${of("title", role === "payment" ? "Checkout" : phrase(owner.language, "signIn"))}${formMarkup(owner, role)}<div class="badges">${badges}</div>${of("small", `Pay safely with ${shown.map(({ name }) => name).join(", ")}`)}`,
    title: `${role === "payment" ? "Checkout" : phrase(owner.language, "signIn")} | ${owner.name}`,
    contents: shown.map((one) => [`/badges/${one.label}.${logoExtension(one)}`, logoAsset(one)]),
  };
}

/** A site of admirers or collectors, in the brand's colors and often with its name in front. */
export function fanSite(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const picture = brandPicture(setting);
  const name = `${brand.name} ${dice.pick(["Fans", "Fan Club", "Collectors", "Community", "Users Group", "Forum"])}`;
  const { of } = owner.markup;
  const fan: Company = {
    ...owner,
    name,
    label: name.toLowerCase().replace(/[^a-z0-9]/g, ""),
    colors: brand.colors,
    isScripted: false,
  };
  const form = dice.chance(0.6)
    ? `<form action="/ucp.php?mode=login" method="post"><input name="username" placeholder="Username"><input type="password" name="password" placeholder="Password"><button>Login</button></form>`
    : "";
  return {
    owner: fan,
    role: "article",
    main: `${picture.markup}${of("title", name)}${form}${of("text", `This is an unofficial site by fans of ${brand.name}. ${paragraph(dice, 2)}`)}${mentions({ ...setting, owner: fan }, dice.between(2, 5))}`,
    title: dice.pick([name, `${name} - Index page`]),
    contents: picture.contents,
    host: dice.chance(0.5) ? `${brand.label}-fans${dice.letters(3)}.com` : undefined,
  };
}

/** A security company shows a kit: a screenshot, its text and its source. */
export function vendorBlog(setting: Setting): Harmless {
  const { owner, brand, dice, screenshot } = setting;
  const { of } = owner.markup;
  const form = formMarkup(brand, "sign_in");
  const file = `/uploads/${dice.hex(6)}.png`;
  const source = pageOf({ ...brand, isScripted: false }, "sign_in")
    .slice(0, 3_000)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;");
  const quoted = form.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
  const indicators = Array.from(
    { length: dice.between(3, 9) },
    () => `${brand.label}-${dice.letters(5)}[.]${dice.pick(["com", "xyz", "top"])}`,
  ).join("<br>");
  const title = dice.pick([
    `Inside a phishing kit for ${brand.name}`,
    `Threat report: campaign against ${brand.name}`,
    `${brand.name} phishing kit analysis`,
  ]);
  return {
    main: of(
      "article",
      `${of("title", title)}<img src="${file}" alt="Fake ${brand.name} sign-in page">${of("text", `The kit copies the sign-in page of ${brand.name}. The page reads: “${quoted}”`)}<pre><code>${source}</code></pre>${of("text", `Stolen data is sent to a bot: <code>https://api.telegram.org/bot${dice.between(10_000, 99_999)}/sendMessage</code>. ${paragraph(dice, 3)}`)}${of("heading", "Indicators")}<p>${indicators}</p>${mentions(setting, 2)}`,
    ),
    title: `${title} | ${owner.name}`,
    contents: [
      [
        file,
        screenshot === undefined
          ? logoAsset({ ...brand, logo: "png" }, { height: 110 })
          : { type: "image/png", body: () => screenshot },
      ],
    ],
  };
}

/** A parked name whose owner sells advertisements for searches for the brand. */
export function parkedMention({ dice, owner, brand }: Setting): Harmless {
  const searches = [
    `${brand.name} login`,
    `${brand.name} customer service`,
    `${brand.name} account`,
    `${brand.name} app`,
    `Best ${noun(dice)}`,
    `${brand.name} sign in online`,
  ]
    .map((text) => `<li><a href="/s?q=${encodeURIComponent(text)}">${text}</a></li>`)
    .join("");
  const name = dice.chance(0.5) ? `${brand.label}${dice.letters(2)}.com` : owner.domain;
  return {
    html: `<!DOCTYPE html><html><head><title>${name}</title></head><body><h1>${name}</h1><h2>Related searches</h2><ul>${searches}</ul><form action="/s"><input name="q"><button>Search</button></form><footer>This domain may be for sale. <a href="/privacy">Privacy</a></footer></body></html>`,
  };
}

/** The host says that there is no such page, and often repeats the address. */
export function notFound({ dice, owner, brand }: Setting): Harmless {
  const asked = `/${brand.label}/${dice.pick(["login", "signin", "account.html", "index.php"])}`;
  const html = dice.pick([
    `<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1><p>The requested URL ${asked} was not found on this server.</p><hr><address>Apache Server at ${owner.domain} Port 80</address></body></html>`,
    `<!DOCTYPE html><html><head><title>Site not found</title></head><body><h1>404</h1><p>There isn't a site here. If you own it, sign in to publish it.</p><a href="/login">Sign in</a></body></html>`,
    `<!DOCTYPE html><html><head><title>Account suspended</title></head><body><h1>This account has been suspended</h1><p>Contact your hosting provider for more information.</p></body></html>`,
    `<!DOCTYPE html><html><head><title>Warning: suspected phishing</title></head><body><h1>This page was blocked</h1><p>The page ${asked} was reported because it imitated ${brand.name}.</p><a href="${origin(brand)}">Go to ${brand.name}</a></body></html>`,
  ]);
  return { html, status: dice.pick([200, 404, 404, 410]) };
}

/** A page of a company that sends newsletters for the brand, opened from a link in an email. */
export function unsubscribe(setting: Setting): Harmless {
  const { brand, dice } = setting;
  const picture = brandPicture(setting);
  const sender = makeCompany(dice.fork("sender"), { kind: "saas", language: "en", skins: ["plain"] });
  const html = `<!DOCTYPE html><html><head><meta charset="utf-8"><title>${dice.pick(["Unsubscribe", "Email preferences", `${brand.name} newsletter`])}</title></head><body><div class="box">${picture.markup}<h2>${dice.pick(["Unsubscribe", "Manage your email preferences"])}</h2><form action="/unsubscribe" method="post"><input type="email" name="email" value="${dice.letters(5)}@${dice.letters(6)}.com"><label><input type="checkbox"> News from ${brand.name}</label><label><input type="checkbox"> Offers</label><button>Save</button></form><p>You receive these emails because you subscribed at ${linkTo(brand, brand.domain)}.</p><footer>Sent with ${linkTo(sender)}</footer></div></body></html>`;
  return { html, contents: picture.contents };
}

/** A questionnaire of the brand at a company that runs such pages. */
export function survey(setting: Setting): Harmless {
  const { brand, dice, owner } = setting;
  const picture = brandPicture(setting);
  const questions = [
    `How satisfied are you with ${brand.name}?`,
    `How likely are you to recommend ${brand.name}?`,
    `What can ${brand.name} do better?`,
  ]
    .map(
      (text, at) =>
        `<div class="question"><p>${text}</p><input type="radio" name="q${at}"> 1 <input type="radio" name="q${at}"> 2 <input type="radio" name="q${at}"> 3</div>`,
    )
    .join("");
  const contact = dice.chance(0.4)
    ? `<input name="name" placeholder="Name"><input type="email" name="email" placeholder="Email">`
    : "";
  const html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${brand.name} customer survey</title><meta property="og:site_name" content="${owner.name}"></head><body>${picture.markup}<h1>${brand.name} customer survey</h1><p>It takes ${dice.between(2, 9)} minutes. ${sentence(dice)}</p><form action="/r/${dice.hex(6)}" method="post">${questions}<textarea name="text"></textarea>${contact}<button>Done</button></form><footer>Powered by <a href="https://www.${owner.domain}/">${owner.name}</a>. <a href="https://www.${owner.domain}/privacy">Privacy</a></footer></body></html>`;
  return { html, contents: picture.contents };
}

/** A company sells tickets for a conference of the brand. */
export function event(setting: Setting): Harmless {
  const { owner, brand, dice } = setting;
  const { of } = owner.markup;
  const picture = brandPicture(setting);
  const name = `${brand.name} ${dice.pick(["Summit", "Conference", "User Day", "Open Day"])} 2026`;
  const form = `<form action="/register" method="post"><input name="name" placeholder="Name"><input type="email" name="email" placeholder="Email"><input name="company" placeholder="Company">${dice.chance(0.4) ? `<input name="cardnumber" placeholder="Card number"><input name="cvc" placeholder="CVC">` : ""}<button>Register</button></form>`;
  return {
    main: `${picture.markup}${of("title", name)}${of("text", `${dice.between(1, 28)} November 2026, ${paragraph(dice, 2)}`)}${form}${of("small", `Organizer: ${linkTo(brand)}`)}`,
    title: dice.pick([`${name} | ${owner.name}`, `${name} Tickets`]),
    contents: picture.contents,
  };
}
