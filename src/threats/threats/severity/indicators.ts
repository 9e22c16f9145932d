import type { SeverityReason, SeverityReasonCode } from "./severity-reasons.ts";

/** Facts about a threat that the list can be filtered by: a function of the codes of its severity reasons. */
export const indicators = [
  "asks_for_secrets",
  "page_imitates",
  "looks_like_original",
  "receives_mail",
  "newly_registered",
  "parked",
  "leads_nowhere",
] as const satisfies readonly SeverityReasonCode[];
export type Indicator = (typeof indicators)[number];

const bits: ReadonlyMap<string, number> = new Map(indicators.map((code, index) => [code, 1 << index]));

export function indicatorBit(indicator: Indicator): number {
  return bits.get(indicator)!;
}

/** Returns the union of the bits of the indicators that the reasons show. */
export function indicatorBits(severityReasons: readonly Pick<SeverityReason, "code">[]): number {
  let union = 0;
  for (const { code } of severityReasons) union |= bits.get(code) ?? 0;
  return union;
}

/** Returns the indicators that a threat's severity reasons show, in the order of `indicators`. */
export function indicatorsIn(severityReasons: readonly Pick<SeverityReason, "code">[]): Indicator[] {
  const shown = indicatorBits(severityReasons);
  return indicators.filter((indicator) => (shown & indicatorBit(indicator)) !== 0);
}
