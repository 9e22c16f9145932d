/** Observations of a build, such as a response or the output of a command, by the name of their case. */
export type Recording = Map<string, string>;
export type Record = (name: string, observed: string) => void;

/** Values that differ between two runs of the same build. Each is replaced by its kind. */
const variable: [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<request id>"],
  [/((?:form_token|csrf)"? ?(?:value|content)=")[^"]+/g, "$1<token>"],
  [/\/console\/assets\/([a-z-]+)\.[0-9a-f]{8}\./g, "/console/assets/$1.<hash>."],
  [/"pid":\d+/g, '"pid":0'],
  [/\d+ MiB in use/g, "<amount> in use"],
  [/\bscreenshots\/[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)?/g, "screenshots/<secret>"],
];
/** Values that also differ between two runs of a command, because they are random or follow the clock of the machine. */
const variableInCommands: [RegExp, string][] = [
  [/\b\d+(?:\.\d+)? ?(?:ms|s|MiB|KiB|GiB|kB|names\/s)\b/g, "<amount>"],
  [/\b(thr|evt|key|whk|dlv|scn|bcn|tok|dom|chn|sub|lst|usr|acc)_[0-9a-z]{26}\b/g, "$1_<id>"],
  // The lineage of a backup.
  [/\b[0-9a-f]{8}$/gm, "<lineage>"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?/g, "<time>"],
  [/\b\d{4}-\d\d-\d\d(?:-\d{6})?\b/g, "<date>"],
  [/(hostmaster\.localhost\. )\d+/g, "$1<serial>"],
  [/("free_disk_bytes":)\d+|[\d,]+( more files can be created)/g, "$1<number>$2"],
  [/sha256-[A-Za-z0-9+/]{43}=/g, "sha256-<hash>"],
  [/<script>!function\(k,o\)[^\n]*?<\/script>/g, "<script of a beacon>"],
  [/\bpw_[0-9A-Za-z]{38}\b/g, "<api key>"],
  [/\bpw_[0-9A-Za-z]{5}/g, "<start of an api key>"],
  [/\bwhsec_[A-Za-z0-9+/=]+/g, "<secret>"],
  [/\/lists\/[A-Za-z0-9_-]{20,}/g, "/lists/<token>"],
  [/\/([bt])\/[A-Za-z0-9_-]{8,}/g, "/$1/<address>"],
  [/\b(?:[a-z0-9]{4}-){4,}[a-z0-9]{4}\b/g, "<password>"],
  [/\/invitation\/[A-Za-z0-9_-]+/g, "/invitation/<secret>"],
];

export function withoutVariables(text: string): string {
  return replaceAll(text, variable);
}

/** @param folder of the run, whose path differs between two builds. */
export function withoutCommandVariables(text: string, folder: string): string {
  return replaceAll(withoutVariables(text.replaceAll(folder, "<folder>")), variableInCommands);
}

function replaceAll(text: string, replacements: readonly [RegExp, string][]): string {
  return replacements.reduce((result, [pattern, by]) => result.replace(pattern, by), text);
}

/** Describes how a case differs: its first differing line and how many lines differ. */
export function describeDifference(
  before: string | undefined,
  after: string | undefined,
): string | undefined {
  if (before === after) return undefined;
  if (before === undefined) return "only in the second build";
  if (after === undefined) return "only in the first build";
  const [old, now] = [splitLines(before), splitLines(after)];
  const [oldSet, nowSet] = [new Set(old), new Set(now)];
  const removed = old.filter((line) => !nowSet.has(line));
  const added = now.filter((line) => !oldSet.has(line));
  if (removed.length + added.length === 0) return "the same lines in another order";
  const shown = (sign: string, lines: string[]) =>
    lines.slice(0, shownLinesMax).map((line) => `    ${sign} ${line.trim().slice(0, shownCharactersMax)}`);
  return [
    `${removed.length} lines removed, ${added.length} added`,
    ...shown("-", removed),
    ...shown("+", added),
  ].join("\n");
}

const shownLinesMax = 6;
const shownCharactersMax = 300;

/** Markup and JSON stand on one line: a difference is shown by element and member. */
function splitLines(text: string): string[] {
  return text.replace(/></g, ">\n<").replace(/,"/g, ',\n"').split("\n");
}
