import type { Instant } from "../../platform/lib/clock.ts";
import type { Actor } from "../audit/actor.ts";
import type { Entry } from "./administration.ts";

/**
 * How commands and console pages present the entries of one kind. They are generated from this: what all kinds share is
 * written once there (`cli/entries/`, `web/console/entries/`), so a presentation contains only what differs.
 */
export interface EntryPresentation<E extends Entry, Services> {
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
export interface CommandTexts {
  summary: string;
  details?: string;
  /** Setting that is the argument of the command that adds an entry. Default: its name. */
  argument?: string;
  /** Purpose of the usual example: the command with the name of an entry. Default: "by name or identifier". */
  purpose?: string;
  /** In place of the usual example. */
  examples?: [command: string, purpose: string][];
}

/** The service of one kind of entries, as commands and pages call it. */
export interface EntryService<E extends Entry> {
  list(): E[];
  find(idOrName: string): E | undefined;
  get(idOrName: string): E;
  // Values are validated by the service, whatever their types.
  add(values: never, options: { by: Actor }): unknown;
  change(idOrName: string, values: never, options: { by: Actor }): E;
  enable(idOrName: string, options: { by: Actor }): E;
  disable(idOrName: string, options: { by: Actor }): E;
  remove(idOrName: string, options: { by: Actor }): unknown;
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
export type EntryField = FilterField | SettingField;

/** A filter of threats (`EventFilter`), with options of its own. */
interface FilterField extends FieldPlaces {
  name: "filter";
  type: "filter";
}

export type SettingField = {
  name: string;
  /** The option in commander's form: `--min-severity <severity>`. */
  option: string;
  description: string;
  /** Says that the option is missing. Absent: it is optional. */
  required?: string;
} & FieldPlaces &
  FieldType;

interface FieldPlaces {
  /** Commands with the option. Default: those that add and change. */
  in?: readonly ("add" | "change" | "rotate")[];
  /** Absent: the console's form does not have it, or has a part of its own for it. */
  control?: EntryControl;
}

export interface EntryControl {
  /** Name in the configuration file, which forms and errors use, too. */
  key: string;
  label: string;
  hint?: string;
  /** Explains the setting behind an icon, with a section of the manual. */
  help?: { about: string; text: string; manual: string };
  placeholder?: string;
}

/**
 * `texts`, `protected_domains`, `choices`, `headers`: can be given several times. `secret`: in a file, because every user
 * can read the arguments of a command. `path`, `duration`: an empty text removes the setting. `number`: zero removes it.
 * `clear`: sets `value`, and cannot be given with another option of the setting. `all_threats`: removes the filter.
 */
type FieldType =
  | {
      type: "text" | "texts" | "secret" | "headers" | "path" | "protected_domains" | "yes_no" | "all_threats";
    }
  | { type: "choice"; values: readonly string[]; plural: string }
  | { type: "choices"; values: readonly string[] }
  | { type: "number"; maximum: number; whole: boolean }
  /** In milliseconds. */
  | { type: "duration"; form: string }
  | { type: "parsed"; read(text: string): { value: unknown } | { allowed: string } }
  | { type: "clear"; value: unknown };

/** Returns the origin of an entry for people. */
export function originText({ origin }: Pick<Entry, "origin">): string {
  return origin === "file" ? "configuration" : "added";
}

/** Returns the state of an entry for people. */
export function stateText({ enabled, disabledReason }: Pick<Entry, "enabled" | "disabledReason">): string {
  if (enabled) return "enabled";
  return disabledReason === null ? "disabled" : `disabled (${disabledReason})`;
}

/** Returns the named properties of an object under the names of the JSON form: `min_severity`. */
export function jsonOf<T extends object>(object: T, ...names: readonly (keyof T & string)[]) {
  return Object.fromEntries(
    names.map((name) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      object[name] as unknown,
    ]),
  );
}
