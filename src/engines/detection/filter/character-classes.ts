/**
 * Reduces characters to 32 classes. Letters and digits that look alike share a class (0 and o; 1, l and i). Hyphen,
 * dot and underscore are the separator class. Three classes make a seed number of 15 bits.
 */
import { keywordSample } from "../data/lexicon.ts";
import { multigraphs, visualGroups } from "../letters/similar-characters.ts";
import type { Collapse } from "./seeds.ts";

export const classBits = 5;
const classCount = 1 << classBits;
export const classMask = classCount - 1;
export const separatorClass = 0;
/** Flags in `classOfByte`, above the class. */
export const digitFlag = classCount;
export const separatorFlag = classCount << 1;
/** Set for bytes that no ASCII host name contains. */
export const foreignFlag = classCount << 2;
export const dotFlag = classCount << 3;
/** First of the classes for characters that no ASCII host name contains. */
const otherClass = 25;

/** Class of each byte, with its flags. */
export const classOfByte: Uint16Array = characterClasses();

/** Class of each byte without flags, with digits as separators. */
export const classBetweenDigits: Uint8Array = Uint8Array.from(classOfByte, (flagged) =>
  (flagged & digitFlag) === 0 ? flagged & classMask : separatorClass,
);

export const collapses: readonly Collapse[] = multigraphs.map(({ pair, single }) => ({
  first: classOf(pair.charCodeAt(0)),
  second: classOf(pair.charCodeAt(1)),
  single: classOf(single.charCodeAt(0)),
}));

/** Returns a byte for a code unit of a folded name: ASCII unchanged, other characters hashed to the upper half. */
export function foldedByte(code: number): number {
  return code < 128 ? code : 128 + (code % 128);
}

/** Returns the class of a code unit of a folded name, without flag. */
export function classOf(code: number): number {
  return (classOfByte[foldedByte(code)] ?? 0) & classMask;
}

export function classesOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, index) => classOf(text.charCodeAt(index)));
}

/** Returns the number of a seed: its classes, five bits each. */
export function seedNumber(classes: readonly number[]): number {
  return classes.reduce((sum, value) => (sum << classBits) | value, 0);
}

/**
 * Estimates how often three classes follow each other in host names, as a Markov chain of pairs counted in keywords
 * and popular names. Only the order of the results matters.
 */
export function commonness(seed: readonly number[]): number {
  let share = 1;
  for (let i = 0; i < seed.length; i++) {
    share *= (pairCounts[(seed[i] ?? 0) * classCount + (seed[i + 1] ?? seed[i] ?? 0)] ?? 0) + 1;
    if (i > 0) share /= (singleCounts[seed[i] ?? 0] ?? 0) + classCount;
    if (i + 2 === seed.length) break;
  }
  return share;
}

const pairCounts = new Int32Array(classCount * classCount);
const singleCounts = new Int32Array(classCount);
countPairs();

function countPairs(): void {
  let before = separatorClass;
  for (let i = 0; i < keywordSample.length; i++) {
    const value = keywordSample.charCodeAt(i) <= 0x20 ? separatorClass : classOf(keywordSample.charCodeAt(i));
    pairCounts[before * classCount + value]!++;
    singleCounts[value]!++;
    before = value;
  }
}

function characterClasses(): Uint16Array {
  const unknown = foreignFlag | otherClass;
  const classes = new Uint16Array(256).fill(unknown);
  for (let byte = 128; byte < 256; byte++) classes[byte] = unknown + 1 + (byte % (classMask - otherClass));
  let next = separatorClass + 1;
  for (const letter of "abcdefghijklmnopqrstuvwxyz") {
    const group = visualGroups.find((members) => members.includes(letter)) ?? letter;
    const known = classes[group.charCodeAt(0)] ?? 0;
    const value = known === unknown ? next++ : known;
    for (const member of group) classes[member.charCodeAt(0)] = value;
    classes[letter.toUpperCase().charCodeAt(0)] = value;
  }
  for (let digit = 0x30; digit <= 0x39; digit++) classes[digit]! |= digitFlag;
  for (const separator of "-._") classes[separator.charCodeAt(0)] = separatorClass | separatorFlag;
  classes[".".charCodeAt(0)]! |= dotFlag;
  return classes;
}
