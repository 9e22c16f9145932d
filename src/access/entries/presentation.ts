import type { Instant } from "../../platform/lib/clock.ts";
import type { ByActor } from "../audit/actor.ts";
import type { Entry } from "./administration.ts";

/** Everything that presentations know of an entry. */
export interface Named {
  id: string;
  name: string;
}

/**
 * How commands and console pages present the entries of one kind. They are generated from this: what all kinds share is
 * written once there (`cli/entries/`, `web/console/entries/`), so a presentation contains only what differs.
 */
export interface EntryPresentation<E extends Named, Services> {
  /** Name of one entry, in lowercase: an argument of commands. */
  readonly noun: string;
  /** Name of the group of commands. */
  readonly group: string;
  /** Describes the group in a list of commands. */
  readonly summary: string;
  /** Name of an entry, for examples. */
  readonly example: string;
  /** Commands in the order of the help, by their verbs. A verb that is absent has no command. */
  readonly commands: Partial<Record<EntryVerb, CommandTexts>>;
  readonly fields: readonly EntryField[];
  /** Printed in place of an empty list. Default: how to add an entry. */
  readonly none?: string;
  service(services: Services): EntryService<E>;
  /** Columns of lists, after the identifier and the name. */
  columns(services: Services): readonly EntryColumn<E>[];
  /** Facts about one entry, after the identifier and the name. */
  facts(entry: E, services: Services): readonly EntryFact[];
  /** JSON form in command output. Programs read its names. */
  json(entry: E, services: Services): Record<string, unknown>;
}

export type EntryVerb = "list" | "show" | "add" | "change" | "rotate" | "enable" | "disable" | "remove";

/** Texts of the help about one command. */
interface CommandTexts {
  summary: string;
  details?: string;
  /** Name of the command. Default: the verb. */
  name?: string;
  aliases?: readonly string[];
  /** Argument of the command that adds an entry: a setting. Default: its name. */
  argument?: string | undefined;
  /** Only allowed values of the argument. */
  argumentChoices?: readonly string[];
  /** Purpose of the usual example: the command with the name of an entry. Default: "by name or identifier". */
  purpose?: string;
  /** In place of the usual example. */
  examples?: [command: string, purpose: string][];
}

/** The service of one kind of entries, as commands and pages call it. */
export interface EntryService<E extends Named> {
  list(): E[];
  find(idOrName: string): E | undefined;
  get(idOrName: string): E;
  // The service validates the values and their types.
  add(values: never, options: ByActor): unknown;
  change(idOrName: string, values: never, options: ByActor): E;
  enable(idOrName: string, options: ByActor): E;
  disable(idOrName: string, options: ByActor): E;
  remove(idOrName: string, options: ByActor): unknown;
}

/** Settings by name, of which those are absent that were not given. The service validates them. */
export type EntryValues = Record<string, unknown>;

/** A value for people. Each surface formats times in its own way; null: none. */
export type Shown = string | { at: Instant } | null;

export interface EntryColumn<E> {
  title: string;
  cell(entry: E): Shown;
  /** Lets the column shrink on a narrow terminal. */
  elastic?: boolean;
}

export type EntryFact = readonly [name: string, value: Shown];

/** A setting: an option of commands, and a control of the console's form. */
export interface EntryField extends FieldPlaces {
  /** Name of the setting. */
  name: string;
  type: FieldType;
  /** The option in commander's form: `--min-severity <severity>`. */
  option: string;
  description: string;
}

interface FieldPlaces {
  /** Commands with the option. Default: those that add and change. */
  in?: readonly ("add" | "change" | "rotate")[];
  /** Says that the option is missing. Absent: it is optional. */
  required?: string;
  /** Absent: the console's form does not have it, or has a part of its own for it. */
  control?: EntryControl;
}

/**
 * `texts`, `protected_domains`, `choices`, `headers`: can be given several times. `secret`: in a file, because every user
 * can read the arguments of a command. `path`: an empty text removes the setting. `filter`: a filter of threats
 * (`EventFilter`), with options of its own; `all_threats` removes it. `lifetime`: milliseconds.
 */
type FieldType =
  | "text"
  | "texts"
  | "secret"
  | "headers"
  | "path"
  | "protected_domains"
  | "yes_no"
  | "filter"
  | "all_threats"
  | "lifetime"
  | { choice: readonly string[]; plural?: string }
  | { choices: readonly string[] }
  /** Zero removes the setting. */
  | { maximum: number; whole: boolean }
  /** Milliseconds, in this form; an empty text removes the setting. */
  | { duration: string }
  | { parse(text: string): { value: unknown } | { allowed: string } }
  /** Sets the setting to this value. Cannot be given with another option of the setting. */
  | { clear: unknown };

interface EntryControl {
  /** Name in the configuration file, which forms and errors use, too. */
  key: string;
  label: string;
  hint?: string;
  /** Explains the setting behind an icon, with a section of the manual. */
  help?: { about: string; text: string; manual: string };
  placeholder?: string;
  maxLength?: number;
}

/** Describes a field: the name of a setting, the option in commander's form, and its description. */
export function field(
  name: string,
  type: FieldType,
  option: string,
  description: string,
  places: FieldPlaces = {},
): EntryField {
  return { name, type, option, description, ...places };
}

/** The texts of a presentation, which are in the `presentation.json` of a kind. */
interface EntryTexts {
  noun: string;
  group: string;
  summary: string;
  example: string;
  commands: EntryPresentation<Named, never>["commands"];
  fields: readonly FieldTexts[];
}

interface FieldTexts {
  name: string;
  /** Absent: the type that the code gives the setting, or else `text`. */
  type?: string | object | undefined;
  /** Absent for `filter`, whose options all kinds share. */
  option?: string | undefined;
  description?: string | undefined;
  in?: readonly string[] | undefined;
  required?: string | undefined;
  control?: object | undefined;
}

/**
 * Returns the parts of a presentation that are texts. Every kind also has an option that adds an entry disabled.
 * @param types types of settings that texts cannot express
 */
export function presentTexts({ fields, ...texts }: EntryTexts, types: Record<string, FieldType>) {
  const disabled = field("enabled", { clear: false }, "--disabled", "add it disabled", { in: ["add"] });
  const described = fields.map(
    // The compiler does not know the texts of a JSON file. A test checks them.
    (one) => ({ type: types[one.name] ?? "text", option: "", description: "", ...one }) as EntryField,
  );
  return { ...texts, fields: [...described, disabled] };
}

/** Returns the origin of an entry for people. */
export function originText({ origin }: Pick<Entry, "origin">): string {
  return origin === "file" ? "configuration" : "added";
}

/** Returns the state of an entry for people. */
export function stateText({ enabled, disabledReason }: Pick<Entry, "enabled" | "disabledReason">): string {
  if (enabled) return "enabled";
  return disabledReason === null ? "disabled" : `disabled (${disabledReason})`;
}
