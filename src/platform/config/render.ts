import { type FieldSchema, fieldSchema, type ReloadMark } from "./fields/fields.ts";
import { configSchema } from "./schema.ts";

/** Comments are aligned, except after lines that are longer than this. */
const commentColumnMax = 50;
const lineLengthMax = 120;

/** Mark of what a reload does not apply. */
const restartNotes: Readonly<Record<ReloadMark, string>> = {
  restart: "; a change needs a restart",
  restart_if_switched: "; setting or removing it needs a restart",
};
const restartSentence = "A change needs a restart.";

const header = `# Configuration of phishwatch.
#
# Values in a [table] are the defaults. Keep the lines that you change; you can delete the others.
# Lines that start with # without a space are entries to fill in. Remove the # to use them.
#
# Durations   500ms, 10s, 5m, 2h, 30d
# Secrets     "string", { env = "NAME" }, { file = "path" } or { credential = "name" }
# Paths       relative to the folder of this file
#
# A running server applies a changed file automatically, except for what is marked below.
`;

/** Renders the commented `config.example.toml`, with which the appliance starts unchanged. */
export function renderExample(): string {
  const { sections, entries } = collect(fieldSchema(configSchema), "");
  return [header, ...sections, ...entries].join("\n");
}

/** Puts entries after all tables, because a key below `[[webhooks.endpoints]]` would belong to the endpoint. */
function collect(field: FieldSchema, path: string): { sections: string[]; entries: string[] } {
  const sections: string[] = [];
  const entries: string[] = [];
  const nested: string[] = [];
  for (const [key, property] of Object.entries(field.properties!)) {
    const name = path === "" ? key : `${path}.${key}`;
    if (property.kind === "table") {
      const inner = collect(property, name);
      const title =
        property.reload === "restart" ? `${property.description} ${restartSentence}` : property.description;
      sections.push(section(`[${name}]`, title, property, ""), ...inner.sections);
      nested.push(...inner.entries);
    } else if (property.kind === "tables") {
      const prefix = property.live === true ? "" : "#";
      entries.push(section(`[[${name}]]`, property.description, property.items!, prefix));
    }
  }
  return { sections, entries: [...entries, ...nested] };
}

function section(title: string, description: string, field: FieldSchema, prefix: string): string {
  const rows = Object.entries(field.properties!)
    .filter(([, property]) => property.kind !== "table" && property.kind !== "tables")
    .map(([key, property]) => ({
      line: `${prefix}${key} = ${toml(property.example ?? property.default)}`,
      comment: commentOf(property),
    }));
  const lengths = rows.map(({ line }) => line.length).filter((length) => length <= commentColumnMax);
  const width = Math.max(0, ...lengths);
  const lines = rows.flatMap(({ line, comment }) => annotate(line, width, comment));
  return `# ${description}\n${prefix}${title}\n${lines.join("\n")}\n`;
}

/** Appends the comment to the line and wraps it below itself. Above a line that leaves no room, it stands alone. */
function annotate(line: string, width: number, comment: string): string[] {
  if (line.length > lineLengthMax) return [`# ${comment}`, line];
  const column = Math.max(width, line.length);
  const lines: string[] = [];
  let rest = "";
  for (const word of comment.split(" ")) {
    if (rest !== "" && column + "  # ".length + rest.length + 1 + word.length > lineLengthMax) {
      lines.push(rest);
      rest = word;
    } else rest = rest === "" ? word : `${rest} ${word}`;
  }
  return [...lines, rest].map((part, index) => `${(index === 0 ? line : "").padEnd(column)}  # ${part}`);
}

function commentOf(field: FieldSchema): string {
  const choices = field.choices ?? field.items?.choices;
  const { minimum, maximum } = field;
  const description = `${field.description}${field.reload === undefined ? "" : restartNotes[field.reload]}`;
  if (minimum !== undefined) return `${description} (${minimum} to ${maximum})`;
  return choices === undefined ? description : `${description} (${choices.join(" | ")})`;
}

function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, item]) => `${key} = ${toml(item)}`)
      .join(", ")} }`;
  }
  // JSON's escapes are a subset of those of a basic string (TOML 1.0, "String").
  return JSON.stringify(value);
}

/** A row of the manual's tables of settings. */
export interface SettingRow {
  /** For example `webhooks.timeout`; `[[feeds]].name` for a key of an entry. */
  path: string;
  type: string;
  /** As written in the file; null: required. */
  default: string | null;
  description: string;
  /** Whether a change takes effect only at the next start. */
  needsRestart: boolean;
}

/** Returns every key of the file, in the order of the schema. */
export function describeConfig(): SettingRow[] {
  return describe(fieldSchema(configSchema), "", false);
}

function describe(field: FieldSchema, path: string, tableNeedsRestart: boolean): SettingRow[] {
  return Object.entries(field.properties!).flatMap(([key, property]): SettingRow[] => {
    const name = path === "" ? key : `${path}.${key}`;
    const needsRestart = tableNeedsRestart || property.reload === "restart";
    if (property.kind === "table") return describe(property, name, needsRestart);
    if (property.kind === "tables") return describe(property.items!, `[[${name}]]`, needsRestart);
    const type = property.kind === "array" ? `array of ${property.items!.kind}` : property.kind;
    const standard = property.default === undefined ? null : toml(property.default);
    return [{ path: name, type, default: standard, description: commentOf(property), needsRestart }];
  });
}
