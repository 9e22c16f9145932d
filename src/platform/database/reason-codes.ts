import type { Database as Sqlite } from "bun:sqlite";

/*
 * The data step of migration 0012: up to then, the reasons of a threat were stored as English sentences. Like any
 * migration this is frozen: it imports nothing, and the patterns are the sentences of that version, whatever the
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
function rewriter(toCode: (sentence: string) => Code): (sentences: string) => string {
  return (sentences) => JSON.stringify((JSON.parse(sentences) as string[]).map(toCode));
}

type Pattern = [pattern: RegExp, code: string, ...params: string[]];

/** Keys of `params` in the order of the groups; those of numbers end with "#", and "position#" counts from 1 in the text. */
const severityPatterns: Pattern[] = [
  [/^the name deceives a careful reader \(similarity ([\d.]+)\)$/, "deceives_careful_reader", "similarity#"],
  [/^the name deceives a hurried reader \(similarity ([\d.]+)\)$/, "deceives_hurried_reader", "similarity#"],
  [
    /^the name resembles the protected one \(similarity ([\d.]+)\)$/,
    "resembles_protected_name",
    "similarity#",
  ],
  [/^a copy of the page was seen in use$/, "copy_seen_in_use"],
  [/^the name is not in DNS$/, "not_in_dns"],
  [/^the name was taken over by a sinkhole \((.+)\)$/s, "sinkholed", "by"],
  [/^the name is registered and leads nowhere yet$/, "leads_nowhere"],
  [/^a mail server receives for it$/, "receives_mail"],
  [/^it is parked \((.+)\)$/s, "parked", "with"],
  [/^it was registered (\d+) days? ago$/, "newly_registered", "days#"],
  [/^it has been registered for (\d+) years$/, "long_registered", "years#"],
  [/^it leads to the domain that it imitates$/, "redirects_to_protected"],
  [/^its page looks like the original's$/, "looks_like_original"],
  [/^its page names the brand$/, "names_brand"],
  [/^its page has nothing to do with the brand$/, "unrelated_page"],
];

/** Quoted parts of names, in which no quotation mark can stand. */
const quoted = `"([^"]*)"`;
const codePoints = String.raw`(?: \(U\+[0-9A-F]{4,6}(?: U\+[0-9A-F]{4,6})*\))?`;
const place = String.raw`at position (\d+) of the label ${quoted}`;
const inOrder = ["position#", "label"];

const similarityPatterns: Pattern[] = [
  [
    pattern(`${quoted}${codePoints} looks like ${quoted} ${place}`),
    "confusable",
    "found",
    "expected",
    ...inOrder,
  ],
  [pattern(`${quoted} stands ${place}`), "label_part", "found", ...inOrder],
  [pattern(`the whole label ${quoted} reads as ${quoted}`), "whole_label", "label", "expected"],
  [pattern(`${quoted} in ${quoted} is a word that phishing names use`), "keyword", "keyword", "label"],
  [pattern(`the suffix is ${quoted} in place of ${quoted}`), "other_suffix", "found", "expected"],
  [pattern(`anybody can have a name under ${quoted}`), "hosted", "suffix"],
  [pattern(`the label ${quoted} stands below ${quoted}`), "sub_label", "label", "registrableDomain"],
  [pattern(`the whole name ${quoted} is embedded as ${quoted}`), "whole_name", "expected", "found"],
  [pattern(`${quoted} is split up as ${quoted}`), "split", "expected", "found"],
  [
    pattern(String.raw`${quoted} sounds like ${quoted} \(both ([A-Z0-9]*)\)`),
    "sound",
    "label",
    "expected",
    "code",
  ],
  [pattern(`${quoted} is left out ${place}`), "omission", "expected", ...inOrder],
  [pattern(`${quoted} is added ${place}`), "insertion", "found", ...inOrder],
  [pattern(`${quoted} is repeated ${place}`), "repetition", "found", ...inOrder],
  [pattern(`${quoted} is added as a plural ${place}`), "plural", "found", ...inOrder],
  [
    pattern(`${quoted} is transposed to ${quoted} ${place}`),
    "transposition",
    "expected",
    "found",
    ...inOrder,
  ],
  [pattern(`${quoted} is one bit away from ${quoted} ${place}`), "bit_flip", "found", "expected", ...inOrder],
  [
    pattern(`${quoted} is next to ${quoted} on the keyboard ${place}`),
    "keyboard_neighbor",
    "found",
    "expected",
    ...inOrder,
  ],
  [
    pattern(`the vowel ${quoted} is replaced by ${quoted} ${place}`),
    "vowel_swap",
    "expected",
    "found",
    ...inOrder,
  ],
  [pattern(`${quoted} is replaced by ${quoted} ${place}`), "replacement", "expected", "found", ...inOrder],
  [/^a page with the beacon "(.*)" was shown there$/s, "beacon_reported", "beacon"],
  [/^its page is a copy of the protected domain's$/, "copy_shown"],
];

/** Parameters in which hidden characters were escaped as `\u{202e}`; now that happens when they are shown. */
const partsOfNames = new Set(["found", "expected", "label", "keyword", "suffix", "registrableDomain"]);

function unescape(text: string): string {
  return text.replace(/\\u\{([0-9a-f]{1,6})\}/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}

function pattern(source: string): RegExp {
  return new RegExp(`^${source}$`);
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
  for (const [expression, code, ...names] of patterns) {
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
