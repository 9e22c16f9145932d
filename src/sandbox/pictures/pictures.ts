import { visualSimilarity } from "../../facts/lookups/page/perceptual-hash.ts";
import found from "./pictures.json";

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
}

const brands: Readonly<Record<string, Brand>> = {
  "example-bank.com": { original: "bank-original", copies: ["bank-password", "bank-card", "bank-pin"] },
  "example-shop.com": { original: "shop-original", copies: ["shop-card", "shop-password"] },
  "samplix.org": { original: "samplix-original", copies: ["samplix-password"] },
};

export function findBrand(protectedDomain: string): Brand | undefined {
  return brands[protectedDomain];
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
