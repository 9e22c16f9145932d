import { copyMeasures } from "./copy-rules.ts";
import { identityMeasures } from "./identity-rules.ts";
import { otherMeasures } from "./other-rules.ts";
import { placeMeasures } from "./place-rules.ts";
import { requestMeasures } from "./request-rules.ts";
import { signalRows, type Measure, type SignalCode } from "./signal-rule.ts";
import fitted from "./data/weights.json" with { type: "json" };

const measures: Readonly<Record<SignalCode, Measure>> = {
  ...identityMeasures,
  ...copyMeasures,
  ...requestMeasures,
  ...placeMeasures,
  ...otherMeasures,
};

/** Every comparison, in the order of the manual. */
export const signalRules = (Object.keys(signalRows) as SignalCode[]).map((code) => ({
  code,
  ...signalRows[code],
  measure: measures[code],
}));

/** Code of the only signal of a page that is the brand's own or a partner's, which is never compared. */
export const ownPageCode = "own_page";

/** Logistic model: log-odds are the sum of the base and of strength times weight of each signal. */
interface Model {
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
  /** For a brand without captured pages: names, links and forms have to suffice. */
  withoutOriginals: Model;
}

export const fittedModels: FittedModels = fitted;

/** Standard logistic function. */
export function probability(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
