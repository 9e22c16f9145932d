/**
 * Homophones: other spellings that sound the same (Nikiforakis and others, "Soundsquatting: uncovering the use of
 * homophones in domain squatting", 2014). A spelling exchanges letters that stand for one sound, and counts only if
 * it has the same Metaphone code as the word.
 */
import tables from "../data/letters.json" with { type: "json" };
import { metaphone } from "./metaphone.ts";

/** Spellings of one sound, which can replace each other. */
const { sounds } = tables;

/** Each spelling of a sound with the other ones, by its first letter. */
const exchangesByLetter = Map.groupBy(
  sounds.flatMap((sound) =>
    sound.map((letters) => ({ letters, others: sound.filter((other) => other !== letters) })),
  ),
  ({ letters }) => letters[0]!,
);

const lengthMin = 5;

/** Returns the spellings of `word` with one exchange, without `word` itself. Short words have none. */
export function homophonesOf(word: string): string[] {
  if (!hasHomophones(word)) return [];
  const code = metaphone(word);
  const spellings = new Set(exchanges(word));
  spellings.delete(word);
  return [...spellings].filter((spelling) => metaphone(spelling) === code);
}

/** Returns whether `isSought` accepts a homophone of `word`. It runs first, because it costs less than Metaphone. */
export function soundsLike(word: string, isSought: (spelling: string) => boolean): boolean {
  if (!hasHomophones(word)) return false;
  const sought = exchanges(word).filter((spelling) => spelling !== word && isSought(spelling));
  return sought.some((spelling) => metaphone(spelling) === metaphone(word));
}

function hasHomophones(word: string): boolean {
  return word.length >= lengthMin && /^[a-z]+$/.test(word);
}

function exchanges(word: string): string[] {
  const results: string[] = [];
  for (let at = 0; at < word.length; at++) {
    for (const { letters, others } of exchangesByLetter.get(word[at]!) ?? []) {
      if (!word.startsWith(letters, at)) continue;
      for (const other of others) results.push(word.slice(0, at) + other + word.slice(at + letters.length));
    }
  }
  return results;
}
