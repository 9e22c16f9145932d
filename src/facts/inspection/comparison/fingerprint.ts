import type { PageView } from "../../lookups/page/page-view.ts";
import { addressParts, withoutQuery } from "../measures/addresses.ts";
import { labelsOfForms, requestedBy } from "../measures/requested-data.ts";
import { shingles, sketchOf } from "../measures/sketch.ts";
import { wordsOf } from "../measures/text-words.ts";
import type { FormFingerprint, PageFingerprint } from "../model/fingerprint.ts";

/** Changes with every definition below, so that earlier fingerprints are made again instead of being compared. */
export const fingerprintVersion = 1;

// Limits in characters and items; together they keep the JSON below 64 KiB.
const addressLengthMax = 300;
const titleLengthMax = 300;
const headings = { itemsMax: 20, bytesMax: 2_000 };
const words = { itemsMax: 1_500, bytesMax: 14_000 };
const hiddenWords = { itemsMax: 150, bytesMax: 1_500 };
const linkLists = { itemsMax: 250, bytesMax: 10_000 };
const resourceLists = { itemsMax: 150, bytesMax: 9_000 };
const formsMax = 8;
const fieldLists = { itemsMax: 16, bytesMax: 400 };
const pictureLists = { itemsMax: 24, bytesMax: 6_000 };
const hashLists = { itemsMax: 40, bytesMax: 1_500 };
const addressLists = { itemsMax: 20, bytesMax: 3_000 };
/** Text that is read: a page with more is no sign-in page, and the beginning identifies it. */
const textLengthMax = 60_000;
const elementsMax = 5_000;
/** Length of the end of a page that is searched for a copyright notice, and of a notice. */
const copyrightSearchedMax = 20_000;
const copyrightLengthMax = 60;

/** Words of a shingle of text: short, because kits rewrite single words. */
const textShingle = 3;
/** Elements of a shingle of structure. Fewer are found on every page. */
const structureShingle = 6;
const textShinglesMin = 3;
const structureShinglesMin = 8;
const classesMin = 3;

/** Describes a page so that it can be compared with others. Pure; takes a few milliseconds for a long page. */
export function fingerprintOf(view: PageView): PageFingerprint {
  const address = view.addresses.at(-1) ?? "";
  const host = addressParts(address)?.host ?? "";
  // A look-alike name contains the brand; its own name in the text says nothing more.
  const without = (text: string) => (host === "" ? text : text.replaceAll(host, " "));
  const allWords = wordsOf(without(view.text.slice(0, textLengthMax)));
  const elements = view.elements.slice(0, elementsMax);
  const tags = elements.map((element) => element.split(".", 1)[0]!);
  const count = (...names: string[]) => tags.filter((tag) => names.includes(tag)).length;
  const { links, deadLinks } = countLinks(view.links, address);
  const labels = labelsOfForms(view);
  const copyright = copyrightIn(without(view.text.slice(-copyrightSearchedMax)));
  const text = sketchOf(shingles(allWords, textShingle), textShinglesMin);
  const structure = sketchOf(shingles(tags, structureShingle), structureShinglesMin);
  const classes = sketchOf(
    elements.flatMap((element) => element.split(".").slice(1)),
    classesMin,
  );
  return {
    version: fingerprintVersion,
    address: address.slice(0, addressLengthMax),
    redirects: view.addresses
      .slice(0, -1)
      .map((redirect) => redirect.slice(0, addressLengthMax))
      .slice(0, 6),
    from: view.from,
    language: view.language?.slice(0, 20),
    title: without(view.title).slice(0, titleLengthMax),
    siteName: view.siteName?.slice(0, titleLengthMax),
    canonical: view.canonical?.slice(0, addressLengthMax),
    savedFrom: view.savedFrom?.slice(0, addressLengthMax),
    headings: within(
      view.headings.map((heading) => without(heading).slice(0, 200)),
      headings,
    ),
    copyright,
    words: within(allWords, words),
    hiddenWords: within(wordsOf(without(view.hiddenText.slice(0, 4_000))), hiddenWords),
    text,
    structure,
    classes,
    counts: {
      elements: tags.length,
      scripts: count("script"),
      frames: count("iframe", "frame", "object", "embed"),
      pictures: count("img", "picture", "svg", "canvas"),
    },
    links,
    deadLinks,
    resources: within(uniqueResources(view), resourceLists),
    forms: view.forms.slice(0, formsMax).map((form) => formOf(form, labels)),
    pictures: within(view.pictures.map(shortPicture), pictureLists),
    scriptHashes: within(view.scriptHashes, hashLists),
    scriptAddresses: within(
      (view.scriptAddresses ?? []).map((url) => url.slice(0, addressLengthMax)),
      addressLists,
    ),
  };
}

/** Returns the text after the last copyright sign, or before it if nothing but years follows. */
function copyrightIn(text: string): string | undefined {
  const [last] = [
    ...text.matchAll(/(?<!\p{L})©|(?:\(c\)|\bcopyright\b)(?=[ :,]{0,3}(?:19|20)\d\d)/giu),
  ].slice(-1);
  if (last === undefined) return undefined;
  const after = text.slice(last.index, last.index + copyrightLengthMax).split(/[.|•·–—]/u, 1)[0]!;
  const isNamed = /\p{L}{2}/u.test(after.replace(/copyright|©|all rights reserved|\bby\b/giu, ""));
  return (
    isNamed
      ? after
      : text
          .slice(Math.max(0, last.index - copyrightLengthMax / 2), last.index)
          .split(/[.|•·–—]/u)
          .at(-1)!
  ).trim();
}

function formOf(form: PageView["forms"][number], labels: readonly string[]): FormFingerprint {
  const visibleFields = form.fields.filter(({ type }) => type !== "hidden");
  return {
    action: form.action.slice(0, addressLengthMax),
    asksFor: requestedBy(form, labels),
    fields: within(
      visibleFields.map(({ type, descriptions }) =>
        `${type}:${(descriptions[0] ?? "").toLowerCase()}`.slice(0, 40),
      ),
      fieldLists,
    ),
  };
}

/** An address in a `data:` URL is null already; a very long one identifies nothing more. */
function shortPicture(picture: PageView["pictures"][number]): PageView["pictures"][number] {
  return {
    ...picture,
    url: picture.url === null ? null : withoutQuery(picture.url).slice(0, addressLengthMax),
  };
}

function countLinks(
  links: readonly string[],
  address: string,
): { links: Record<string, number>; deadLinks: number } {
  const own = withoutQuery(address);
  const counted = new Map<string, number>();
  let deadLinks = 0;
  for (const link of links) {
    if (!/^https?:/i.test(link)) {
      deadLinks += /^(javascript|about|data):/i.test(link) ? 1 : 0;
      continue;
    }
    const target = withoutQuery(link).slice(0, addressLengthMax);
    if (target === own && !link.includes("?")) deadLinks += 1;
    else counted.set(target, (counted.get(target) ?? 0) + 1);
  }
  const kept = within([...counted.keys()], linkLists);
  // Entries, because an address such as "__proto__" must not change the prototype of an object literal.
  return { links: Object.fromEntries(kept.map((target) => [target, counted.get(target)!])), deadLinks };
}

function uniqueResources({ resources }: PageView): PageFingerprint["resources"] {
  const unique = new Map<string, PageFingerprint["resources"][number]>();
  for (const { kind, url } of resources) {
    if (!/^https?:/i.test(url)) continue;
    const short = withoutQuery(url).slice(0, addressLengthMax);
    unique.set(`${kind} ${short}`, { kind, url: short });
  }
  return [...unique.values()];
}

/** Returns the first items that fit into the limits. */
function within<Item>(
  items: readonly Item[],
  { itemsMax, bytesMax }: { itemsMax: number; bytesMax: number },
): Item[] {
  const kept: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    if (kept.length >= itemsMax || bytes > bytesMax) break;
    kept.push(item);
  }
  return kept;
}
