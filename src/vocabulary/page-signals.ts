import { visible } from "../lib/safe-text.ts";

/** One observation about a page, and how much it says about whether the page imitates a protected brand. */
export interface Signal {
  /** Stable code, as it is stored. */
  code: string;
  /** Result of the comparison, 0 to 1. */
  strength: number;
  /** Contribution to the score, in log-odds; negative: it speaks against an imitation. */
  points: number;
  /** Values for the text, such as the address of the original. Untrusted. */
  params: Record<string, string | number>;
}

/** Result of comparing a page with a protected brand, as it is kept with the facts about a page. */
export interface PageImitation {
  protectedDomain: string;
  /** Estimated probability that the page imitates the brand, 0 to 1, at most four decimals. */
  score: number;
  imitates: boolean;
  /** Address of the original page that resembles it most; null or absent if none is known. */
  original?: string | null;
  /** From the largest contribution to the smallest. */
  signals: Signal[];
}

type Values = Readonly<Record<string, string>>;

/** Text of each signal; its values are quoted and escaped. A signal that is not listed is shown by its code. */
const signalTexts: ReadonlyMap<string, (values: Values) => string> = new Map();

const valueCharactersMax = 100;

/** Renders a signal as text that is safe to show; the only place that words it. */
export function describeSignal({ code, params }: Pick<Signal, "code" | "params">): string {
  const values = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, visible(String(value), valueCharactersMax)]),
  );
  return signalTexts.get(code)?.(values) ?? visible(code.replaceAll("_", " "), valueCharactersMax);
}
