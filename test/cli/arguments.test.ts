import { describe, expect, test } from "bun:test";
import { readInvocation, type Invocation } from "../../src/cli/arguments.ts";
import { parse } from "../../src/cli/commander.ts";
import { commandEntries, loadAllCommands } from "../../src/cli/commands.ts";
import { describe as describeCommand } from "../../src/cli/terminal/help-texts.ts";
import type { Flag } from "../../src/cli/terminal/command.ts";
import { terminalWith } from "../support/run-in-process.ts";

/** Without the functions of a definition, which differ each time that it is loaded. */
type Shown = { name: string; given: Invocation["given"] } | undefined;

function shown(invocation: Invocation | undefined): Shown {
  return invocation && { name: invocation.definition.name, given: invocation.given };
}

async function usual(args: string[]): Promise<Shown> {
  const entry = commandEntries.find(({ name }) => name === args[0])!;
  return shown(readInvocation(await entry.load(), args));
}

/** Returns what commander parses; undefined for help and incorrect usage. */
async function parsed(args: string[]): Promise<Shown> {
  const output = { write() {}, flush() {}, isTerminal: false, columns: undefined };
  const terminal = terminalWith({ out: output, err: output });
  let invocation: Invocation | undefined;
  await parse(args, terminal, async (found) => void (invocation = found));
  return shown(invocation);
}

const commands = (await loadAllCommands())
  .map(describeCommand)
  .flatMap((entry) =>
    "commands" in entry
      ? entry.commands.map((definition) => ({ words: [entry.name, definition.name], definition }))
      : [{ words: [entry.name], definition: entry }],
  );
const definitions = commands.map(({ definition }) => definition);
/** The words after `phishwatch` in an example of the help, up to what only a shell reads. */
const exampleArgs = commands
  .flatMap(({ definition }) =>
    definition.examples.map(([line]) => /(?:^|\| )phishwatch ([^|<>&$]+)/.exec(line)?.[1]),
  )
  .filter((words) => words !== undefined)
  .map((words) =>
    (words.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^(['"])(.*)\1$/, "$2")),
  );

function allowedValue({ choices = [], form, read }: Flag<unknown>): string {
  for (const text of [...choices, "1", "200", "1d", "2026-01-31", "[::1]:1", "https://phishwatch.example"])
    try {
      read!(text);
      return text;
    } catch {
      // It may be a value of another kind.
    }
  throw new Error(`no value is allowed for ${form}`);
}

describe("without commander, arguments are read as commander reads them", () => {
  test("in the examples of all commands", async () => {
    expect(exampleArgs.length).toBeGreaterThan(definitions.length);
    let usualCount = 0;
    for (const words of exampleArgs) {
      const invocation = await usual(words);
      if (invocation === undefined) continue;
      usualCount += 1;
      expect({ words, ...invocation }).toEqual({ words, ...(await parsed(words))! });
    }
    expect(usualCount / exampleArgs.length).toBeGreaterThan(0.9);
  });

  test("in every spelling of every option", async () => {
    for (const { words, definition } of commands) {
      const required = definition.arguments?.match(/<.+?>/g) ?? [];
      for (const place of [0, -1]) {
        const options = Object.values(definition.flags).flatMap((flag) => {
          const spelling = flag.form.match(/-[a-z-]+/gi)!.at(place)!;
          return flag.read === undefined ? [spelling] : [spelling, allowedValue(flag)];
        });
        const args = [...words, ...required.map(() => "x"), ...options];
        const invocation = await usual(args);
        expect({ args, ...invocation }).toEqual({ args, ...(await parsed(args))! });
      }
    }
  });

  test.each<[string, string[]]>([
    ["no arguments", ["version"]],
    ["an option without a value", ["version", "--json"]],
    ["the last one of repeated options", ["sandbox", "--port", "1", "--port", "2"]],
    ["all values of a repeatable option", ["match", "--protect", "a.com", "x", "--protect", "b.com"]],
    ["options between arguments", ["match", "a.txt", "--protect", "a.com", "b.txt"]],
    ["an empty value", ["serve", "--config", ""]],
    ["another name of a command", ["beacons", "hits", "x"]],
    ["an optional argument", ["backup", "folder"]],
  ])("%s", async (_, args) => {
    const invocation = await usual(args);
    expect(invocation).toBeDefined();
    expect(invocation).toEqual((await parsed(args))!);
  });
});

test.each<[string, string[]]>([
  ["help", ["serve", "--help"]],
  ["the version", ["serve", "--version"]],
  ["a value after an equals sign", ["sandbox", "--port=1"]],
  ["a value that begins like an option", ["serve", "--config", "--version"]],
  ["an option without its value", ["serve", "--config"]],
  ["an unknown option", ["serve", "--confg", "x"]],
  ["the end of the options", ["match", "--protect", "a.com", "--", "-x"]],
  ["standard input", ["match", "--protect", "a.com", "-"]],
  ["too few arguments", ["import"]],
  ["too many arguments", ["version", "x"]],
  ["the command that a group runs if none is named", ["retention"]],
  ["an unknown command of a group", ["keys", "x"]],
])("commander handles %s", async (_, args) => {
  expect(await usual(args)).toBeUndefined();
});
