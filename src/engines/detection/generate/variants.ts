/** Generates variants of a label by kind of change: what an attacker, a typist or a bit error makes of it. */
import { homophonesOf } from "../letters/homophones.ts";
import {
  keyboardNeighborsOf,
  lookAlikesOf,
  multigraphs,
  vowelLetters,
} from "../letters/similar-characters.ts";
import { lookAlikeLetters } from "../names/fold.ts";

const letters = Array.from("abcdefghijklmnopqrstuvwxyz");
const alphabet = [...letters, ..."0123456789"];

/** Maximum number of look-alikes of each letter that are combined with look-alikes of another. */
const pairedLettersMax = 14;
/**
 * Maximum number of variants with two replaced letters: all for a label of ten letters. Their number grows with the
 * square of the length, so longer labels get the likelier ones.
 */
const pairedVariantsMax = 10_000;

/**
 * Returns families of variants, one for each kind of change, in each the closest ones first. A family may contain the
 * label itself, and a variant twice.
 */
export function variantsOf(label: string): Iterable<string>[] {
  return [homographs(label), bitFlips(label), hyphenations(label), typos(label), homophonesOf(label)];
}

/** Returns families of variants with one changed character. Their number grows linearly with the length of the label. */
export function nearVariantsOf(label: string): Iterable<string>[] {
  return [lookAlikeVariants(label), bitFlips(label), typos(label), hyphenations(label), homophonesOf(label)];
}

/** Yields variants with one or two look-alike letters, and with all letters from one other script. */
function* homographs(label: string): Generator<string> {
  yield* lookAlikeVariants(label);
  for (const script of ["Cyrillic", "Greek"]) {
    const inScript = new RegExp(`\\p{Script=${script}}`, "u");
    yield Array.from(
      label,
      (letter) => lookAlikeLetters(letter).find((other) => inScript.test(other)) ?? letter,
    ).join("");
  }
  for (const letter of new Set(label)) {
    for (const other of lookAlikeLetters(letter)) yield label.replaceAll(letter, other);
  }
  for (const variant of asciiLookAlikes(label)) yield* asciiLookAlikes(variant);
  yield* take(pairs(label), pairedVariantsMax);
}

function* lookAlikeVariants(label: string): Generator<string> {
  yield* asciiLookAlikes(label);
  const others = Array.from({ length: label.length }, (_, at) => lookAlikeLetters(label[at]!));
  const most = Math.max(...others.map(({ length }) => length));
  for (let rank = 0; rank < most; rank++) {
    for (let at = 0; at < label.length; at++) {
      const other = others[at]![rank];
      if (other !== undefined) yield replaced(label, at, 1, other);
    }
  }
}

/** Yields variants with two replaced letters: first the closest look-alikes at all positions, then more distant ones. */
function* pairs(label: string): Generator<string> {
  const others = Array.from({ length: label.length }, (_, at) => lookAlikeLetters(label[at]!));
  for (let ranks = 0; ranks < 2 * pairedLettersMax - 1; ranks++) {
    for (let rank = Math.max(0, ranks - pairedLettersMax + 1); rank <= ranks; rank++) {
      if (rank === pairedLettersMax) break;
      for (let at = 0; at < label.length; at++) {
        const other = others[at]![rank];
        if (other === undefined) continue;
        for (let next = at + 1; next < label.length; next++) {
          const second = others[next]![ranks - rank];
          if (second !== undefined) yield replaced(replaced(label, next, 1, second), at, 1, other);
        }
      }
    }
  }
}

/** Yields the first `count` items. */
export function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let taken = 0;
  for (const item of items) {
    if (taken++ >= count) return;
    yield item;
  }
}

function* asciiLookAlikes(label: string): Generator<string> {
  for (let at = 0; at < label.length; at++) {
    for (const other of lookAlikesOf(label[at]!)) yield replaced(label, at, 1, other);
    for (const { pair, single } of multigraphs) {
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

/** Yields typing and spelling errors, in the order of their costs in `alignment.ts`. */
function* typos(label: string): Generator<string> {
  const places = Array.from({ length: label.length }, (_, at) => at);
  yield* [`${label}s`, `${label}es`];
  for (const at of places) yield replaced(label, at, 1, label[at]! + label[at]!);
  for (const at of places) yield replaced(label, at, 2, (label[at + 1] ?? "") + label[at]!);
  for (const at of places) {
    for (const key of keyboardNeighborsOf(label[at]!)) yield replaced(label, at, 1, key);
    if (vowelLetters.includes(label[at]!)) {
      for (const vowel of vowelLetters) yield replaced(label, at, 1, vowel);
    }
  }
  for (const at of places) yield replaced(label, at, 1, "");
  for (const at of places) {
    for (const key of keyboardNeighborsOf(label[at]!)) {
      yield* [replaced(label, at, 1, key + label[at]!), replaced(label, at, 1, label[at]! + key)];
    }
  }
  for (const other of alphabet) yield label + other;
  for (const at of places) for (const other of letters) yield replaced(label, at, 1, other);
  for (const at of places) for (const other of letters) yield replaced(label, at, 0, other);
}

function* hyphenations(label: string): Generator<string> {
  for (let at = 1; at < label.length; at++) yield replaced(label, at, 0, "-");
  if (label.includes("-")) yield label.replaceAll("-", "");
}

function replaced(label: string, at: number, count: number, by: string): string {
  return label.slice(0, at) + by + label.slice(at + count);
}
