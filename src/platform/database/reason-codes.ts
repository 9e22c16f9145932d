import type { Database as Sqlite } from "bun:sqlite";
import sentences from "./reason-codes.json" with { type: "json" };

/*
 * The data step of migration 0012: up to then, the reasons of a threat were stored as English sentences. Like any
 * migration this is frozen: it imports nothing else, and the patterns are the sentences of that version, whatever the
 * wording has become since.
 */

interface Code {
  code: string;
  params: Record<string, unknown>;
}

const batchRows = 2_000;

/** Rewrites the reasons of all threats; takes about 20 seconds per million threats. */
export function storeReasonsAsCodes(sqlite: Sqlite): void {
  const read = sqlite.query<{ seq: number; reasons: string; severityReasons: string }, [number, number]>(
    `select seq, reasons, severity_reasons as severityReasons from threats where seq > ? order by seq limit ?`,
  );
  const write = sqlite.query("update threats set reasons = ?, severity_reasons = ? where seq = ?");
  const similarity = rewriter(similarityCodeOf);
  const severity = rewriter(severityCodeOf);
  let after = 0;
  for (;;) {
    const rows = read.all(after, batchRows);
    if (rows.length === 0) break;
    for (const { seq, reasons, severityReasons } of rows)
      write.run(similarity(reasons), severity(severityReasons), seq);
    after = rows.at(-1)!.seq;
  }
}

/** Returns a function that maps a JSON array of sentences to one of codes. */
function rewriter(toCode: (sentence: string) => Code): (json: string) => string {
  return (json) => JSON.stringify((JSON.parse(json) as string[]).map(toCode));
}

/** Parts of sentences: quoted parts of names, in which no quotation mark can stand, code points, and a place. */
const parts: Readonly<Record<string, string>> = {
  text: `"([^"]*)"`,
  points: String.raw`(?: \(U\+[0-9A-F]{4,6}(?: U\+[0-9A-F]{4,6})*\))?`,
  place: String.raw`at position (\d+) of the label "([^"]*)"`,
};

/** Parameters are in the order of the groups; those of numbers end with "#", and "position#" counts from 1 in the text. */
const patternsIn = (rows: typeof sentences.severity) =>
  rows.map(({ sentence, code, params }) => {
    const source = sentence.replace(/<(\w+)>/g, (_, part: string) => parts[part]!);
    return { expression: new RegExp(`^${source}$`, "s"), code, params };
  });
type Pattern = ReturnType<typeof patternsIn>[number];
const severityPatterns = patternsIn(sentences.severity);
const similarityPatterns = patternsIn(sentences.similarity);

/** Parameters in which hidden characters were escaped as `\u{202e}`; now that happens when they are shown. */
const partsOfNames = new Set(["found", "expected", "label", "keyword", "suffix", "registrableDomain"]);

function unescape(text: string): string {
  return text.replace(/\\u\{([0-9a-f]{1,6})\}/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}

/** Returns the code of one sentence; an unknown one becomes `legacy`, so that it is not lost. */
export function severityCodeOf(sentence: string): Code {
  // The two parts of this one become booleans.
  const secrets = /^its page asks for (a password)?( and )?(a card number)?$/.exec(sentence);
  if (secrets !== null && (secrets[1] ?? secrets[3]) !== undefined) {
    const [, password, and, card] = secrets;
    if ((and !== undefined) === (password !== undefined && card !== undefined))
      return {
        code: "asks_for_secrets",
        params: { password: password !== undefined, card: card !== undefined },
      };
  }
  return codeOf(sentence, severityPatterns);
}

export function similarityCodeOf(sentence: string): Code {
  // The one form that names its label once.
  const whole = /^the label is "([^"]*)" and nothing else$/.exec(sentence);
  if (whole !== null) {
    const label = unescape(whole[1]!);
    return { code: "whole_label", params: { label, expected: label } };
  }
  return codeOf(sentence, similarityPatterns);
}

function codeOf(sentence: string, patterns: readonly Pattern[]): Code {
  for (const { expression, code, params: names } of patterns) {
    const match = expression.exec(sentence);
    if (match === null) continue;
    const params: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) {
      const text = match[index + 1]!;
      if (name === "position#") params.position = Number(text) - 1;
      else if (name.endsWith("#")) params[name.slice(0, -1)] = Number(text);
      else params[name] = partsOfNames.has(name) ? unescape(text) : text;
    }
    return { code, params };
  }
  return { code: "legacy", params: { text: sentence } };
}
