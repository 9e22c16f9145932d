import definitions from "./reasons.json" with { type: "json" };

/** Things that two threats can have in common, and that cost an attacker money or work. */
export type ReasonCode = keyof typeof definitions;

/** Two threats belong together if the weights of the aspects that they share add up to this. */
export const pairWeightMin = 50;

/**
 * A reason for which threats belong together. The manual's table is generated from it (`scripts/render-campaign-reasons.ts`).
 */
export interface Reason {
  name: string;
  /** Name within a list. */
  short: string;
  /** Reasons of one aspect count once: a copied page has the icon, the structure and the look of the original. */
  aspect: "certificate" | "address" | "name" | "page" | "name_servers" | "registration";
  weight: number;
  /** Why it costs an attacker money or work. */
  cost: string;
  /** Examples. */
  joins: string;
  joinsNot: string;
}

export const reasons = definitions as Record<ReasonCode, Reason>;
export const reasonCodes = Object.keys(reasons) as ReasonCode[];
