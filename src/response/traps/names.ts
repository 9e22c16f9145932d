import { badRequest } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { trapIdPrefix, trapKindNames } from "../../platform/vocabulary/traps.ts";

const nameLengthMax = 100;
const memoLengthMax = 1_000;

/** @throws PublicError `bad_request` */
export function readName(name: string): string {
  const text = name.trim();
  const isLikeId = trapKindNames.some((kind) => text.startsWith(`${trapIdPrefix(kind)}_`));
  if (text === "" || text.length > nameLengthMax || visible(text) !== text || isLikeId)
    throw badRequest(
      `A name must have 1 to ${nameLengthMax} visible characters and must not begin like an identifier.`,
    );
  return text;
}

/** @throws PublicError `bad_request` */
export function readMemo(memo: string): string {
  if (memo.length <= memoLengthMax) return memo;
  throw badRequest(`A memo must have at most ${memoLengthMax} characters.`);
}

/** Returns the first of `base`, `base 2`, `base 3` … that is not taken. */
export function freeName(base: string, taken: readonly string[]): string {
  const used = new Set(taken);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base} ${number}`;
    if (!used.has(name)) return name;
  }
}
