import { writeFileSync } from "node:fs";
import {
  field,
  type EntryField,
  type EntryPresentation,
  type EntryService,
} from "../../access/entries/presentation.ts";
import type { App } from "../../app/app.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { codeOf } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { TrapKind } from "../../response/traps/kind.ts";
import { trapKinds } from "../../response/traps/kinds/kinds.ts";
import type { FieldValues, TrapField, TrapFiles } from "../../response/traps/presentation.ts";
import type { NewTrap, Trap } from "../../response/traps/trap.ts";
import type { TrapsOfKind } from "../../response/traps/traps-of-kind.ts";
import { rotates, type TrapKindName } from "../../platform/vocabulary/traps.ts";
import { entryCommand, entryCommands, printCreated } from "../entries/entry-commands.ts";
import { UsageError, type CommandDefinition, type CommandGroup } from "../terminal/command.ts";
import { FailedError } from "../terminal/command.ts";
import { jsonFlag, number, text, toggle } from "../terminal/flags.ts";
import {
  deploymentText,
  printVisits,
  trapColumns,
  trapFacts,
  trapJson,
  warnAboutPlainHttp,
} from "./trap-output.ts";
import { appCommand } from "../appliance/app-command.ts";

/** Returns the commands for one kind of trap. */
export function trapCommands(name: TrapKindName): CommandGroup {
  const kind = trapKinds.find((known) => known.name === name)!;
  const { aliases, deployment, files } = kind.presentation;
  const presentation = presentationOf(kind);
  const group = entryCommands(presentation, {
    before: (call) => checkInput(kind, call),
    created(trap, { app: { traps }, terminal }) {
      warnAboutPlainHttp(terminal, traps.publicUrl());
      return { entry: trap, print: deployment(trap, traps.links(kind, trap))[0]!.snippet };
    },
    async shown(trap, { app: { traps }, options, terminal }) {
      if (!options.json) warnAboutPlainHttp(terminal, traps.publicUrl());
      return { text: deploymentText(kind, traps, trap) };
    },
    instead: { rotate: rotate(presentation, kind) },
  });
  const [create, list, show, ...others] = group.commands as [
    CommandDefinition,
    CommandDefinition,
    CommandDefinition,
    ...CommandDefinition[],
  ];
  const document = files === undefined ? [] : [writeFile(kind, files)];
  return {
    ...group,
    aliases,
    commands: [create, list, show, visits(kind), ...others.slice(0, -1), ...document, ...others.slice(-1)],
  };
}

/** Presents traps as entries. They are not declared in the configuration file, and only their state can be changed. */
function presentationOf(kind: TrapKind): EntryPresentation<Trap, App> {
  const { name: noun } = kind;
  const { create, exampleName, fields, summary, texts } = kind.presentation;
  const argument = fields.find(({ command: form }) => form !== null && "argument" in form);
  return {
    noun,
    group: `${noun}s`,
    summary,
    example: exampleName,
    none: `no ${noun}s; create one with 'phishwatch ${noun}s create'`,
    fields: [
      field("name", "text", "--name <name>", texts.nameFlag),
      ...fields.flatMap(optionOf),
      field("memo", "text", "--memo <text>", texts.memoFlag),
    ],
    commands: {
      add: {
        name: "create",
        summary: create.summary,
        details: create.details,
        argument: argument?.name,
        argumentChoices: argument?.type === "choice" ? argument.choices.map(({ value }) => value) : [],
        examples: create.examples,
      },
      list: { summary: `list ${noun}s`, purpose: `all ${noun}s with their visits` },
      show: { summary: texts.show },
      enable: { summary: `enable a ${noun}: it ${texts.enabled}` },
      disable: { summary: `disable a ${noun}: it ${texts.disabled}` },
      ...(rotates(noun) ? { rotate: rotationTexts(kind) } : {}),
      remove: {
        name: "delete",
        aliases: ["remove"],
        summary: `delete a ${noun} and its visits`,
        details: texts.deleting,
      },
    },
    service: ({ traps }) => serviceOf(kind, traps.of(kind)),
    columns: ({ traps }) => trapColumns(kind, traps),
    facts: (trap, { traps }) => trapFacts(kind, traps, trap),
    json: (trap, { traps }) => trapJson(kind, traps, trap),
  };
}

function rotationTexts({ name: noun, presentation }: TrapKind) {
  return {
    summary: `give a ${noun} a new address`,
    details:
      "Prints the new address to standard output. The old one returns 404 from now on, unless it is still monitored.",
    examples: [
      [
        `phishwatch ${noun}s rotate ${presentation.exampleName} --watch-old`,
        "deploy the new address and see who kept the old one",
      ],
    ] as [string, string][],
  };
}

/** Returns a field of a kind of trap as an option; none for the argument, and for a field that commands do not have. */
function optionOf({ command: form, name, type }: TrapField): EntryField[] {
  if (form === null || "argument" in form) return [];
  const optionType = type === "hosts" ? "texts" : type === "expiry" ? "lifetime" : "text";
  return [field(name, optionType, form.flag, form.description)];
}

/** @throws UsageError for an argument that is no choice, and for options that cannot be given together */
async function checkInput(
  { presentation }: TrapKind,
  { key, options }: { key: string; options: Readonly<Record<string, unknown>> },
): Promise<void> {
  for (const one of presentation.fields) {
    const { command: form, excludes = [], label, name } = one;
    const values = one.type === "choice" ? one.choices.map(({ value }) => value) : [];
    const isArgument = form !== null && "argument" in form;
    if (isArgument && one.type === "choice" && !values.includes(key))
      throw new UsageError(`the ${label.toLowerCase()} must be one of ${values.join(", ")}`);
    const excluded = excludes.filter((other) => options[other] !== undefined);
    if (options[name] !== undefined && excluded.length > 0)
      throw new UsageError(
        `--${name} cannot be combined with ${excluded.map((other) => `--${other}`).join(" and ")}`,
      );
  }
}

function serviceOf(kind: TrapKind, traps: TrapsOfKind): EntryService<Trap> {
  return {
    ...traps,
    add: ({ name, memo, expires, ...values }: NewTrap & FieldValues & { expires?: number }, { by }) => {
      const expiry = expires === undefined ? {} : { expires: systemClock.now() + expires };
      return traps.create({ ...kind.presentation.read({ ...values, ...expiry }), name, memo }, { by });
    },
    change() {
      throw new Error(`a ${kind.name} cannot be changed`);
    },
    enable: (key, { by }) => traps.setEnabled(key, true, { by }),
    disable: (key, { by }) => traps.setEnabled(key, false, { by }),
    remove: traps.delete,
  };
}

function rotate(presentation: EntryPresentation<Trap, App>, kind: TrapKind): CommandDefinition | undefined {
  if (!rotates(kind.name)) return undefined;
  const flags = {
    watchOld: toggle("--watch-old", "keep reporting visits to the old address"),
    json: jsonFlag,
  };
  return entryCommand(presentation, "rotate", flags, (call) => {
    const { traps } = call.app;
    const watchOld = call.options["watchOld"] === true;
    const trap = traps.of(kind).rotate(call.key, { watchOld, by: call.by });
    const old = watchOld ? "the old one is still monitored" : "the old one returns 404";
    const note = `${trap.name} has a new address; ${old}`;
    printCreated(presentation, { entry: trap, print: traps.links(kind, trap).url, note }, call);
  });
}

const limitFlag = number(
  "-n, --limit <count>",
  { minimum: 1, maximum: 10_000, whole: true },
  50,
  "maximum number of visits, newest first",
);

function visits(kind: TrapKind): CommandDefinition {
  const noun = kind.name;
  const { exampleName, texts, visitColumns } = kind.presentation;
  return appCommand({
    name: "visits",
    aliases: ["hits"],
    arguments: `<${noun}>`,
    summary: texts.visits,
    details:
      "Prints one row per visitor. Repeated visits within traps.repeat_after are counted in that row. --json adds the headers that are kept.",
    flags: { limit: limitFlag, json: jsonFlag },
    examples: [[`phishwatch ${noun}s visits ${exampleName}`, "the latest 50"]],
    run({ app: { traps }, args, ...call }) {
      const { id } = traps.of(kind).get(args[0] ?? "");
      printVisits(call, traps.visits.list(id, { limit: call.options.limit }), visitColumns);
    },
  });
}

function writeFile(kind: TrapKind, files: TrapFiles<unknown>): CommandDefinition {
  const noun = kind.name;
  const endings = files.formats.map(({ format }) => `.${format}`).join(" or ");
  return appCommand({
    name: "document",
    arguments: `<${noun}> <file>`,
    summary: `write a file that reports when it is opened: ${files.formats.map(({ label }) => label).join(" or ")}`,
    details: `The file name must end with ${endings}. An existing file is never overwritten.
${files.hint}`,
    flags: {
      title: text("--title <text>", `heading of the document (default: the name of the ${noun})`),
      text: text("--text <text>", "text below the heading"),
    },
    examples: [
      [
        `phishwatch ${noun}s document salaries Salaries.docx --title "Salaries 2026"`,
        "a document for a file share",
      ],
    ],
    async run({ app: { traps }, args, options, terminal }) {
      const [name = "", path = ""] = args;
      const found = files.formats.find(({ format }) => path.toLowerCase().endsWith(`.${format}`));
      if (found === undefined) throw new UsageError(`the file name must end with ${endings}`);
      const trap = traps.of(kind).get(name);
      if (!files.offered(trap)) throw new UsageError(`${visible(trap.name)}: ${files.notOffered}`);
      const bytes = await files.write(trap, traps.links(kind, trap), {
        format: found.format,
        title: options.title ?? trap.name,
        text: options.text ?? "",
      });
      await writeNewFile(path, bytes);
      terminal.err.write(`wrote ${visible(path, 1_000)}\n`);
    },
  });
}

/** @throws FailedError if the file exists or cannot be written */
async function writeNewFile(path: string, bytes: Uint8Array): Promise<void> {
  try {
    writeFileSync(path, bytes, { flag: "wx" });
  } catch (error) {
    const code = codeOf(error) ?? String(error);
    const why = code === "EEXIST" ? "it already exists" : code;
    throw new FailedError(`cannot write ${visible(path, 1_000)}: ${why}`);
  }
}
