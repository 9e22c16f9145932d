import type { ConfigSource } from "../../platform/config/config.ts";
import { parseDocument } from "../../platform/config/toml/document.ts";
import type { TomlNode } from "../../platform/config/toml/document.ts";

/** The configuration file as it was read. */
export type SourceText = Pick<ConfigSource, "path" | "text">;

/** Place in the configuration file. */
export interface SettingPlace {
  file: string;
  /** Counts from 1. Absent if neither the key nor its table is in the file. */
  line?: number;
}

type FindPlace = (setting: string) => SettingPlace | undefined;

/**
 * Returns a function that finds a setting such as `server.listen`, or `feeds["nrd"].path` for the entry of that name. For
 * a key that is not set, it returns the line of its table, below which it can be added.
 */
export function placesIn(source: Pick<ConfigSource, "path" | "text"> | undefined): FindPlace {
  if (source === undefined) return () => undefined;
  const { path: file, text } = source;
  const document = parseDocument(text);
  if (!document.ok) throw new Error(`${file} was read once, so it is TOML`);
  return (setting) => {
    let node: TomlNode = document.root;
    let line: number | undefined;
    for (const step of stepsOf(setting)) {
      const next = follow(node, step);
      if (next === undefined) break;
      ({ node, line } = next);
    }
    return line === undefined ? { file } : { file, line };
  };
}

/** A key, or the name of an entry in brackets. */
type Step = { key: string } | { entry: string };

function stepsOf(setting: string): Step[] {
  return [...setting.matchAll(/\["([^"]*)"\]|[^.[\]]+/g)].map(([key, entry]) =>
    entry === undefined ? { key } : { entry },
  );
}

function follow(node: TomlNode, step: Step): { node: TomlNode; line: number } | undefined {
  if ("key" in step) {
    const found = node.kind === "table" ? node.entries.get(step.key) : undefined;
    return found && { node: found.node, line: found.keyAt.line };
  }
  const items = node.kind === "array" ? node.items : [];
  const found = items.find((item) => nameOf(item) === step.entry);
  return found && { node: found, line: found.line };
}

/** Entries are named, except for protected domains. */
function nameOf(node: TomlNode): string | undefined {
  if (node.kind !== "table") return undefined;
  const name = (node.entries.get("name") ?? node.entries.get("domain"))?.node;
  return name?.kind === "string" ? name.value : undefined;
}
