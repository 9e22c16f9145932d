/** Places a brand word in the protected name, so that people see the whole name and not only the word. */
import { spellingsOf, type BrandWord } from "../brand/brand-words.ts";
import type { HostLabel } from "../names/host.ts";
import { decodeLabel, unicodeName } from "../names/name.ts";
import { splitProtected } from "../names/suffix.ts";

/** A word with the text of the protected name, or of the keyword, around it. Texts are in U-label form. */
export interface ProtectedWord {
  /** The characters of the word; their ranges refer to its folded text. */
  glyphs: Glyph[];
  before: string;
  /** Text up to the public suffix. */
  after: string;
  /** The protected name's public suffix. Absent if the word contains it, or is from a keyword. */
  suffix?: string;
  /** The keyword that the word is, or is part of. */
  keyword?: string;
}

/** @param keywords brand keywords of the protected domain */
export function placeWord(
  { kind, text }: Pick<BrandWord, "kind" | "text">,
  protectedName: string,
  keywords: readonly string[],
): ProtectedWord {
  const { registrableLabel, subLabels, suffix } = splitProtected(protectedName);
  const labels = [...subLabels, registrableLabel];
  if (kind === "name") {
    const label = text.slice(0, text.length - suffix.length - 1);
    const glyphs = [
      ...glyphsOfSpelling(decodeLabel(registrableLabel), label),
      ...suffixGlyphs(suffix, label.length),
    ];
    const before = subLabels.map((one) => `${decodeLabel(one)}.`).join("");
    return { glyphs, before, after: "" };
  }
  const contains = (spelling: string): boolean =>
    kind === "stem" ? spelling.includes(text) : spelling === text;
  // The registrable label comes first, because it is the brand.
  for (let index = labels.length - 1; index >= 0; index--) {
    const spelling = spellingsOf(labels[index]!).find(contains);
    if (spelling === undefined) continue;
    const inLabel = cutOut(decodeLabel(labels[index]!), spelling, text);
    const before = labels.slice(0, index).map((one) => `${decodeLabel(one)}.`);
    const after = labels.slice(index + 1).map((one) => `.${decodeLabel(one)}`);
    return {
      glyphs: inLabel.glyphs,
      before: [...before, inLabel.before].join(""),
      after: [inLabel.after, ...after].join(""),
      suffix: unicodeName(suffix),
    };
  }
  for (const keyword of keywords) {
    const spelling = spellingsOf(keyword).find(contains);
    if (spelling === undefined) continue;
    const shown = decodeLabel(keyword);
    return { ...cutOut(shown, spelling, text), keyword: shown };
  }
  throw new Error(`the word ${text} is neither from ${protectedName} nor from its keywords`);
}

/** Splits a label into the word and what is before and after it. */
function cutOut(
  shown: string,
  spelling: string,
  text: string,
): { before: string; glyphs: Glyph[]; after: string } {
  const start = spelling.indexOf(text);
  const end = start + text.length;
  const all = glyphsOfSpelling(shown, spelling);
  const before = all.filter((glyph) => glyph.end <= start);
  const after = all.filter((glyph) => glyph.start >= end && !before.includes(glyph));
  const own = all.filter((glyph) => !before.includes(glyph) && !after.includes(glyph));
  return {
    before: shownText(before),
    glyphs: own.map((glyph) => ({ ...glyph, start: glyph.start - start, end: glyph.end - start })),
    after: shownText(after),
  };
}

function suffixGlyphs(suffix: string, from: number): Glyph[] {
  let start = from;
  return suffix.split(".").flatMap((label) => {
    const dot = { shown: ".", start, end: start + 1 };
    const at = start + 1;
    start = at + label.length;
    const shown = decodeLabel(label);
    if (shown !== label) return [dot, { shown, start: at, end: start }];
    return [
      dot,
      ...Array.from(label, (character, i) => ({ shown: character, start: at + i, end: at + i + 1 })),
    ];
  });
}

/** A displayed character and its range in the folded text. The range is empty if it folds to nothing. */
export interface Glyph {
  shown: string;
  start: number;
  end: number;
}

/** Returns the characters of a host's labels, with the dots between them. */
export function glyphsOf(
  labels: readonly Pick<HostLabel, "shown" | "folded" | "origin" | "start">[],
): Glyph[] {
  return labels.flatMap(({ shown, folded, origin, start }, index) => {
    const dot = index === 0 ? [] : [{ shown: ".", start: start - 1, end: start }];
    let at = 0;
    let next = 0;
    const own = Array.from(shown, (character): Glyph => {
      const from = next;
      const after = at + character.length;
      if (origin === undefined) next += character.length;
      else while (next < folded.length && (origin[next] ?? 0) < after) next++;
      at = after;
      return { shown: character, start: start + from, end: start + next };
    });
    return [...dot, ...own];
  });
}

/** Returns the characters of a label or keyword in one of its spellings. The whole is one glyph if that is another. */
function glyphsOfSpelling(shown: string, spelling: string): Glyph[] {
  const characters = Array.from(shown.normalize("NFC"));
  const glyphs: Glyph[] = [];
  function fill(index: number, at: number): boolean {
    if (index === characters.length) return at === spelling.length;
    const character = characters[index]!;
    for (const folded of spellingsOf(character)) {
      if (!spelling.startsWith(folded, at)) continue;
      glyphs[index] = { shown: character, start: at, end: at + folded.length };
      if (fill(index + 1, at + folded.length)) return true;
    }
    return false;
  }
  return fill(0, 0) ? glyphs : [{ shown, start: 0, end: spelling.length }];
}

export function shownText(glyphs: readonly Glyph[]): string {
  return glyphs.map(({ shown }) => shown).join("");
}
