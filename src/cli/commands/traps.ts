import { writeFileSync } from "node:fs";
import { visible } from "../../platform/lib/safe-text.ts";
import type { TrapKind } from "../../response/traps/kind.ts";
import { trapKinds } from "../../response/traps/kinds/kinds.ts";
import type { TrapFiles } from "../../response/traps/presentation.ts";
import { rotates, type TrapKindName } from "../../platform/vocabulary/traps.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import {
  command,
  type CommandDefinition,
  type CommandGroup,
  FailedError,
  UsageError,
} from "../terminal/command.ts";
import { configFlag, jsonFlag, number, text, toggle } from "../terminal/flags.ts";
import { argumentField, fieldFlags, fieldValues } from "./trap-fields.ts";
import { printTrap, printTrapJson, printTraps, printVisits, warnAboutPlainHttp } from "./trap-output.ts";
import { codeOf } from "../../platform/lib/errors.ts";

/** Returns the commands for one kind of trap. */
export function trapCommands(name: TrapKindName): CommandGroup {
  const kind = trapKinds.find((known) => known.name === name)!;
  const { aliases, files, summary } = kind.presentation;
  return {
    name: `${name}s`,
    aliases,
    summary,
    commands: [
      create(kind),
      list(kind),
      show(kind),
      visits(kind),
      setEnabled(kind, "enable"),
      setEnabled(kind, "disable"),
      ...(rotates(kind.name) ? [rotate(kind)] : []),
      ...(files === undefined ? [] : [writeFile(kind, files)]),
      deletion(kind),
    ],
  };
}

function create(kind: TrapKind): CommandDefinition {
  const { create: texts, deployment, fields, read, texts: hints } = kind.presentation;
  const argument = argumentField(fields);
  return command({
    name: "create",
    ...(argument === undefined ? {} : { arguments: argument.form, argumentChoices: argument.choices }),
    summary: texts.summary,
    details: texts.details,
    flags: { ...fieldFlags(fields, hints), json: jsonFlag, config: configFlag },
    examples: texts.examples,
    run: ({ args, options, terminal }) =>
      withAppliance({ terminal, options }, ({ traps }) => {
        const { name, memo } = options;
        const trap = traps
          .of(kind)
          .create(
            { ...read(fieldValues(fields, args, options)), name, memo },
            { by: actorOfShell(terminal.env) },
          );
        warnAboutPlainHttp(terminal, traps.publicUrl());
        if (options.json) return printTrapJson(terminal, kind, traps, trap);
        terminal.out.write(`${deployment(trap, traps.links(kind, trap))[0]!.snippet}\n`);
        terminal.err.write(`created ${trap.name} (${trap.id})\n`);
      }),
  });
}

function list(kind: TrapKind): CommandDefinition {
  const noun = kind.name;
  return command({
    name: "list",
    summary: `list ${noun}s`,
    flags: { json: jsonFlag, config: configFlag },
    examples: [[`phishwatch ${noun}s list`, `all ${noun}s with their visits`]],
    run: ({ options, terminal }) =>
      withAppliance({ terminal, options }, ({ traps }) => {
        if (!options.json) return printTraps(terminal, kind, traps);
        for (const trap of traps.of(kind).list()) printTrapJson(terminal, kind, traps, trap);
      }),
  });
}

function show(kind: TrapKind): CommandDefinition {
  const noun = kind.name;
  const { exampleName, texts } = kind.presentation;
  return command({
    name: "show",
    arguments: `<${noun}>`,
    summary: texts.show,
    flags: { json: jsonFlag, config: configFlag },
    examples: [[`phishwatch ${noun}s show ${exampleName}`, "by name or identifier"]],
    run: ({ args, options, terminal }) =>
      withAppliance({ terminal, options }, ({ traps }) => {
        const trap = traps.of(kind).get(args[0] ?? "");
        if (options.json) return printTrapJson(terminal, kind, traps, trap);
        warnAboutPlainHttp(terminal, traps.publicUrl());
        printTrap(terminal, kind, traps, trap);
      }),
  });
}

const limitFlag = number(
  "-n, --limit <count>",
  { minimum: 1, maximum: 10_000, whole: true },
  "maximum number of visits, newest first",
  50,
);

function visits(kind: TrapKind): CommandDefinition {
  const noun = kind.name;
  const { exampleName, texts, visitColumns } = kind.presentation;
  return command({
    name: "visits",
    aliases: ["hits"],
    arguments: `<${noun}>`,
    summary: texts.visits,
    details:
      "Prints one row per visitor. Repeated visits within traps.repeat_after are counted in that row. --json adds the headers that are kept.",
    flags: { limit: limitFlag, json: jsonFlag, config: configFlag },
    examples: [[`phishwatch ${noun}s visits ${exampleName}`, "the latest 50"]],
    run: ({ args, options: { json, limit, config }, terminal }) =>
      withAppliance({ terminal, options: { config } }, ({ traps }) => {
        const { id } = traps.of(kind).get(args[0] ?? "");
        printVisits(terminal, { json, visits: traps.visits.list(id, { limit }), columns: visitColumns });
      }),
  });
}

function setEnabled(kind: TrapKind, name: "enable" | "disable"): CommandDefinition {
  const noun = kind.name;
  const { exampleName, texts } = kind.presentation;
  return command({
    name,
    arguments: `<${noun}>`,
    summary: `${name} a ${noun}: it ${name === "enable" ? texts.enabled : texts.disabled}`,
    flags: { config: configFlag },
    examples: [[`phishwatch ${noun}s ${name} ${exampleName}`, "by name or identifier"]],
    run: ({ args, options, terminal }) =>
      withAppliance({ terminal, options }, ({ traps }) => {
        const by = actorOfShell(terminal.env);
        const trap = traps.of(kind).setEnabled(args[0] ?? "", name === "enable", { by });
        terminal.err.write(`${name}d ${trap.name} (${trap.id})\n`);
      }),
  });
}

function rotate(kind: TrapKind): CommandDefinition {
  const noun = kind.name;
  const { exampleName } = kind.presentation;
  return command({
    name: "rotate",
    arguments: `<${noun}>`,
    summary: `give a ${noun} a new address`,
    details:
      "Prints the new address to standard output. The old one returns 404 from now on, unless it is still monitored.",
    flags: {
      watchOld: toggle("--watch-old", "keep reporting visits to the old address"),
      json: jsonFlag,
      config: configFlag,
    },
    examples: [
      [
        `phishwatch ${noun}s rotate ${exampleName} --watch-old`,
        "deploy the new address and see who kept the old one",
      ],
    ],
    run: ({ args, options, terminal }) =>
      withAppliance({ terminal, options }, ({ traps }) => {
        const { watchOld } = options;
        const trap = traps.of(kind).rotate(args[0] ?? "", { watchOld, by: actorOfShell(terminal.env) });
        if (options.json) return printTrapJson(terminal, kind, traps, trap);
        terminal.out.write(`${traps.links(kind, trap).url}\n`);
        const old = watchOld ? "the old one is still monitored" : "the old one returns 404";
        terminal.err.write(`${trap.name} has a new address; ${old}\n`);
      }),
  });
}

function writeFile(kind: TrapKind, files: TrapFiles<unknown>): CommandDefinition {
  const noun = kind.name;
  const endings = files.formats.map(({ format }) => `.${format}`).join(" or ");
  return command({
    name: "document",
    arguments: `<${noun}> <file>`,
    summary: `write a file that reports when it is opened: ${files.formats.map(({ label }) => label).join(" or ")}`,
    details: `The file name must end with ${endings}. An existing file is never overwritten.
${files.hint}`,
    flags: {
      title: text("--title <text>", `heading of the document (default: the name of the ${noun})`),
      text: text("--text <text>", "text below the heading"),
      config: configFlag,
    },
    examples: [
      [
        `phishwatch ${noun}s document salaries Salaries.docx --title "Salaries 2026"`,
        "a document for a file share",
      ],
    ],
    run: ({ args, options, terminal }) =>
      withAppliance({ terminal, options }, async ({ traps }) => {
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
      }),
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

function deletion(kind: TrapKind): CommandDefinition {
  const noun = kind.name;
  const { exampleName, texts } = kind.presentation;
  return command({
    name: "delete",
    aliases: ["remove"],
    arguments: `<${noun}>`,
    summary: `delete a ${noun} and its visits`,
    details: texts.deleting,
    flags: { config: configFlag },
    examples: [[`phishwatch ${noun}s delete ${exampleName}`, "by name or identifier"]],
    run: ({ args, options, terminal }) =>
      withAppliance({ terminal, options }, ({ traps }) => {
        const { id, name } = traps.of(kind).delete(args[0] ?? "", { by: actorOfShell(terminal.env) });
        terminal.err.write(`deleted ${name} (${id})\n`);
      }),
  });
}
