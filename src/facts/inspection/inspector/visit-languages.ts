import type { Brand } from "../model/brand.ts";

const languagesMax = 6;
/** Weight of the language of a brand that the address names. */
const namedWeight = 1_000;

/** Returns the languages of the originals: those of brands that the address names first, then the most frequent. */
export function languagesOf(brands: readonly Brand[], address: string): string[] {
  const counts = new Map<string, number>();
  const plain = (text: string) => text.toLowerCase().replace(/[ -]/g, "");
  const named = plain(address);
  for (const { names, originals } of brands) {
    const isNamed = names.some((name) => named.includes(plain(name)));
    for (const { fingerprint } of originals) {
      const { language } = fingerprint;
      if (language !== undefined)
        counts.set(language, (counts.get(language) ?? 0) + (isNamed ? namedWeight : 1));
    }
  }
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  return sorted.slice(0, languagesMax).map(([language]) => language);
}
