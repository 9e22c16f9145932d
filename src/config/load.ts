import { dirname, resolve } from "node:path";
import { crossCheck } from "./checks.ts";
import { type Config, toConfig } from "./config.ts";
import type { TableNode } from "./toml/nodes.ts";
import { cutFound, type Fault } from "./fault.ts";
import { fieldSchema, type Partly, type ReadContext } from "./fields.ts";
import { quickDocument } from "./toml/quick-document.ts";
import { type Finding, readValues } from "./read.ts";
import { configSchema, type FileValues } from "./schema.ts";

export type { Config } from "./config.ts";
export { type Fault, formatFault } from "./fault.ts";

/** Ten thousand protected domains fit; the parser takes three seconds for garbage of this size. */
export const configBytesMax = 1024 * 1024;
/** More than anybody reads; what goes beyond is counted. */
export const faultsMax = 100;

export interface LoadOptions {
  /** As the user gave it; messages show it so. Relative paths in the file are relative to its folder. */
  path: string;
  /** The file's content, when it has been read already. */
  text?: string;
  env: ReadContext["env"];
  /** Throws when the file cannot be read; `(path) => readFileSync(path)`. */
  readFile: ReadContext["readFile"];
}

export type LoadResult = { ok: true; config: Config } | { ok: false; faults: Fault[] };

/**
 * Reads the configuration file. Never throws on what the file holds: either everything is right, or every
 * fault is told, in the order of the file (of a file that is not TOML: the first).
 */
export function loadConfig({ path, text, env, readFile }: LoadOptions): LoadResult {
  const source = readSource(path, text === undefined ? readFile : () => text);
  if (!source.ok) return { ok: false, faults: [{ file: path, path: "", ...source.fault }] };
  const withSource = (values: FileValues): Config => ({
    ...toConfig(values),
    source: { path: resolve(path), text: source.text },
  });
  const context: ReadContext = { folder: dirname(resolve(path)), env, readFile };
  const quick = quickDocument(source.text);
  if (quick !== undefined) {
    const { value, findings } = judge(quick, context);
    if (findings.length === 0) return { ok: true, config: withSource(value) };
  }
  return loadWithPlaces(path, source.text, context, withSource);
}

/** Every value read and every fault found; `value` is whole when there is none. */
function judge(root: TableNode, context: ReadContext): { value: FileValues; findings: Finding[] } {
  const { value, findings, origins } = readValues(fieldSchema(configSchema), root, context);
  const lineOf = (of: string) => origins.get(of)?.line;
  for (const contradiction of crossCheck(value as Partly<FileValues>, lineOf)) {
    findings.push({ ...contradiction, at: origins.get(contradiction.path) ?? root });
  }
  return { value: value as FileValues, findings };
}

function loadWithPlaces(
  path: string,
  text: string,
  context: ReadContext,
  withSource: (values: FileValues) => Config,
): LoadResult {
  // Loaded on demand: most starts do without the parser that knows places.
  const { parseDocument } = require("./toml/document.ts") as typeof import("./toml/document.ts");
  const document = parseDocument(text);
  if (!document.ok) {
    const { at, ...fault } = document.fault;
    return { ok: false, faults: [{ file: path, ...at, path: "", ...fault }] };
  }
  const { value, findings } = judge(document.root, context);
  if (findings.length > 0) return { ok: false, faults: faultsOf(path, findings) };
  return { ok: true, config: withSource(value) };
}

type SourceResult =
  { ok: true; text: string } | { ok: false; fault: Pick<Fault, "line" | "found" | "allowed"> };

function readSource(path: string, readFile: ReadContext["readFile"]): SourceResult {
  let content: string | Uint8Array;
  try {
    content = readFile(path);
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code;
    const found =
      code === "ENOENT" ? "no such file" : code === "EISDIR" ? "a folder" : "a file that cannot be read";
    return { ok: false, fault: { found, allowed: "a configuration file (`phishwatch init` writes one)" } };
  }
  if (content.length > configBytesMax) {
    const fault = { found: `${content.length} bytes`, allowed: `at most ${configBytesMax} bytes` };
    return { ok: false, fault };
  }
  if (typeof content === "string") return { ok: true, text: content };
  const line = firstLineThatIsNotUtf8(content);
  if (line !== undefined)
    return { ok: false, fault: { line, found: "bytes that are not UTF-8", allowed: "UTF-8" } };
  return { ok: true, text: new TextDecoder().decode(content) };
}

function firstLineThatIsNotUtf8(content: Uint8Array): number | undefined {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    decoder.decode(content);
    return undefined;
  } catch {
    // A line feed is never part of a longer UTF-8 sequence, so lines can be judged one by one.
    for (let line = 1, start = 0; ; line++) {
      const feed = content.indexOf(0x0a, start);
      const end = feed === -1 ? content.length : feed;
      try {
        decoder.decode(content.subarray(start, end));
      } catch {
        return line;
      }
      if (feed === -1) return line;
      start = end + 1;
    }
  }
}

/** In the order of the file. */
function faultsOf(file: string, findings: Finding[]): Fault[] {
  findings.sort((left, right) => left.at.line - right.at.line || left.at.column - right.at.column);
  const faults = findings.slice(0, faultsMax).map(({ path, at, found, allowed, nearest }): Fault => {
    const fault: Fault = { file, line: at.line, path, found: cutFound(found), allowed };
    if (nearest !== undefined) fault.nearest = nearest;
    return fault;
  });
  const more = findings.length - faults.length;
  if (more > 0) faults.push({ file, path: "", found: `${more} more faults`, allowed: "none" });
  return faults;
}
