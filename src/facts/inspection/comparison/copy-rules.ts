import { isDistinctiveFile, isKnown } from "../measures/addresses.ts";
import { hashDistance, sameness } from "../measures/picture-hash.ts";
import { containment, overlap } from "../measures/sketch.ts";
import type { Sketch } from "../model/fingerprint.ts";
import { fileName, isDistinctivePath, type BrandReading, type OriginalReading } from "./brand-reading.ts";
import { best } from "./identity-rules.ts";
import type { PageReading } from "./page-reading.ts";
import { partOf, type Measured, type Measures } from "./signal-rule.ts";

/** Shared members at which a containment counts half: two of three shingles are a coincidence, 20 of 30 are not. */
const doubts = { text: 4, structure: 20, classes: 6 };
const pictureBits = { sameMax: 4, otherMin: 12 };

export const copyMeasures = {
  same_text: (page, brand) => sketchSameness(page, brand, { part: "text", doubt: doubts.text }),
  same_title: ({ title, print }, { names, originals }) => {
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
  same_structure: (page, brand) =>
    sketchSameness(page, brand, { part: "structure", doubt: doubts.structure }),
  same_classes: (page, brand) => sketchSameness(page, brand, { part: "classes", doubt: doubts.classes }),
  same_files: (page, brand) => {
    const files = page.resources
      .filter(
        ({ from }) => !isKnown("shared", from) && isDistinctiveFile(from) && !brand.isOwnPage(from.host),
      )
      .map(({ from }) => fileName(from));
    return sharedMembers(new Set(files), brand, ({ files: own }) => own, 1);
  },
  same_scripts: (page, brand) =>
    sharedMembers(new Set(page.print.scriptHashes), brand, ({ scriptHashes }) => scriptHashes, 1, "count"),
  same_pictures: (page, brand) => {
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
  same_links: (page, brand) => {
    const paths = page.links.filter(({ to }) => isDistinctivePath(to.path)).map(({ to }) => to.path);
    return sharedMembers(new Set(paths), brand, ({ linkPaths }) => linkPaths, 3);
  },
  same_form: (page, brand) =>
    best(
      brand.originals.flatMap(({ fields, address }) =>
        fields.flatMap((theirs) =>
          page.forms.map(({ fields: list }) => {
            const ours = new Set(list);
            const shared = ours.intersection(theirs).size;
            const all = ours.size + theirs.size - shared;
            return { strength: partOf(shared, all, 1), original: address };
          }),
        ),
      ),
    ),
  saved_from_brand: ({ print: { savedFrom } }, brand) =>
    savedFrom !== undefined && URL.canParse(savedFrom) && brand.isOwnPage(new URL(savedFrom).hostname)
      ? { strength: 1, params: { address: savedFrom } }
      : undefined,
} satisfies Measures;

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
