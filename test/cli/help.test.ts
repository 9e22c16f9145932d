import { afterAll, describe, expect, test } from "bun:test";
import { loadAllCommands } from "../../src/cli/commands.ts";
import type { CommandDefinition, CommandGroup } from "../../src/cli/terminal/command.ts";
import { describe as describeCommand, helpTexts } from "../../src/cli/terminal/help-texts.ts";
import { manualPages } from "../../src/manual/manual.ts";
import { commandFolder } from "../support/command-line.ts";
import { runInProcess as run } from "../support/run-in-process.ts";

const folder = commandFolder("");
afterAll(folder.dispose);

test("no line of the general help is longer than 100 characters (conformance, minor)", async () => {
  const { out } = await run(["--help"]);
  expect(out).toContain("whats-new");
  expect(out.split("\n").filter((line) => line.length > 100)).toEqual([]);
});

describe("help TOPIC", () => {
  test.each(manualPages)("`help $topic` prints its page as plain Markdown", async ({ topic, text }) => {
    expect(text).not.toContain("<!--");
    expect(await run(["help", topic])).toMatchObject({ code: 0, out: text });
  });

  test("the page of a topic that is also a command is followed by a hint at the command's options", async () => {
    const { out, err } = await run(["help", "webhooks"]);
    expect(out).toStartWith("# Webhooks\n");
    expect(err).toBe("For the options of the command: phishwatch webhooks --help\n");
    expect((await run(["help", "install"])).err).toBe("");
  });

  test("on a terminal, the page is formatted to its width, and links become commands", async () => {
    for (const { topic } of manualPages) {
      const { code, out } = await run(["help", topic], { isTerminal: true });
      expect(code).toBe(0);
      expect(out).toContain("\u001b[");
      expect(out).not.toContain(".md)");
    }
    const { out } = await run(["help", "install"], { isTerminal: true });
    const plain = Bun.stripANSI(out);
    expect(plain).not.toContain("# Install");
    const prose = plain.split("\n\n").find((text) => text.startsWith("phishwatch is one executable."))!;
    expect(Math.max(...prose.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(plain.replaceAll(/\s+/g, " ")).toContain("First steps (phishwatch help first-steps)");
  });
});

describe("help COMMAND", () => {
  test.each([
    ["help", "--help"],
    ["help match", "match --help"],
    ["help threats", "threats --help"],
    ["help threats list", "threats list --help"],
    ["help webhooks add", "webhooks add --help"],
    ["help tokens list", "tokens list --help"],
  ])("`%s` prints the same as `%s`", async (given, same) => {
    const expected = await run(same.split(" "));
    expect(expected).toMatchObject({ code: 0, err: "", out: expect.stringContaining("Usage: phishwatch") });
    expect(await run(given.split(" "))).toEqual(expected);
  });

  test.each([
    ["help trage", "there is no topic or command 'trage'. Did you mean 'triage'?"],
    ["help matc", "there is no topic or command 'matc'. Did you mean 'match'?"],
    [
      "help weather-forecast",
      "there is no topic or command 'weather-forecast'. For a list, run 'phishwatch help'.",
    ],
    ["help threats lst", "there is no command 'threats lst'. Did you mean 'threats list'?"],
    ["help match more", "there is no command 'match more'. For a list, run 'phishwatch help match'."],
    ["help traps now", "'traps' is a topic, not a command. Run 'phishwatch help traps'."],
  ])("`%s` fails with exit code 2 and says what exists", async (given, message) => {
    const { code, out, err } = await run(given.split(" "));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    expect(err.split("\n")).toHaveLength(2);
  });

  test("the general help lists every topic of the manual", async () => {
    const { out } = await run(["help"]);
    expect(out.replaceAll(/\s+/g, " ")).toContain(manualPages.map(({ topic }) => topic).join(", "));
  });

  test("the program passes pages and errors on", async () => {
    expect(await folder.run(["help", "install"])).toMatchObject({
      code: 0,
      out: manualPages[0]!.text,
      err: "",
    });
    expect(await folder.run(["help", "instal"])).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("Did you mean 'install'?"),
    });
  });
});

test("Every command has a summary, an example and a description of each option, and each text is in one place", async () => {
  const entries = await loadAllCommands();
  const commands = (described: typeof entries) =>
    described.flatMap((entry) =>
      "commands" in entry
        ? entry.commands.map((definition) => ({ words: `${entry.name} ${definition.name}`, definition }))
        : [{ words: entry.name, definition: entry }],
    );
  const without = commands(entries.map(describeCommand)).filter(
    ({ definition: { summary, examples, flags } }) =>
      summary === "" ||
      examples!.length === 0 ||
      Object.values(flags).some(({ description }) => /^(?=: | \(|$)/.test(description!)),
  );
  expect(without.map(({ words }) => words)).toEqual([]);

  const given = new Map<string, CommandDefinition | CommandGroup>([
    ...entries.map((entry) => [entry.name, entry] as const),
    ...commands(entries).map(({ words, definition }) => [words, definition] as const),
  ]);
  const misplaced = Object.entries(helpTexts).filter(([words, text]) => {
    const definition = given.get(words);
    if (definition === undefined) return true;
    const isTwice = (["summary", "details", "examples"] as const).some(
      (part) => text![part] !== undefined && Reflect.get(definition, part) !== undefined,
    );
    const open = Object.values("flags" in definition ? definition.flags : {})
      .filter(({ description }) => description === undefined)
      .map(({ form }) => /--[a-z-]+/.exec(form)![0]);
    return isTwice || Object.keys(text!.options ?? {}).some((option) => !open.includes(option));
  });
  expect(misplaced.map(([words]) => words)).toEqual([]);
});
