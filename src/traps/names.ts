import { normalizeName } from "../detection/names/name.ts";
import { badRequest } from "../lib/errors.ts";
import { visible } from "../lib/safe-text.ts";

/** What people write when they set a trap. */

const nameLengthMax = 100;
const memoLengthMax = 1_000;
/** Each is looked at with each visit, and stands on the beacon's page. */
const hostsMax = 200;

/** @throws PublicError `bad_request` */
export function readName(name: string): string {
  const text = name.trim();
  if (text === "" || text.length > nameLengthMax || visible(text) !== text || /^(bcn|tok)_/.test(text))
    throw badRequest(
      `A name is 1 to ${nameLengthMax} visible characters and does not begin like an identifier.`,
    );
  return text;
}

/** @throws PublicError `bad_request` */
export function readMemo(memo: string): string {
  if (memo.length <= memoLengthMax) return memo;
  throw badRequest(`A memo has ${memoLengthMax} characters at most.`);
}

/** A-labels. @throws PublicError `bad_request` */
export function readHosts(texts: readonly string[]): string[] {
  if (texts.length > hostsMax) throw badRequest(`A beacon has ${hostsMax} further hosts at most.`);
  return texts.map((text) => {
    const result = normalizeName(text);
    if ("name" in result) return result.name;
    throw badRequest(`"${visible(text, 100)}" is not a host name: ${result.error}.`);
  });
}

/** The first of `base`, `base 2`, `base 3` … that is free. */
export function freeName(base: string, taken: readonly string[]): string {
  const used = new Set(taken);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base} ${number}`;
    if (!used.has(name)) return name;
  }
}
