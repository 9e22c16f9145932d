/** Other writings of one label, by kind of change: what a person or a bit error would make of it. */
import { lookAlikeLetters } from "../names/fold.ts";
import { homophonesOf } from "../letters/homophones.ts";
import {
  keyboardNeighboursOf,
  lookAlikesOf,
  multigraphPairs,
  vowelLetters,
} from "../letters/similar-characters.ts";

const letters = Array.from("abcdefghijklmnopqrstuvwxyz");
const alphabet = [...letters, ..."0123456789"];

/** So many look-alikes of each letter are combined with those of another. */
const pairedLettersMax = 14;
/** All pairs of a label of ten letters; of longer ones the likelier half or tenth, for their number grows squared. */
const pairedWritingsMax = 10_000;

/**
 * Writings of `label` that differ in one way, a family for each way and in each the closest ones first. They may
 * hold the label itself and the same writing twice.
 */
export function variantsOf(label: string): Iterable<string>[] {
  return [homographs(label), bitFlips(label), hyphenations(label), slips(label), homophonesOf(label)];
}

/** Those that differ in one character only, by kind: what there is of them grows with the length, not its square. */
export function nearVariantsOf(label: string): Iterable<string>[] {
  return [lookAlikeWritings(label), bitFlips(label), slips(label), hyphenations(label), homophonesOf(label)];
}

/** One letter or two by letters that look like them, and all of those that one script can write. */
function* homographs(label: string): Generator<string> {
  yield* lookAlikeWritings(label);
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
  for (const writing of asciiLookAlikes(label)) yield* asciiLookAlikes(writing);
  yield* take(pairs(label), pairedWritingsMax);
}

function* lookAlikeWritings(label: string): Generator<string> {
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

/** Two letters replaced, by their first look-alikes wherever they stand, then by those further down. */
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

/** The first `count` of what comes. */
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

/** What fingers and memory do, in the order of what it costs (`alignment.ts`). */
function* slips(label: string): Generator<string> {
  const places = Array.from({ length: label.length }, (_, at) => at);
  yield* [`${label}s`, `${label}es`];
  for (const at of places) yield replaced(label, at, 1, label[at]! + label[at]!);
  for (const at of places) yield replaced(label, at, 2, (label[at + 1] ?? "") + label[at]!);
  for (const at of places) {
    for (const key of keyboardNeighboursOf(label[at]!)) yield replaced(label, at, 1, key);
    if (vowelLetters.includes(label[at]!)) {
      for (const vowel of vowelLetters) yield replaced(label, at, 1, vowel);
    }
  }
  for (const at of places) yield replaced(label, at, 1, "");
  for (const at of places) {
    for (const key of keyboardNeighboursOf(label[at]!)) {
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
