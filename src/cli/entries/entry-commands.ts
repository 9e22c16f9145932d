import type { Actor } from "../../access/audit/actor.ts";
import type {
  EntryColumn,
  EntryFact,
  EntryPresentation,
  EntryService,
  EntryVerb,
  Named,
  Shown,
} from "../../access/entries/presentation.ts";
import type { App } from "../../app/app.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { appCommand } from "../appliance/app-command.ts";
import type { CommandDefinition, CommandGroup, Flag } from "../terminal/command.ts";
import { jsonFlag } from "../terminal/flags.ts";
import { printJson, printList, renderFacts, shortTime, type Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { fieldFlags, readFields } from "./entry-fields.ts";

/** A call of a command on the entries of one kind. */
interface EntryCall<E extends Named> {
  app: App;
  service: EntryService<E>;
  /** The first argument: in most commands a name or an identifier. */
  key: string;
  options: { json?: boolean; [name: string]: unknown };
  terminal: Terminal;
  by: Actor;
}

/** Additions to the usual commands, for one kind of entries. */
interface EntryAdditions<E extends Named, Added = E> {
  /** Commands after the usual ones. */
  more?: readonly CommandDefinition[];
  /** Commands in place of usual ones, by their verbs. There is no usual command that rotates. */
  instead?: Partial<Record<EntryVerb, CommandDefinition | undefined>>;
  /** Further options of the command that adds an entry. */
  addFlags?: Record<string, Flag<unknown>>;
  /** Runs before an entry is added or changed. */
  before?(call: EntryCall<E>): Promise<void>;
  /** Returns what is printed of a new entry. @param added what the service returned */
  created?(added: Added, call: EntryCall<E>): Created<E>;
  /** Runs after an entry was added. */
  afterAdd?(entry: E, call: EntryCall<E>): Promise<void>;
  /** Returns what is shown of one entry beyond its facts and JSON form; `text` is below the facts. */
  shown?(entry: E, call: EntryCall<E>): Promise<{ facts?: EntryFact[]; json?: object; text?: string }>;
  /** Returns a clause about what is removed together with an entry. Called before. */
  removed?(entry: E, app: App): string;
}

/** An entry that was added or rotated, and its output. */
export interface Created<E extends Named> {
  entry: E;
  /** For standard output, on a line of its own: an address, a secret. */
  print?: string;
  /** Further properties of the JSON form. */
  json?: object;
  /** Sentence for standard error. Default: `added NAME (ID)`. */
  note?: string;
}

/** Returns the commands of one kind of entries. */
export function entryCommands<E extends Named, Added = E>(
  presentation: EntryPresentation<E, App>,
  additions: EntryAdditions<E, Added> = {},
): CommandGroup {
  const { commands, group, summary } = presentation;
  const usual: Record<EntryVerb, () => CommandDefinition> = {
    list: () => listCommand(presentation),
    show: () => showCommand(presentation, additions),
    add: () => addCommand(presentation, additions),
    change: () => changeCommand(presentation, additions),
    enable: () => switchCommand(presentation, "enable"),
    disable: () => switchCommand(presentation, "disable"),
    remove: () => removeCommand(presentation, additions),
    rotate() {
      throw new Error(`${group} has no command that rotates`);
    },
  };
  const verbs = Object.keys(commands) as EntryVerb[];
  const { instead = {}, more = [] } = additions;
  return {
    name: group,
    summary,
    commands: [...verbs.map((verb) => instead[verb] ?? usual[verb]()), ...more],
  };
}

/** Defines the command of one verb, with its texts. */
export function entryCommand<E extends Named>(
  presentation: EntryPresentation<E, App>,
  verb: EntryVerb,
  flags: Record<string, Flag<unknown>>,
  run: (call: EntryCall<E>) => Promise<void> | void,
): CommandDefinition {
  const { commands, example, group, noun } = presentation;
  const { name = verb, argument, purpose = "by name or identifier", examples, ...texts } = commands[verb]!;
  const isList = verb === "list";
  const usual: [string, string] = [`phishwatch ${group} ${name}${isList ? "" : ` ${example}`}`, purpose];
  return appCommand({
    ...texts,
    name,
    arguments: isList ? undefined : `<${argument ?? (verb === "add" ? "name" : noun)}>`,
    // Examples with settings are among the texts of the help.
    examples: examples ?? (verb === "add" || verb === "change" ? undefined : [usual]),
    flags,
    run: ({ app, args: [key = ""], by, options, terminal }) =>
      run({ app, service: presentation.service(app), key, options, terminal, by }),
  });
}

/** Returns, for example, `added block (lst_…)`. */
function doneText(
  { commands }: Pick<EntryPresentation<Named, App>, "commands">,
  verb: EntryVerb,
  { id, name }: Named,
): string {
  const word = commands[verb]?.name ?? verb;
  return `${word}${word.endsWith("e") ? "d" : "ed"} ${name} (${id})`;
}

function listCommand<E extends Named>(presentation: EntryPresentation<E, App>): CommandDefinition {
  const { columns, group, json, noun } = presentation;
  const { none = `no ${noun}s; 'phishwatch ${group} add' adds one` } = presentation;
  return entryCommand(presentation, "list", { json: jsonFlag }, ({ app, service, ...call }) =>
    printList(call, service.list(), {
      columns: columnsOf(columns(app)),
      json: (row) => json(row, app),
      none,
    }),
  );
}

function columnsOf<E extends Named>(columns: readonly EntryColumn<E>[]): Column<E>[] {
  return [
    { title: "ID", cell: ({ id }) => id },
    { title: "NAME", cell: ({ name }) => name, elastic: true },
    ...columns.map(({ title, cell, elastic }) => ({
      title: title.toUpperCase(),
      cell: (entry: E) => shownText(cell(entry), shortTime) ?? "",
      elastic,
    })),
  ];
}

function shownText(value: Shown, format: typeof shortTime): string | null {
  return value === null || typeof value === "string" ? value : format(value.at);
}

function showCommand<E extends Named>(
  presentation: EntryPresentation<E, App>,
  { shown }: Pick<EntryAdditions<E>, "shown">,
): CommandDefinition {
  const { facts, json } = presentation;
  return entryCommand(presentation, "show", { json: jsonFlag }, async (call) => {
    const { app, key, options, service, terminal } = call;
    const found = service.get(key);
    const further = (await shown?.(found, call)) ?? {};
    const entry = service.get(found.id);
    if (options.json) return printJson(terminal.out, { ...json(entry, app), ...further.json });
    const all: EntryFact[] = [
      ["id", entry.id],
      ["name", entry.name],
      ...facts(entry, app),
      ...(further.facts ?? []),
    ];
    const lines = all.map(([name, value]): [string, string | null] => [name, shownText(value, toIsoTime)]);
    terminal.out.write(renderFacts(lines));
    terminal.out.write(further.text ?? "");
  });
}

function addCommand<E extends Named, Added>(
  presentation: EntryPresentation<E, App>,
  { addFlags, afterAdd, before, created }: EntryAdditions<E, Added>,
): CommandDefinition {
  const { commands, fields } = presentation;
  const flags = { ...fieldFlags(fields, "add"), ...addFlags, json: jsonFlag };
  return entryCommand(presentation, "add", flags, async (call) => {
    const { by, key, options, service } = call;
    await before?.(call);
    const values = await readFields(fields, "add", { options });
    const wanted = { [commands.add?.argument ?? "name"]: key, ...values };
    const added = service.add(wanted as never, { by });
    const result = created?.(added as Added, call) ?? { entry: added as E };
    printCreated(presentation, { note: doneText(presentation, "add", result.entry), ...result }, call);
    await afterAdd?.(result.entry, call);
  });
}

/** Prints an entry that was added or rotated. */
export function printCreated<E extends Named>(
  presentation: EntryPresentation<E, App>,
  { entry, print, json, note }: Created<E>,
  { app, options, terminal }: Pick<EntryCall<E>, "app" | "options" | "terminal">,
): void {
  if (options.json) return printJson(terminal.out, { ...presentation.json(entry, app), ...json });
  if (print !== undefined) terminal.out.write(`${print}\n`);
  terminal.err.write(`${note}\n`);
}

function changeCommand<E extends Named>(
  presentation: EntryPresentation<E, App>,
  { before }: Pick<EntryAdditions<E>, "before">,
): CommandDefinition {
  const { fields, json } = presentation;
  const flags = { ...fieldFlags(fields, "change"), json: jsonFlag };
  return entryCommand(presentation, "change", flags, async (call) => {
    const { app, by, key, options, service, terminal } = call;
    await before?.(call);
    const values = await readFields(fields, "change", { options, present: () => service.get(key) });
    const changed = service.change(key, values as never, { by });
    if (options.json) printJson(terminal.out, json(changed, app));
    else terminal.err.write(`${doneText(presentation, "change", changed)}\n`);
  });
}

function switchCommand<E extends Named>(
  presentation: EntryPresentation<E, App>,
  verb: "enable" | "disable",
): CommandDefinition {
  return entryCommand(presentation, verb, {}, ({ by, key, service, terminal }) => {
    const switched = service[verb](key, { by });
    terminal.err.write(`${doneText(presentation, verb, switched)}\n`);
  });
}

function removeCommand<E extends Named>(
  presentation: EntryPresentation<E, App>,
  { removed }: Pick<EntryAdditions<E>, "removed">,
): CommandDefinition {
  return entryCommand(presentation, "remove", {}, async ({ app, by, key, service, terminal }) => {
    const entry = service.get(key);
    const further = removed?.(entry, app) ?? "";
    await service.remove(entry.id, { by });
    terminal.err.write(`${doneText(presentation, "remove", entry)}${further}\n`);
  });
}
