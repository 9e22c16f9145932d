import { isAtOrBelow } from "../../../platform/lib/host-names.ts";
import {
  addressParts,
  isDistinctiveFile,
  isKnown,
  siteOf,
  type AddressParts,
} from "../measures/addresses.ts";
import { hashBits, type HashBits } from "../measures/picture-hash.ts";
import {
  createNameFinder,
  spacedWords,
  wordsOf,
  type NameFinder,
  type SpacedWords,
} from "../measures/text-words.ts";
import type { Brand } from "../model/verdict.ts";
import type { PageFingerprint } from "../model/fingerprint.ts";
import { fingerprintVersion } from "./fingerprint.ts";

/** A brand prepared for comparisons. Made once for each version of the brand. */
export interface BrandReading {
  brand: Brand;
  names: NameFinder;
  /** Words of names, and of titles and names of the originals. */
  ownWords: ReadonlySet<string>;
  /** Words of the copyright notices of the originals. */
  owners: ReadonlySet<string>;
  originals: OriginalReading[];
  logos: { sha256?: string; bits: HashBits | undefined }[];
  /** Hosts from which only this brand's pages are loaded, as registrable domains. */
  assetSites: ReadonlySet<string>;
  /** Returns whether a host is the brand's: the protected domain, an allowed name, or where its originals load from. */
  isOwnHost(host: string): boolean;
  /** The same without the hosts of files: pages there are the brand's. */
  isOwnPage(host: string): boolean;
}

export interface OriginalReading {
  address: string;
  print: PageFingerprint;
  /** Paths of links within the site. */
  linkPaths: ReadonlySet<string>;
  files: ReadonlySet<string>;
  scriptHashes: ReadonlySet<string>;
  pictures: { role: "icon" | "logo" | "picture"; sha256: string; bits: HashBits | undefined }[];
  /** Different words of the title. */
  title: ReadonlySet<string>;
  text: SpacedWords;
  fields: ReadonlySet<string>[];
  screenshot: HashBits | undefined;
}

export function readBrand(brand: Brand): BrandReading {
  const isOwn = (host: string) => isOwnPage(host, brand);
  const prints = brand.originals.filter(({ fingerprint }) => fingerprint.version === fingerprintVersion);
  const names = createNameFinder([...brand.names, brand.protectedDomain]);
  const assetSites = new Set(
    prints.flatMap(({ fingerprint }) =>
      fingerprint.resources.flatMap(({ url }) => {
        const from = addressParts(url);
        return from === undefined || isKnown("shared", from) || isKnown("hosting", from)
          ? []
          : [siteOf(from.host)];
      }),
    ),
  );
  const originals = prints.map(({ address, fingerprint }) => readOriginal(address, fingerprint, isOwn));
  return {
    brand,
    names,
    ownWords: new Set([
      ...names.words,
      ...prints.flatMap(({ fingerprint }) => wordsOf(`${fingerprint.title} ${fingerprint.siteName ?? ""}`)),
    ]),
    owners: new Set(prints.flatMap(({ fingerprint }) => wordsOf(fingerprint.copyright ?? ""))),
    originals,
    logos: brand.logos.map(({ hash }) => ({ bits: hashBits(hash) })),
    assetSites,
    isOwnPage: isOwn,
    isOwnHost: (host) => isOwn(host) || assetSites.has(siteOf(host)),
  };
}

/** Returns whether pages at a host are the brand's: it is the protected domain, an allowed name, or below one of them. */
export function isOwnPage(host: string, { allow, protectedDomain }: Brand): boolean {
  return [protectedDomain, ...allow].some((name) => isAtOrBelow(host, name));
}

function readOriginal(
  address: string,
  print: PageFingerprint,
  isOwn: (host: string) => boolean,
): OriginalReading {
  const links = Object.keys(print.links).flatMap((link) => addressParts(link) ?? []);
  const resources = print.resources.flatMap(({ url }) => addressParts(url) ?? []);
  return {
    address,
    print,
    linkPaths: new Set(
      links.filter(({ host, path }) => isOwn(host) && isDistinctivePath(path)).map(({ path }) => path),
    ),
    files: new Set(
      resources.filter((from) => !isKnown("shared", from) && isDistinctiveFile(from)).map(fileName),
    ),
    scriptHashes: new Set(print.scriptHashes),
    pictures: print.pictures.map(({ role, sha256, hash }) => ({ role, sha256, bits: hashBits(hash) })),
    title: new Set(wordsOf(print.title)),
    text: spacedWords(print.words),
    fields: print.forms.map(({ fields }) => new Set(fields)),
    screenshot: hashBits(print.screenshot),
  };
}

/** Returns a name that is the same for a file on any host. */
export function fileName({ file, extension }: AddressParts): string {
  return `${file}.${extension}`;
}

/** A path that unrelated sites hardly have in common. */
export function isDistinctivePath(path: string): boolean {
  return path.length >= 8 && (path.split("/").length > 2 || /[-_]/.test(path));
}
