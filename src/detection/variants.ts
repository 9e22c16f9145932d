/** Other writings of one label, by kind of change: what a person or a bit error would make of it. */
import { lookAlikeLetters } from "./fold.ts";
import { homophonesOf } from "./homophones.ts";
import { keyboardNeighboursOf, lookAlikesOf, multigraphPairs, vowelLetters } from "./likeness.ts";

const letters = Array.from("abcdefghijklmnopqrstuvwxyz");
const alphabet = [...letters, ..."0123456789"];

/** So many look-alikes of each letter are combined with those of another. */
const pairedLettersMax = 14;

/** Every writing of `label` that differs in one way; may hold the label itself and the same writing twice. */
export function* variantsOf(label: string): Generator<string> {
  yield* homographs(label);
  yield* bitFlips(label);
  yield* slips(label);
  yield* hyphenations(label);
  yield* homophonesOf(label);
}

/** Those that differ in one character only, by kind: what there is of them grows with the length, not its square. */
export function nearVariantsOf(label: string): Iterable<string>[] {
  return [lookAlikeWritings(label), bitFlips(label), slips(label), hyphenations(label), homophonesOf(label)];
}

/** One letter or two by letters that look like them, and all of those that one script can write. */
function* homographs(label: string): Generator<string> {
  const once = Array.from(lookAlikeWritings(label));
  yield* once;
  for (const writing of once) if (isAscii(writing)) yield* asciiLookAlikes(writing);
  for (let at = 0; at < label.length; at++) {
    for (let next = at + 1; next < label.length; next++) {
      for (const other of lookAlikeLetters(label[at]!).slice(0, pairedLettersMax)) {
        for (const second of lookAlikeLetters(label[next]!).slice(0, pairedLettersMax)) {
          yield replaced(replaced(label, next, 1, second), at, 1, other);
        }
      }
    }
  }
  for (const letter of new Set(label)) {
    for (const other of lookAlikeLetters(letter)) yield label.replaceAll(letter, other);
  }
  for (const script of ["Cyrillic", "Greek"]) {
    const inScript = new RegExp(`\\p{Script=${script}}`, "u");
    yield Array.from(
      label,
      (letter) => lookAlikeLetters(letter).find((other) => inScript.test(other)) ?? letter,
    ).join("");
  }
}

function* lookAlikeWritings(label: string): Generator<string> {
  yield* asciiLookAlikes(label);
  for (let at = 0; at < label.length; at++) {
    for (const other of lookAlikeLetters(label[at]!)) yield replaced(label, at, 1, other);
  }
}

function* asciiLookAlikes(label: string): Generator<string> {
  for (let at = 0; at < label.length; at++) {
    for (const other of lookAlikesOf(label[at]!)) yield replaced(label, at, 1, other);
    for (const { pair, single } of multigraphPairs) {
      if (label[at] === single) yield replaced(label, at, 1, pair);
      if (label.startsWith(pair, at)) yield replaced(label, at, 2, single);
    }
  }
}

function* bitFlips(label: string): Generator<string> {
  for (let at = 0; at < label.length; at++) {
    for (let bit = 1; bit < 256; bit <<= 1) {
      const flipped = String.fromCharCode(label.charCodeAt(at) ^ bit);
      if (/[a-z0-9-]/.test(flipped)) yield replaced(label, at, 1, flipped);
    }
  }
}

function* slips(label: string): Generator<string> {
  for (let at = 0; at < label.length; at++) {
    const letter = label[at]!;
    yield replaced(label, at, 1, "");
    yield replaced(label, at, 1, letter + letter);
    yield replaced(label, at, 2, (label[at + 1] ?? "") + letter);
    if (vowelLetters.includes(letter)) for (const vowel of vowelLetters) yield replaced(label, at, 1, vowel);
    for (const key of keyboardNeighboursOf(letter)) {
      yield replaced(label, at, 1, key);
      yield replaced(label, at, 1, key + letter);
      yield replaced(label, at, 1, letter + key);
    }
    for (const other of letters) yield replaced(label, at, 1, other);
  }
  for (const other of alphabet) yield label + other;
  for (let at = 0; at <= label.length; at++) for (const other of letters) yield replaced(label, at, 0, other);
  yield `${label}es`;
}

function* hyphenations(label: string): Generator<string> {
  for (let at = 1; at < label.length; at++) yield replaced(label, at, 0, "-");
  if (label.includes("-")) yield label.replaceAll("-", "");
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

function replaced(label: string, at: number, count: number, by: string): string {
  return label.slice(0, at) + by + label.slice(at + count);
}
