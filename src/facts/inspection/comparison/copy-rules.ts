import { isDistinctiveFile, isKnown } from "../measures/addresses.ts";
import { hashDistance, sameness } from "../measures/picture-hash.ts";
import { containment, overlap } from "../measures/sketch.ts";
import type { Sketch } from "../model/fingerprint.ts";
import { fileName, isDistinctivePath, type BrandReading, type OriginalReading } from "./brand-reading.ts";
import { best } from "./identity-rules.ts";
import type { PageReading } from "./page-reading.ts";
import type { Measured, SignalRule } from "./signal-rule.ts";

/** Shared members at which a containment counts half: two of three shingles are a coincidence, 20 of 30 are not. */
const doubts = { text: 4, structure: 20, classes: 6 };
const pictureBits = { sameMax: 4, otherMin: 12 };

const broder = "Broder, On the resemblance and containment of documents, 1997";
const sketched = "of the smaller set that is in the other, estimated from the 256 smallest hashes of each";

export const copyRules: SignalRule[] = [
  {
    code: "same_text",
    group: "copy",
    measures: `Sequences of three words of the visible text: the share ${sketched}, times n / (n + 4) for n shared ones.`,
    source: broder,
    measure: (page, brand) => sketchSameness(page, brand, { part: "text", doubt: doubts.text }),
    keeps: {
      page: {
        text: "Log in to online banking with the number on the back of your green card and your secret word",
      },
      original: {
        text: "Welcome. Log in to online banking with the number on the back of your green card and your secret word",
      },
    },
    drops: {
      page: { text: "Log in to see what you have ordered and when our van will bring it to your door" },
      original: {
        text: "Welcome. Log in to online banking with the number on the back of your green card and your secret word",
      },
    },
  },
  {
    code: "same_title",
    group: "copy",
    measures:
      "Words of the title that are in the title of an original: shared / all of both, times 1 − 1 / n for n shared ones, if a name of the brand is among them.",
    measure: ({ title, print }, { names, originals }) => {
      if (names.count(title) === 0) return undefined;
      const own = new Set(title.words);
      return best(
        originals.map(({ title: theirs, address }) => {
          const shared = own.intersection(theirs).size;
          const all = own.size + theirs.size - shared;
          return {
            strength: shared === 0 ? 0 : (shared / all) * (1 - 1 / shared),
            params: { title: print.title },
            original: address,
          };
        }),
      );
    },
    keeps: {
      page: { title: "Examplebank – Log in to your account" },
      original: { title: "Log in to your account | Examplebank" },
    },
    drops: {
      page: { title: "Log in to your account" },
      original: { title: "Log in to your account | Examplebank" },
    },
  },
  {
    code: "same_structure",
    group: "copy",
    measures: `Sequences of six elements in the order of the document: the share ${sketched}, times n / (n + 20) for n shared ones.`,
    source: broder,
    measure: (page, brand) => sketchSameness(page, brand, { part: "structure", doubt: doubts.structure }),
    keeps: { page: { elements: variedElements(60) }, original: { elements: variedElements(60) } },
    drops: {
      page: { elements: variedElements(20) },
      original: { elements: variedElements(60).toReversed() },
    },
  },
  {
    code: "same_classes",
    group: "copy",
    measures: `Names of classes: the share ${sketched}, times n / (n + 6) for n shared ones.`,
    source: broder,
    measure: (page, brand) => sketchSameness(page, brand, { part: "classes", doubt: doubts.classes }),
    keeps: { page: { elements: classElements("eb", 20) }, original: { elements: classElements("eb", 24) } },
    drops: { page: { elements: classElements("fl", 20) }, original: { elements: classElements("eb", 24) } },
  },
  {
    code: "same_files",
    group: "copy",
    measures:
      "Files that it loads from elsewhere than the brand, under the name that an original has for them, without versions and common names such as “style”: n / (n + 1) for n of them, times the share of its files.",
    measure: (page, brand) => {
      const files = page.resources
        .filter(
          ({ from }) => !isKnown("shared", from) && isDistinctiveFile(from) && !brand.isOwnPage(from.host),
        )
        .map(({ from }) => fileName(from));
      return sharedMembers(new Set(files), brand, ({ files: own }) => own, 1);
    },
    keeps: {
      page: {
        resources: [
          picture("https://page.example/x/eb-hero-skyline.jpg"),
          picture("https://page.example/x/eb-mark.svg"),
        ],
      },
      original: {
        resources: [
          picture("https://examplebank.example/eb-hero-skyline.jpg"),
          picture("https://examplebank.example/a/eb-mark.svg"),
        ],
      },
    },
    drops: {
      page: {
        resources: [picture("https://page.example/logo.png"), picture("https://page.example/style.css")],
      },
      original: {
        resources: [
          picture("https://examplebank.example/logo.png"),
          picture("https://examplebank.example/style.css"),
        ],
      },
    },
  },
  {
    code: "same_scripts",
    group: "copy",
    measures: "Inline scripts with the same code: n / (n + 1) for n of them.",
    measure: (page, brand) =>
      sharedMembers(new Set(page.print.scriptHashes), brand, ({ scriptHashes }) => scriptHashes, 1, "count"),
    keeps: { page: { scriptHashes: ["11", "22"] }, original: { scriptHashes: ["11", "22", "33"] } },
    drops: { page: { scriptHashes: ["44"] }, original: { scriptHashes: ["11", "22", "33"] } },
  },
  {
    code: "same_pictures",
    group: "copy",
    measures:
      "Other pictures with the same bytes or a perceptual hash at most 4 bits from an original's (0 from 12 bits on): sum / (sum + 1).",
    measure: (page, brand) => {
      const own = page.pictures.filter(({ role }) => role === "picture");
      if (own.length === 0) return undefined;
      return best(
        brand.originals.map(({ pictures, address }) => {
          const sum = pictures
            .filter(({ role }) => role === "picture")
            .map(({ sha256, bits }) =>
              Math.max(
                ...own.map((one) => {
                  if (one.sha256 === sha256) return 1;
                  return one.bits === undefined || bits === undefined
                    ? 0
                    : sameness(hashDistance(one.bits, bits), pictureBits);
                }),
              ),
            )
            .reduce((total, one) => total + one, 0);
          return { strength: sum / (sum + 1), original: address };
        }),
      );
    },
    keeps: {
      page: { pictures: [{ role: "picture", url: null, sha256: "c3" }] },
      original: { pictures: [{ role: "picture", url: null, sha256: "c3" }] },
    },
    drops: {
      page: { pictures: [{ role: "picture", url: null, sha256: "c3" }] },
      original: { pictures: [{ role: "picture", url: null, sha256: "d4" }] },
    },
  },
  {
    code: "same_links",
    group: "copy",
    measures:
      "Links to paths that links of an original have, on whatever host, such as its legal pages: n / (n + 3) for n paths, times the share of its paths.",
    measure: (page, brand) => {
      const paths = page.links.filter(({ to }) => isDistinctivePath(to.path)).map(({ to }) => to.path);
      return sharedMembers(new Set(paths), brand, ({ linkPaths }) => linkPaths, 3);
    },
    keeps: {
      page: { links: legalLinks("page.example") },
      original: { links: legalLinks("examplebank.example") },
    },
    drops: {
      page: { links: ["https://page.example/shop"] },
      original: { links: legalLinks("examplebank.example") },
    },
  },
  {
    code: "same_form",
    group: "copy",
    measures:
      "Fields with the same type and name as in a form of an original: shared / all of both, times n / (n + 1) for n shared ones.",
    measure: (page, brand) =>
      best(
        brand.originals.flatMap(({ fields, address }) =>
          fields.flatMap((theirs) =>
            page.forms.map(({ fields: list }) => {
              const ours = new Set(list);
              const shared = ours.intersection(theirs).size;
              const all = ours.size + theirs.size - shared;
              return {
                strength: all === 0 ? 0 : (shared / all) * (shared / (shared + 1)),
                original: address,
              };
            }),
          ),
        ),
      ),
    keeps: {
      page: { forms: [form(["eb_contract", "eb_secret", "eb_day"])] },
      original: { forms: [form(["eb_contract", "eb_secret", "eb_day"])] },
    },
    drops: {
      page: { forms: [form(["email", "pass"])] },
      original: { forms: [form(["eb_contract", "eb_secret", "eb_day"])] },
    },
  },
  {
    code: "saved_from_brand",
    group: "copy",
    measures: "A comment of the program that saved the page names an address of the brand.",
    measure: ({ print: { savedFrom } }, brand) =>
      savedFrom !== undefined && URL.canParse(savedFrom) && brand.isOwnPage(new URL(savedFrom).hostname)
        ? { strength: 1, params: { address: savedFrom } }
        : undefined,
    keeps: { page: { savedFrom: "https://www.examplebank.example/login" } },
    drops: { page: { savedFrom: "https://template.example/" } },
  },
];

function sketchSameness(
  page: PageReading,
  brand: BrandReading,
  { part, doubt }: { part: "text" | "structure" | "classes"; doubt: number },
): Measured | undefined {
  const own: Sketch | undefined = page.print[part];
  if (own === undefined) return undefined;
  return best(
    brand.originals.flatMap(({ print, address }) => {
      const theirs = print[part];
      if (theirs === undefined) return [];
      const strength = containment(overlap(own, theirs), doubt);
      return [{ strength, original: address, params: { percent: Math.round(100 * strength) } }];
    }),
  );
}

function sharedMembers(
  own: ReadonlySet<string>,
  brand: BrandReading,
  membersOf: (original: OriginalReading) => ReadonlySet<string>,
  doubt: number,
  by: "count" | "share" = "share",
): Measured | undefined {
  if (own.size === 0) return undefined;
  return best(
    brand.originals.map((original) => {
      const theirs = membersOf(original);
      const count = own.intersection(theirs).size;
      const part = by === "count" ? 1 : count / Math.max(1, Math.min(own.size, theirs.size));
      return { strength: part * (count / (count + doubt)), params: { count }, original: original.address };
    }),
  );
}

function variedElements(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => ["div", "span", "a", "li", "p", "img", "h2"][((index * index * index) % 61) % 7]!,
  );
}

function classElements(start: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `div.${start}-${index}`);
}

function picture(url: string) {
  return { kind: "picture" as const, url };
}

function form(names: string[]) {
  const fields = names.map((name) => ({ type: "text", autocomplete: "", descriptions: [name] }));
  return { action: "https://page.example/", method: "post" as const, fields };
}

function legalLinks(host: string): string[] {
  return [
    "/legal/terms-of-use",
    "/legal/imprint",
    "/about-us/security",
    "/cards/green-card",
    "/help/lost-card",
  ].map((path) => `https://${host}${path}`);
}
