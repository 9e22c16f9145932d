/** Displayed characters, and the stretches of folded text that they stand for. */
import { spellingsOf } from "../brand/brand-words.ts";
import type { HostLabel } from "../names/host.ts";

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
export function glyphsOfSpelling(shown: string, spelling: string): Glyph[] {
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
