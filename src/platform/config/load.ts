import { dirname, resolve } from "node:path";
import { cutFound, type ConfigError } from "./fields/config-error.ts";
import { type Config, type ConfigSource, toConfig } from "./config.ts";
import { findConflicts } from "./conflicts.ts";
import type { Diagnostic } from "./diagnostics.ts";
import { fieldSchema, type Partly, type ReadContext } from "./fields/fields.ts";
import { readValues } from "./read.ts";
import { configSchema, type FileValues } from "./schema.ts";
import { parseDocument, type TableNode } from "./toml/document.ts";
import { quickDocument } from "./toml/quick-document.ts";
import { codeOf } from "../lib/errors.ts";

export type { Config } from "./config.ts";
export { type ConfigError, formatConfigError } from "./fields/config-error.ts";

/** Enough for ten thousand protected domains. The parser takes three seconds for garbage of this size. */
export const configBytesMax = 1024 * 1024;
/** Maximum number of reported errors; further ones are counted. */
export const errorsMax = 100;

export interface LoadOptions extends Pick<ConfigSource, "listen"> {
  /** Path as given by the user, and as shown in messages. */
  path: string;
  /** Content of the file, if it has already been read. */
  text?: string;
  env: ReadContext["env"];
  /** Reads a file; throws if it cannot be read. */
  readFile: ReadContext["readFile"];
}

export type LoadResult =
  | { ok: true; config: Config }
  | {
      ok: false;
      errors: ConfigError[];
      /** `storage.path`, if that could be read. */
      databasePath?: string | undefined;
    };

/**
 * Loads the configuration file. Never throws because of its content: it returns the configuration, or all errors in
 * the order of the file (for a file that is not TOML, the first error).
 */
export function loadConfig({ path, text, listen, env, readFile }: LoadOptions): LoadResult {
  const source = readSource(path, text === undefined ? readFile : () => text);
  if (!source.ok) return { ok: false, errors: [{ file: path, path: "", ...source.error }] };
  const files = new Set<string>();
  const context: Context = {
    folder: dirname(resolve(path)),
    env,
    listen,
    readFile(file) {
      files.add(file);
      return readFile(file);
    },
  };
  const withSource = (values: FileValues): Config => ({
    ...toConfig(values),
    source: { path: resolve(path), text: source.text, listen, values, files: [...files] },
  });
  const quick = quickDocument(source.text);
  if (quick !== undefined) {
    const { value, diagnostics } = validate(quick, context);
    if (diagnostics.length === 0) return { ok: true, config: withSource(value) };
  }
  return loadWithPlaces(path, source.text, context, withSource);
}

type Context = ReadContext & Pick<ConfigSource, "listen">;

/** Reads and validates all values. `value` is complete if there is no diagnostic. */
function validate(
  root: TableNode,
  context: Context,
): { value: FileValues; partial: Partly<FileValues>; diagnostics: Diagnostic[] } {
  const { value, diagnostics, positions } = readValues(fieldSchema(configSchema), root, context);
  const values = value as Partly<FileValues>;
  if (context.listen !== undefined && values.server !== undefined) values.server.listen = context.listen;
  const lineOf = (of: string) => positions.get(of)?.line;
  for (const conflict of findConflicts(values, lineOf)) {
    diagnostics.push({ ...conflict, at: positions.get(conflict.path) ?? root });
  }
  return { value: value as FileValues, partial: values, diagnostics };
}

function loadWithPlaces(
  path: string,
  text: string,
  context: Context,
  withSource: (values: FileValues) => Config,
): LoadResult {
  const document = parseDocument(text);
  if (!document.ok) {
    const { at, ...error } = document.error;
    return { ok: false, errors: [{ file: path, ...at, path: "", ...error }] };
  }
  const { value, partial, diagnostics } = validate(document.root, context);
  if (diagnostics.length > 0) {
    return { ok: false, errors: errorsOf(path, diagnostics), databasePath: partial.storage?.path };
  }
  return { ok: true, config: withSource(value) };
}

type SourceResult =
  { ok: true; text: string } | { ok: false; error: Pick<ConfigError, "line" | "found" | "allowed"> };

function readSource(path: string, readFile: ReadContext["readFile"]): SourceResult {
  let content: string | Uint8Array;
  try {
    content = readFile(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EACCES")
      return {
        ok: false,
        error: { found: "a file that this user may not read", allowed: "permission to read it" },
      };
    const found = code === "ENOENT" ? "no such file" : code === "EISDIR" ? "a folder" : "an unreadable file";
    return { ok: false, error: { found, allowed: "a configuration file (`phishwatch init` writes one)" } };
  }
  if (content.length > configBytesMax) {
    const error = { found: `${content.length} bytes`, allowed: `at most ${configBytesMax} bytes` };
    return { ok: false, error };
  }
  if (typeof content === "string") return { ok: true, text: content };
  const line = firstLineThatIsNotUtf8(content);
  if (line !== undefined)
    return { ok: false, error: { line, found: "bytes that are not UTF-8", allowed: "UTF-8" } };
  return { ok: true, text: new TextDecoder().decode(content) };
}

function firstLineThatIsNotUtf8(content: Uint8Array): number | undefined {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    decoder.decode(content);
    return undefined;
  } catch {
    // A line feed is never part of a longer UTF-8 sequence, so each line can be decoded separately.
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

/** Returns the errors in the order of the file. */
function errorsOf(file: string, diagnostics: Diagnostic[]): ConfigError[] {
  diagnostics.sort((left, right) => left.at.line - right.at.line || left.at.column - right.at.column);
  const errors = diagnostics.slice(0, errorsMax).map(({ path, at, found, allowed, nearest }): ConfigError => {
    const error: ConfigError = { file, line: at.line, path, found: cutFound(found), allowed };
    if (nearest !== undefined) error.nearest = nearest;
    return error;
  });
  const more = diagnostics.length - errors.length;
  if (more > 0) errors.push({ file, path: "", found: `${more} more errors`, allowed: "none" });
  return errors;
}
