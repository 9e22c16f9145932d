import { splitName } from "../../../engines/detection/names/suffix.ts";
import { addressParts, isIpAddress, siteOf, type AddressParts } from "../measures/addresses.ts";
import { hashBits, type HashBits } from "../measures/picture-hash.ts";
import { isGeneric, spacedWords, wordsOf, type SpacedWords } from "../measures/text-words.ts";
import type { PageFingerprint } from "../model/fingerprint.ts";
import type { SeenPage } from "../model/verdict.ts";

/** A page prepared for comparisons. Made once for each page. */
export interface PageReading {
  seen: SeenPage;
  print: PageFingerprint;
  at: AddressParts;
  /** Registrable domain of its host. */
  site: string;
  /** Whether it is below a suffix of a hosting service. */
  hosted: boolean;
  title: SpacedWords;
  siteName: SpacedWords;
  headings: SpacedWords[];
  /** Words of the copyright notice. */
  copyright: SpacedWords;
  text: SpacedWords;
  hidden: SpacedWords;
  /** Words of path and query, and of the labels below which the name was registered. */
  addressWords: SpacedWords;
  /** Words of the labels that the owner of the host chose and that are not generic. */
  ownWords: string[];
  links: { to: AddressParts; count: number }[];
  resources: { kind: PageFingerprint["resources"][number]["kind"]; from: AddressParts }[];
  forms: {
    to: AddressParts | undefined;
    asksFor: readonly string[];
    fields: readonly string[];
    action: string;
  }[];
  pictures: { role: "icon" | "logo" | "picture"; sha256: string; bits: HashBits | undefined }[];
  screenshot: HashBits | undefined;
}

/** Words of a copyright notice before other text begins. */
const copyrightWordsMax = 8;

/** @returns undefined for a page that is not at an HTTP or HTTPS address. */
export function readSeenPage(seen: SeenPage): PageReading | undefined {
  const print = seen.fingerprint;
  const at = addressParts(print.address);
  if (at === undefined) return undefined;
  const name = isIpAddress(at.host) ? undefined : splitName(at.host);
  const labels =
    name === undefined
      ? []
      : name.hosted
        ? [name.registrableLabel]
        : [name.registrableLabel, ...name.subLabels];
  const query = print.address.slice(print.address.indexOf("/", 8));
  return {
    seen,
    print,
    at,
    site: siteOf(at.host),
    hosted: name?.hosted === true,
    title: spacedWords(wordsOf(print.title)),
    siteName: spacedWords(wordsOf(print.siteName ?? "")),
    headings: print.headings.map((heading) => spacedWords(wordsOf(heading))),
    copyright: spacedWords(wordsOf(print.copyright ?? "").slice(0, copyrightWordsMax)),
    text: spacedWords(print.words),
    hidden: spacedWords(print.hiddenWords),
    addressWords: spacedWords(wordsOf(`${labels.join(" ")} ${name?.subLabels.join(" ") ?? ""} ${query}`)),
    ownWords: [...new Set(labels.flatMap((label) => wordsOf(label)))].filter(
      (word) => word.length >= 4 && !isGeneric(word),
    ),
    links: Object.entries(print.links).flatMap(([address, count]) => {
      const to = addressParts(address);
      return to === undefined ? [] : [{ to, count }];
    }),
    resources: print.resources.flatMap(({ kind, url }) => {
      const from = addressParts(url);
      return from === undefined ? [] : [{ kind, from }];
    }),
    forms: print.forms.map(({ action, asksFor, fields }) => ({
      to: addressParts(action),
      asksFor,
      fields,
      action,
    })),
    pictures: print.pictures.map(({ role, sha256, hash }) => ({ role, sha256, bits: hashBits(hash) })),
    screenshot: hashBits(print.screenshot),
  };
}
