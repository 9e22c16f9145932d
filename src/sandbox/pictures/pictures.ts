import { visualSimilarity } from "../../facts/lookups/page/perceptual-hash.ts";
import definitions from "./brands.json" with { type: "json" };
import found from "./pictures.json" with { type: "json" };

/** Facts that the page lookup finds on the page of a sample screenshot. `scripts/generate-demo-screenshots.ts` writes it. */
export interface Picture {
  title: string;
  asksForPassword: boolean;
  asksForCard: boolean;
  /** Parking service, "for sale" or "suspended". */
  parked?: string;
  /** Perceptual hash; absent for a blank page. */
  hash?: string;
}

export type PictureName = keyof typeof found;

export const pictures: Readonly<Record<PictureName, Picture>> = found;

interface Brand {
  original: PictureName;
  /** Pages that imitate the brand. */
  copies: readonly PictureName[];
  /** Hash of the favicon of the original page, which copies have as well. */
  faviconHash: string;
}

export function findBrand(protectedDomain: string): Brand | undefined {
  const brands: Partial<Record<string, object>> = definitions;
  return brands[protectedDomain] as Brand | undefined;
}

/** @throws Error for a domain that the sandbox does not protect */
export function brandOf(protectedDomain: string): Brand {
  const brand = findBrand(protectedDomain);
  if (brand === undefined) throw new Error(`no sample pages of ${protectedDomain}`);
  return brand;
}

/** Returns how similar a page looks to the original of a protected domain; undefined for a blank page. */
export function similarityTo(protectedDomain: string, name: PictureName): number | undefined {
  const [one, other] = [pictures[name].hash, pictures[brandOf(protectedDomain).original].hash];
  return one === undefined || other === undefined ? undefined : visualSimilarity(one, other);
}

const byHash = new Map(Object.entries(pictures).map(([name, { hash }]) => [hash, name]));

/** Returns the name of the screenshot with this perceptual hash; without one, the blank one. */
export function pictureWith(hash: string | undefined): string | undefined {
  return byHash.get(hash);
}
