import { resolve } from "node:path";
import { definedOf } from "../../access/entries/administration.ts";
import type { EntryField, EntryValues } from "../../access/entries/presentation.ts";
import { codeOf } from "../../platform/lib/errors.ts";
import { parseDuration } from "../../platform/lib/durations.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { severities, threatSources, threatTypes } from "../../platform/vocabulary/threats.ts";
import { type EventFilter, noFilter } from "../../threats/events/event-filter.ts";
import { FailedError, type Flag, type OptionsOf, UsageError } from "../terminal/command.ts";
import { choice, choices, duration, number, text, texts, toggle } from "../terminal/flags.ts";

/** The settings of entries as options of the commands that add, change and rotate them. */

type Verb = "add" | "change" | "rotate";
type Options = Readonly<Record<string, unknown>>;

/** Flags for the filter of a subscription or a webhook endpoint. */
const filterFlags = {
  minSeverity: choice("--min-severity <severity>", severities, undefined, "minimum severity of a threat"),
  domain: texts("--domain <domain>", "only threats to this protected domain"),
  type: choices("--type <type>", threatTypes, "only threats of this type"),
  source: choices("--source <source>", threatSources, "only threats that this source found"),
  verifiedOnly: toggle("--verified-only", "only threats whose name is known to exist or whose page was seen"),
};

const longForm = (option: string) => /--[a-z-]+/.exec(option)![0];
const keyOf = ({ option }: EntryField) =>
  longForm(option)
    .slice(2)
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

function fieldsIn(fields: readonly EntryField[], verb: Verb): EntryField[] {
  return fields.filter(({ in: verbs = ["add", "change"] }) => verbs.includes(verb));
}

export function fieldFlags(fields: readonly EntryField[], verb: Verb): Record<string, Flag<unknown>> {
  return Object.fromEntries(
    fieldsIn(fields, verb).flatMap((field): [string, Flag<unknown>][] =>
      field.type === "filter" ? Object.entries(filterFlags) : [[keyOf(field), flagOf(field)]],
    ),
  );
}

function flagOf({ type, option, description }: EntryField): Flag<unknown> {
  if (typeof type === "object") {
    if ("choices" in type) return choices(option, type.choices, description);
    if ("choice" in type) return choice(option, type.choice, undefined, description);
    if ("maximum" in type) return number(option, { minimum: 0, ...type }, undefined, description);
    return "clear" in type ? toggle(option, description) : text(option, description);
  }
  if (type === "yes_no") return choice(option, ["yes", "no"], undefined, description);
  if (type === "lifetime") return duration(option, description);
  if (type === "all_threats") return toggle(option, description);
  const isRepeatable = ["texts", "headers", "protected_domains"].includes(type);
  return (isRepeatable ? texts : text)(option, description);
}

/**
 * Returns the settings that were given.
 * @param options.present returns the entry that is changed: of its filter of threats, the other parts are kept
 * @throws UsageError; FailedError for a file that cannot be read
 */
export async function readFields(
  fields: readonly EntryField[],
  verb: Verb,
  { options, present }: { options: Options; present?: () => object },
): Promise<EntryValues> {
  const values: EntryValues = {};
  const givenBy = new Map<string, string>();
  let standardInputs = 0;
  for (const field of fieldsIn(fields, verb)) {
    if (field.type === "filter" || field.type === "all_threats") continue;
    const given = options[keyOf(field)];
    if (given === undefined && field.required !== undefined) throw new UsageError(field.required);
    if (given === undefined || given === false || (Array.isArray(given) && given.length === 0)) continue;
    const form = longForm(field.option);
    const other = givenBy.get(field.name);
    if (other !== undefined)
      throw new UsageError(
        isClear(field) ? `use either ${form} or ${other}` : `use either ${other} or ${form}`,
      );
    givenBy.set(field.name, form);
    if (field.type === "secret" && given === "-" && ++standardInputs > 1)
      throw new UsageError("only one setting can be taken from standard input");
    values[field.name] = await valueOf(field, given);
  }
  const filter = fields.some(({ type }) => type === "filter") ? filterIn(options, present?.()) : undefined;
  return filter === undefined ? values : { ...values, filter };
}

/** Returns the filter of threats with what was given, or undefined if nothing was. */
function filterIn(
  options: Options,
  { filter: present }: { filter?: EventFilter | null } = {},
): EventFilter | undefined {
  const { minSeverity, domain, type, source, verifiedOnly } = options as OptionsOf<typeof filterFlags>;
  const isReplaced = options["allThreats"] === true;
  const some = <T>(values: T[]) => (values.length === 0 ? undefined : values);
  const given = definedOf({
    minSeverity,
    protectedDomains: some(domain),
    types: some(type),
    sources: some(source),
    verifiedOnly: verifiedOnly || undefined,
  });
  if (Object.keys(given).length === 0 && !isReplaced) return undefined;
  return { ...(isReplaced ? noFilter : (present ?? noFilter)), ...given };
}

function isClear({ type }: EntryField): boolean {
  return typeof type === "object" && "clear" in type;
}

function valueOf({ type, option }: EntryField, given: unknown): unknown {
  const form = longForm(option);
  const word = String(given);
  if (typeof type === "object") {
    if ("clear" in type) return type.clear;
    if ("maximum" in type) return given === 0 ? null : given;
    if ("duration" in type) {
      const ms = parseDuration(word);
      if (word !== "" && ms === null) throw new UsageError(`${form} must be ${type.duration}`);
      return ms;
    }
    if (!("parse" in type)) return given;
    const result = type.parse(word);
    if ("value" in result) return result.value;
    throw new UsageError(`${form} must be ${result.allowed}, not "${visible(word, 60)}"`);
  }
  if (type === "yes_no") return given === "yes";
  if (type === "headers") return Object.fromEntries((given as string[]).map(readHeader));
  if (type === "secret") return readSecret(word);
  // An absolute path, because other processes may have another working directory.
  return type === "path" ? (word === "" ? null : resolve(word)) : given;
}

/** Parses a custom header. @throws UsageError */
function readHeader(given: string): [name: string, value: string] {
  const match = /^([^:\s]+):\s*(.*)$/.exec(given);
  if (match === null) throw new UsageError(`--header must be "Name: value", not "${visible(given, 60)}"`);
  return [match[1]!, match[2]!];
}

/** Secrets are read from files: every user can read the arguments in the process list. */
export const secretFlag = text(
  "--secret-file <file>",
  'take the secret from this file, or from standard input for "-"',
);

export async function readSecret(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return (await (path === "-" ? Bun.stdin : Bun.file(path)).text()).trim();
  } catch (error) {
    throw new FailedError(`cannot read the secret from ${path} (${codeOf(error) ?? String(error)})`);
  }
}
