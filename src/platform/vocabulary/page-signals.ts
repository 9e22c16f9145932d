import { visible } from "../lib/safe-text.ts";
import { counted, fillIn, grouped } from "../lib/wording.ts";
/** Text of each signal, a clause about the page; its values are escaped. */
import texts from "./page-signals.json" with { type: "json" };

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

/** Texts that depend on a number. All other ones are in `page-signals.json`. */
const countedTexts: Readonly<Record<string, (values: Values) => string>> = {
  same_files: ({ count, original }) =>
    `${someOf(count, "files has a name that is", "files have names that are")} also used by ${original}`,
  same_scripts: ({ count, original }) => `${someOf(count, "scripts is", "scripts are")} also in ${original}`,
  same_links: ({ count, original }) =>
    `${someOf(count, "links has a path that is", "links have paths that are")} also in ${original}`,
  brand_in_text: ({ count }) => `its text names the brand ${count === "1" ? "once" : `${count} times`}`,
  own_links: (values) => `${partOf(values, "link", "leads", "lead")} to its own site`,
  own_text: ({ words }) =>
    `about ${counted(Number(words), "word")} of its text ${words === "1" ? "is" : "are"} its own`,
  links_to_brand: (values) => `${partOf(values, "link", "leads", "lead")} to the brand's pages`,
  files_from_brand: (values) =>
    `${partOf(values, "picture or style sheet", "is", "are", "pictures and style sheets")} loaded from the brand`,
  young_certificate: ({ days }) => `${ageOf(Number(days))}, or browsers reject it`,
  dead_links: ({ dead, all }) => `${partOf({ own: dead, all }, "link", "leads", "lead")} nowhere`,
};

/** Returns a rounded percentage: `12 %`; a share that was found is never none at all. */
function shareOf(percent: string | undefined): string {
  return percent === "0" ? "less than 1 %" : `${percent} %`;
}

/** `one of its files is`, `1,200 of its files are`. */
function someOf(count: string | undefined, one: string, many: string): string {
  return count === "1" ? `one of its ${one}` : `${grouped(Number(count))} of its ${many}`;
}

/** `its only link leads`, `both of its links lead`, `all of its 12 links lead`, `one of its 12 links leads`. */
function partOf(
  { own, all }: Readonly<Record<string, string | undefined>>,
  noun: string,
  does: string,
  doAll: string,
  nouns = `${noun}s`,
): string {
  const [part, whole] = [Number(own), Number(all)];
  if (part === 0) return `none of its ${nouns} ${doAll}`;
  if (whole === 1) return `its only ${noun} ${does}`;
  const of = `of its ${grouped(whole)} ${nouns}`;
  if (part === whole) return whole === 2 ? `both of its ${nouns} ${doAll}` : `all ${of} ${doAll}`;
  return part === 1 ? `one ${of} ${does}` : `${grouped(part)} ${of} ${doAll}`;
}

function ageOf(days: number): string {
  return days < 1
    ? "its certificate is less than a day old"
    : `its certificate is ${counted(days, "day")} old`;
}

const valueCharactersMax = 100;

/**
 * Renders a signal as text that is safe to show; the only place that words it. One that another version stored may have a
 * code that has no text, which is shown itself.
 */
export function describeSignal({ code, params }: Pick<Signal, "code" | "params">): string {
  const values = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, visible(String(value), valueCharactersMax)]),
  );
  if (Object.hasOwn(countedTexts, code)) return countedTexts[code]!(values);
  if (!Object.hasOwn(texts, code)) return visible(code.replaceAll("_", " "), valueCharactersMax);
  return fillIn(texts[code as keyof typeof texts], { ...values, share: shareOf(values["percent"]) });
}
