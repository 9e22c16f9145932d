import { describe, expect, test } from "bun:test";
import { assess, assessAll } from "../../../../src/facts/inspection/comparison/assess.ts";
import { fingerprintOf } from "../../../../src/facts/inspection/comparison/fingerprint.ts";
import { needsBrowser, waypointsOf } from "../../../../src/facts/inspection/comparison/further-looks.ts";
import type { PageView } from "../../../../src/facts/lookups/page/page-view.ts";
import { brandAddress, brandOf, passwordForm, seenPage, viewOf } from "./support.ts";

const signIn: Partial<PageView> = {
  title: "Examplebank – Log in to online banking",
  headings: ["Welcome to Examplebank"],
  text: "Welcome to Examplebank. Log in with the number on the back of your green card. Examplebank will never call you and ask for your secret word. Lost your card? Legal notice",
  elements: [
    "html",
    "body",
    "div.eb-page",
    "img.eb-logo",
    "h1.eb-title",
    "form.eb-form",
    "input.eb-field",
    "input.eb-field",
    "button.eb-go",
    "p.eb-note",
    "a",
    "a",
  ],
  links: [
    "https://www.examplebank.example/legal/terms-of-use",
    "https://www.examplebank.example/cards/lost-card",
  ],
  forms: [passwordForm("https://www.examplebank.example/session", "eb_secret")],
  pictures: [
    { role: "icon", url: "https://www.examplebank.example/icon.png", sha256: "aa", hash: "00ff00ff0f0f3c3c" },
    { role: "logo", url: "https://www.examplebank.example/logo.png", sha256: "bb", hash: "12345678abcdef01" },
  ],
};
const brand = brandOf(signIn);

describe("a page", () => {
  test("that is a copy of an original and sends what visitors enter elsewhere imitates the brand, with the reasons in order", () => {
    const copy = seenPage({
      ...signIn,
      addresses: ["https://orchids.example/x/"],
      forms: [passwordForm("https://orchids.example/x/send.php", "eb_secret")],
    });
    const verdict = assess({ page: copy, brand });
    expect(verdict).toMatchObject({
      protectedDomain: "examplebank.example",
      imitates: true,
      original: brandAddress,
    });
    expect(verdict.score).toBeGreaterThan(0.95);
    const points = verdict.signals.map((signal) => Math.abs(signal.points));
    expect(points).toEqual(points.toSorted((one, other) => other - one));
    expect(verdict.signals.map(({ code }) => code)).toContain("same_text");
  });

  test("that is a copy stays one if it calls itself something else where hardly a visitor looks", () => {
    const disguised = seenPage({
      ...signIn,
      addresses: ["https://orchids.example/x/"],
      title: "Orchids",
      siteName: "Orchids",
      canonical: "https://florist.example/",
      text: `${signIn.text} ${Array.from({ length: 400 }, (_, index) => `flower${index}`).join(" ")}`,
      links: [...signIn.links!, ..."abcdefghijklmnopqrst"].map((path) =>
        path.length > 1 ? path : `https://orchids.example/${path}`,
      ),
      forms: [passwordForm("https://orchids.example/x/send.php", "eb_secret")],
    });
    expect(assess({ page: disguised, brand }).imitates).toBe(true);
  });

  test("of the brand itself, below it, or of an allowed partner never imitates it, whatever it contains", () => {
    for (const host of ["examplebank.example", "login.examplebank.example", "shop.partner.example"]) {
      const verdict = assess({ page: seenPage({ ...signIn, addresses: [`https://${host}/login`] }), brand });
      expect(verdict).toMatchObject({
        score: 0,
        imitates: false,
        signals: [{ code: "own_page", points: 0 }],
      });
    }
    const close = assess({
      page: seenPage({ ...signIn, addresses: ["https://notpartner.example/login"] }),
      brand,
    });
    expect(close.imitates).toBe(true);
  });

  test("that names somebody else beside the brand in its title, and itself on the page, presents itself less as the brand", () => {
    const strengthOf = (title: string, text: string) =>
      assess({
        page: seenPage({ ...signIn, addresses: ["https://partner7.example/"], title, text }),
        brand,
      }).signals.find(({ code }) => code === "other_title")?.strength;
    const text = "Orchid Florists sells flowers and works with Examplebank. Log in to order.";
    expect(strengthOf("Examplebank partner | Orchid Florists", text)).toBeGreaterThan(0.4);
    expect(strengthOf("Examplebank partner | Orchid Florists", "Examplebank. Log in.")).toBeLessThan(0.4);
    for (const title of [
      "Examplebank | Confirmez votre identité",
      "Just a moment",
      "Potwierdź swoją tożsamość",
    ])
      expect([title, strengthOf(title, `${text} ${title}`)]).toEqual([title, undefined]);
  });

  test("that shows the logo instead of the name, or was copied from the brand's site for another country, is not taken for somebody else's", () => {
    const words = Array.from({ length: 30 }, (_, index) => `flower${index}`).join(" ");
    const codesOf = (parts: Partial<PageView>) =>
      assess({
        page: seenPage({ addresses: ["https://page.example/"], text: words, ...parts }),
        brand,
      }).signals.map(({ code }) => code);
    expect(codesOf({})).toContain("brand_missing");
    expect(codesOf({ pictures: signIn.pictures! })).not.toContain("brand_missing");
    expect(codesOf({ canonical: "https://template.example/" })).toContain("canonical_elsewhere");
    expect(codesOf({ canonical: "https://www.examplebank.com.au/" })).not.toContain("canonical_elsewhere");
  });

  test("that consists of a picture of an original imitates the brand, and one that writes about such a picture does not", () => {
    const pictured = brandOf(signIn);
    pictured.originals[0]!.fingerprint.screenshot = "1234567890abcdef";
    const imitates = (text: string) =>
      assess({
        page: seenPage({
          addresses: ["https://orchids.example/"],
          text,
          links: ["https://orchids.example/step2"],
          pictures: [
            { role: "picture", url: "https://orchids.example/s.jpg", sha256: "ee", hash: "1234567890abcdee" },
          ],
        }),
        brand: pictured,
      }).imitates;
    expect(imitates("")).toBe(true);
    expect(imitates(Array.from({ length: 80 }, (_, index) => `warning${index}`).join(" "))).toBe(false);
  });

  test("that reports on the brand, or accepts its payments, does not imitate it", () => {
    const story = Array.from({ length: 300 }, (_, index) => `story${index}`).join(" ");
    const news = seenPage({
      addresses: ["https://dailynews.example/economy/examplebank-fees"],
      title: "Examplebank raises its fees for accounts – Daily News",
      siteName: "Daily News",
      headings: ["Examplebank raises its fees for accounts"],
      text: `Daily News ${story} Examplebank said ${story} Examplebank`,
      links: [
        "https://www.examplebank.example/",
        ...Array.from({ length: 30 }, (_, index) => `https://dailynews.example/${index}`),
      ],
    });
    expect(assess({ page: news, brand }).imitates).toBe(false);
    const shop = seenPage({
      addresses: ["https://orchidshop.example/account/login"],
      title: "Orchidshop – Sign in",
      siteName: "Orchidshop",
      text: "Sign in to Orchidshop to see your orders. We accept Examplebank, cards and vouchers.",
      links: Array.from({ length: 20 }, (_, index) => `https://orchidshop.example/${index}`),
      forms: [passwordForm("https://orchidshop.example/session")],
      pictures: [{ role: "picture", url: null, sha256: "bb", hash: "12345678abcdef01" }],
    });
    expect(assess({ page: shop, brand }).imitates).toBe(false);
  });

  test("is compared with a brand of which no original is known by its names, links and forms", () => {
    const kit = seenPage({
      ...signIn,
      addresses: ["https://eb-secure.pages.dev/"],
      forms: [passwordForm("https://api.telegram.org/bot1:a/sendMessage")],
    });
    expect(assess({ page: kit, brand: brandOf(null) })).toMatchObject({ imitates: true, original: null });
  });

  test("is reported for the brands with which it has something in common, the most similar first", () => {
    const other = brandOf(
      { title: "Orchids" },
      { protectedDomain: "orchids.example", names: ["Orchids"], allow: [] },
    );
    const copy = seenPage({ ...signIn, addresses: ["https://page.example/x/"] });
    expect(
      assessAll({ page: copy, brands: [other, brand] }).map(({ protectedDomain }) => protectedDomain),
    ).toEqual(["examplebank.example"]);
    // The logo alone says whom a page is about, whatever the weight of a logo is.
    const [, logo] = signIn.pictures!;
    const shown = seenPage({ addresses: ["https://page.example/x/"], pictures: [logo!] });
    expect(assessAll({ page: shown, brands: [brand] })).toMatchObject([{ imitates: false }]);
  });

  test("with the title of a lure or of mail software does not present itself as somebody else, but an owner's name does", () => {
    const codesOf = (parts: Partial<PageView>) =>
      assess({
        page: seenPage({ addresses: ["https://page.example/"], ...parts }),
        brand,
      }).signals.map(({ code }) => code);
    for (const title of ["Congratulations, winner!", "Invoice.pdf", "Outlook"])
      expect(codesOf({ title })).not.toContain("other_title");
    expect(codesOf({ title: "Orchid Florists" })).toContain("other_title");
    expect(codesOf({ text: "Log in © 2026 Mail Administrator" })).not.toContain("other_owner");
    expect(codesOf({ text: "Log in © 2026 Orchid Florists" })).toContain("other_owner");
    expect(codesOf({ title: "Examplebank email preferences" })).toContain("about_brand");
  });
});

describe("a browser", () => {
  test("is needed for a page whose content is rendered or is a picture, and not for one that says enough", () => {
    const shell = fingerprintOf(viewOf({ elements: ["html", "body", "div", "script"] }));
    const image = fingerprintOf(viewOf({ elements: ["html", "body", "img"] }));
    const empty = fingerprintOf(viewOf({ elements: ["html", "body"] }));
    const field = { type: "password", autocomplete: "", descriptions: [] };
    const action = "https://page.example/next.php";
    const unnamed = fingerprintOf(viewOf({ forms: [{ action, method: "post", fields: [field] }] }));
    const background = { role: "picture" as const, url: "https://page.example/bg", sha256: "0".repeat(16) };
    const behind = fingerprintOf(viewOf({ elements: ["html", "body"], pictures: [background] }));
    const icon = fingerprintOf(
      viewOf({ elements: ["html", "body"], pictures: [{ ...background, role: "icon" }] }),
    );
    const view = viewOf();
    const cut = viewOf({ isCut: true });
    const needs = (page: typeof shell) => needsBrowser({ page, verdicts: [], view });
    expect([shell, image, unnamed, behind].map(needs)).toEqual([true, true, true, true]);
    expect([empty, icon].map(needs)).toEqual([false, false]);
    expect(needsBrowser({ page: empty!, verdicts: [], view: cut })).toBe(true);
    expect(needsBrowser({ page: { ...shell, from: "browser" }, verdicts: [], view: cut })).toBe(false);
    const copy = seenPage({ ...signIn, addresses: ["https://page.example/x/"] });
    expect(
      needsBrowser({ page: copy.fingerprint, verdicts: [assess({ page: copy, brand })], view: cut }),
    ).toBe(false);
  });
});

describe("a page that is only the way to another one", () => {
  test("leads to its frames, or to where its only links and forms lead", () => {
    const leads = (parts: Partial<PageView>) => waypointsOf(fingerprintOf(viewOf(parts)), viewOf(parts));
    const frame = { kind: "frame" as const, url: "https://kit.example/x/index.html" };
    expect(
      leads({ resources: [frame, { kind: "frame", url: "https://www.google.com/recaptcha/a" }] }),
    ).toEqual([frame.url]);
    expect(
      leads({ text: "Continue", links: ["https://page.example/login#", "https://page.example/x/"] }),
    ).toEqual(["https://page.example/x/"]);
    const concealed = "words that a style conceals ".repeat(40);
    expect(leads({ text: concealed, shownLength: 0, resources: [frame] })).toEqual([frame.url]);
    const gate = { action: "https://page.example/x/", method: "get" as const, fields: [] };
    expect(leads({ text: "Complete the security check", forms: [gate] })).toEqual([gate.action]);
  });

  test("is not one that has content, asks for something, or offers a choice", () => {
    const links = ["a", "b", "c"].map((path) => `https://page.example/${path}`);
    const leads = (parts: Partial<PageView>) => waypointsOf(fingerprintOf(viewOf(parts)), viewOf(parts));
    expect(leads({ links })).toEqual([]);
    expect(leads({ links: links.slice(1), forms: [passwordForm("https://page.example/")] })).toEqual([]);
    expect(
      leads({ links: links.slice(1), text: links.map((_, index) => `word${index} `.repeat(40)).join("") }),
    ).toEqual([]);
  });
});

describe("a fingerprint", () => {
  test("stays below 64 KiB for a page with too much of everything", () => {
    const many = <Item>(item: (index: number) => Item) =>
      Array.from({ length: 3_000 }, (_, index) => item(index));
    const long = (index: number) => `${index}${"ж".repeat(500)}`;
    const fields = many((index) => ({ type: "text", autocomplete: "", descriptions: [long(index)] }));
    const fingerprint = fingerprintOf(
      viewOf({
        addresses: many((index) => `https://page.example/${long(index)}`),
        title: long(1),
        siteName: long(2),
        canonical: `https://page.example/${long(3)}`,
        headings: many(long),
        text: many((index) => `слово${index}`).join(" "),
        hiddenText: many((index) => `описание${index}`).join(" "),
        elements: many((index) => `div.c${index}.d${index}`),
        links: many((index) => `https://page.example/${encodeURIComponent(long(index))}`),
        resources: many((index) => ({ kind: "picture", url: `https://page.example/${long(index)}` })),
        forms: many(() => ({
          action: `https://page.example/${long(4)}`,
          method: "post",
          fields,
        })),
        labels: many(long),
        pictures: many((index) => ({
          role: "picture",
          url: `https://page.example/${long(index)}`,
          sha256: "0123456789abcdef",
          hash: "0123456789abcdef",
        })),
        scriptHashes: many((index) => index.toString(16).padStart(16, "0")),
        scriptAddresses: many((index) => `https://page.example/${long(index)}`),
      }),
    );
    expect(Buffer.byteLength(JSON.stringify(fingerprint))).toBeLessThan(64 * 1024);
  });

  test("counts a link to the page itself as dead, and takes no address for a property of an object", () => {
    const { links, deadLinks } = fingerprintOf(
      viewOf({
        links: [
          "https://page.example/login#",
          "javascript:void(0)",
          "https://page.example/login?x=1",
          "https://x.example/__proto__",
          "mailto:a@b.example",
        ],
      }),
    );
    expect(deadLinks).toBe(2);
    expect(links).toEqual({ "https://page.example/login": 1, "https://x.example/__proto__": 1 });
  });
});
