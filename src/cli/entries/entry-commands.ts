import type { Entry } from "../../access/entries/administration.ts";
import type {
  EntryColumn,
  EntryFact,
  EntryPresentation,
  EntryVerb,
  Shown,
} from "../../access/entries/presentation.ts";
import type { App } from "../../app/app.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import {
  command,
  type Call,
  type CommandDefinition,
  type CommandGroup,
  type Flag,
} from "../terminal/command.ts";
import { configFlag, jsonFlag, toggle } from "../terminal/flags.ts";
import { printJson, printRows, renderFacts, shortTime, type Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { fieldFlags, readFields } from "./entry-fields.ts";

type AnyCall = Call<Record<string, Flag<unknown>>>;

/** Additions to the usual commands, for one kind of entries. */
export interface EntryAdditions<E extends Entry, Added = E> {
  /** Commands after the usual ones. */
  more?: readonly CommandDefinition[];
  /** Commands in place of usual ones, by their verbs. There is no usual command that rotates. */
  instead?: Partial<Record<EntryVerb, CommandDefinition>>;
  /** Further options of the command that adds an entry. */
  addFlags?: Record<string, Flag<unknown>>;
  /** Runs before an entry is added or changed. */
  before?(app: App, call: AnyCall): Promise<void>;
  /** Returns what is printed of a new entry. @param added what the service returned */
  created?(added: Added, app: App): Created<E>;
  /** Runs after an entry was added. */
  afterAdd?(entry: E, app: App, call: AnyCall): Promise<void>;
  /** Returns what is shown of one entry beyond its facts and JSON form. */
  shown?(entry: E, app: App): Promise<{ facts: readonly EntryFact[]; json: Record<string, unknown> }>;
  /** Returns a clause about what is removed together with an entry. Called before. */
  removed?(entry: E, app: App): string;
}

/** An entry that was added or rotated, and its output. */
export interface Created<E extends Entry> {
  entry: E;
  /** For standard output, on a line of its own: an address, a secret. */
  print?: string;
  /** Further properties of the JSON form. */
  json?: Record<string, unknown>;
  /** Sentence for standard error. Default: `added NAME (ID)`. */
  note?: string;
}

/** Returns the commands of one kind of entries. */
export function entryCommands<E extends Entry, Added = E>(
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

/** Returns the texts of the help about a command on one entry. */
export function textsOf(
  {
    commands,
    example,
    group,
    noun,
  }: Pick<EntryPresentation<Entry, unknown>, "commands" | "example" | "group" | "noun">,
  verb: EntryVerb,
): Pick<CommandDefinition, "name" | "arguments" | "summary" | "details" | "examples"> {
  const { summary, details, argument: setting = "name", purpose, examples } = commands[verb]!;
  const argument = verb === "list" ? undefined : verb === "add" ? `<${setting}>` : `<${noun}>`;
  const usual = `phishwatch ${group} ${verb}${verb === "list" ? "" : ` ${example}`}`;
  return {
    name: verb,
    ...(argument === undefined ? {} : { arguments: argument }),
    summary,
    ...(details === undefined ? {} : { details }),
    examples: examples ?? [[usual, purpose ?? "by name or identifier"]],
  };
}

function listCommand<E extends Entry>(presentation: EntryPresentation<E, App>): CommandDefinition {
  const { columns, group, json, noun, service } = presentation;
  return command({
    ...textsOf(presentation, "list"),
    flags: { json: jsonFlag, config: configFlag },
    run: ({ options, terminal }) =>
      withAppliance({ terminal, options }, (app) => {
        const rows = service(app).list();
        const none = `no ${noun}s; 'phishwatch ${group} add' adds one`;
        if (options.json) for (const row of rows) printJson(terminal.out, json(row, app));
        else printRows(terminal, rows, { columns: columnsOf(columns(app)), none });
      }),
  });
}

function columnsOf<E extends Entry>(columns: readonly EntryColumn<E>[]): Column<E>[] {
  return [
    { title: "ID", cell: ({ id }) => id },
    { title: "NAME", cell: ({ name }) => name, elastic: true },
    ...columns.map(({ title, cell, elastic = false }) => ({
      title: title.toUpperCase(),
      cell: (entry: E) => shownText(cell(entry), shortTime) ?? "",
      elastic,
    })),
  ];
}

function shownText(value: Shown, format: typeof shortTime): string | null {
  return value === null || typeof value === "string" ? value : format(value.at);
}

function showCommand<E extends Entry>(
  presentation: EntryPresentation<E, App>,
  { shown }: Pick<EntryAdditions<E>, "shown">,
): CommandDefinition {
  const { facts, json, service } = presentation;
  return command({
    ...textsOf(presentation, "show"),
    flags: { json: jsonFlag, config: configFlag },
    run: ({ args, options, terminal }) =>
      withAppliance({ terminal, options }, async (app) => {
        const entry = service(app).get(args[0] ?? "");
        const further = await shown?.(entry, app);
        const current = service(app).get(entry.id);
        if (options.json) return printJson(terminal.out, { ...json(current, app), ...further?.json });
        const all = [...facts(current, app), ...(further?.facts ?? [])];
        terminal.out.write(
          renderFacts([
            ["id", current.id],
            ["name", current.name],
            ...all.map(([name, value]): [string, string | null] => [name, shownText(value, toIsoTime)]),
          ]),
        );
      }),
  });
}

function addCommand<E extends Entry, Added>(
  presentation: EntryPresentation<E, App>,
  additions: EntryAdditions<E, Added>,
): CommandDefinition {
  const { commands, fields, service } = presentation;
  return command({
    ...textsOf(presentation, "add"),
    flags: {
      ...fieldFlags(fields, "add"),
      disabled: toggle("--disabled", "add it disabled"),
      ...additions.addFlags,
      json: jsonFlag,
      config: configFlag,
    },
    run: (call) =>
      withAppliance(call, async (app) => {
        const { args, options, terminal } = call;
        await additions.before?.(app, call);
        const values = await readFields(fields, "add", { options });
        const wanted = { [commands.add?.argument ?? "name"]: args[0] ?? "", ...values };
        const added = service(app).add({ ...wanted, enabled: !options.disabled } as never, {
          by: actorOfShell(terminal.env),
        });
        const created = additions.created?.(added as Added, app) ?? { entry: added as E };
        printCreated(presentation, created, { app, json: options.json, terminal });
        await additions.afterAdd?.(created.entry, app, call);
      }),
  });
}

/** Prints an entry that was added or rotated. */
export function printCreated<E extends Entry>(
  presentation: EntryPresentation<E, App>,
  { entry, print, json, note = `added ${entry.name} (${entry.id})` }: Created<E>,
  { app, json: isJson, terminal }: { app: App; json: boolean; terminal: Terminal },
): void {
  if (isJson) return printJson(terminal.out, { ...presentation.json(entry, app), ...json });
  if (print !== undefined) terminal.out.write(`${print}\n`);
  terminal.err.write(`${note}\n`);
}

function changeCommand<E extends Entry>(
  presentation: EntryPresentation<E, App>,
  { before }: Pick<EntryAdditions<E>, "before">,
): CommandDefinition {
  const { fields, json, service } = presentation;
  return command({
    ...textsOf(presentation, "change"),
    flags: { ...fieldFlags(fields, "change"), json: jsonFlag, config: configFlag },
    run: (call) =>
      withAppliance(call, async (app) => {
        const { args, options, terminal } = call;
        const key = args[0] ?? "";
        await before?.(app, call);
        const values = await readFields(fields, "change", { options, present: () => service(app).get(key) });
        const changed = service(app).change(key, values as never, { by: actorOfShell(terminal.env) });
        if (options.json) printJson(terminal.out, json(changed, app));
        else terminal.err.write(`changed ${changed.name} (${changed.id})\n`);
      }),
  });
}

function switchCommand<E extends Entry>(
  presentation: EntryPresentation<E, App>,
  verb: "enable" | "disable",
): CommandDefinition {
  return command({
    ...textsOf(presentation, verb),
    flags: { config: configFlag },
    run: ({ args, options, terminal }) =>
      withAppliance({ terminal, options }, (app) => {
        const by = actorOfShell(terminal.env);
        const { id, name } = presentation.service(app)[verb](args[0] ?? "", { by });
        terminal.err.write(`${verb}d ${name} (${id})\n`);
      }),
  });
}

function removeCommand<E extends Entry>(
  presentation: EntryPresentation<E, App>,
  { removed }: Pick<EntryAdditions<E>, "removed">,
): CommandDefinition {
  const { service } = presentation;
  return command({
    ...textsOf(presentation, "remove"),
    flags: { config: configFlag },
    run: ({ args, options, terminal }) =>
      withAppliance({ terminal, options }, async (app) => {
        const entry = service(app).get(args[0] ?? "");
        const further = removed?.(entry, app) ?? "";
        await service(app).remove(entry.id, { by: actorOfShell(terminal.env) });
        terminal.err.write(`removed ${entry.name} (${entry.id})${further}\n`);
      }),
  });
}
