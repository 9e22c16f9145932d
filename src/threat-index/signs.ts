/** What the facts showed of a threat, as far as a person filters by it: read from the reasons of its severity. */
export const signs = [
  "asks_for_secrets",
  "looks_like_original",
  "receives_mail",
  "newly_registered",
  "parked",
  "leads_nowhere",
] as const;
export type Sign = (typeof signs)[number];

/** Parts of the reasons as `severity.ts` words them; a test holds the two together. */
const wording: Record<Sign, string> = {
  asks_for_secrets: "its page asks for ",
  looks_like_original: "its page looks like the original",
  receives_mail: "a mail server receives for it",
  newly_registered: "it was registered ",
  parked: "it is parked ",
  leads_nowhere: "leads nowhere yet",
};

/** Bit `1 << index` of each sign that the reasons (their JSON text, or one of them) tell of. */
export function signBits(severityReasons: string): number {
  let bits = 0;
  for (let index = 0; index < signs.length; index += 1) {
    if (severityReasons.includes(wording[signs[index]!])) bits |= 1 << index;
  }
  return bits;
}

export function signBit(sign: Sign): number {
  return 1 << signs.indexOf(sign);
}

/** The signs that a threat's reasons of severity tell of. */
export function signsIn(severityReasons: readonly string[]): Sign[] {
  const bits = severityReasons.reduce((sum, reason) => sum | signBits(reason), 0);
  return signs.filter((sign) => (bits & signBit(sign)) !== 0);
}
