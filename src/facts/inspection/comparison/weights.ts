import fitted from "./data/weights.json" with { type: "json" };

/** Logistic model: log-odds are the sum of the base and of strength times weight of each signal. */
export interface Model {
  base: number;
  /** Smallest score of a page that imitates the brand. */
  threshold: number;
  /** Weight of each code in log-odds; of a code that is missing: 0. */
  weights: Readonly<Record<string, number>>;
}

/** Written by `scripts/fit-pages`. */
export interface FittedModels {
  /** Sites on which the models were fitted, and when. */
  fittedOn: { date: string; pages: number; description: string };
  withOriginals: Model;
  /** For a brand of which no page was captured: names, links and forms have to suffice. */
  withoutOriginals: Model;
}

export const fittedModels: FittedModels = fitted;

/** Standard logistic function. */
export function probability(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
