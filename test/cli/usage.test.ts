import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { commandEntries, loadAllCommands } from "../../src/cli/commands.ts";
import { renderCommandTable } from "../../src/cli/help.ts";
import { commandFolder, forms, quickestForm } from "../support/command-line.ts";
import { runInProcess } from "../support/run-in-process.ts";

const folder = commandFolder("");
afterAll(folder.dispose);

const commands = await loadAllCommands();
const names = commands.flatMap((entry) =>
  "commands" in entry ? entry.commands.map(({ name }) => [entry.name, name]) : [[entry.name]],
);

describe("help", () => {
  test.each(names.map((name) => [name.join(" "), name]))("%s has help with an example", async (_, name) => {
    const { code, out, err } = await runInProcess([...name, "--help"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(`Usage: phishwatch ${name.join(" ")}`);
    expect(out).toMatch(/Examples:\n {2}.+\n {4}\$ .*phishwatch/);
  });

  test("without a command, help is shown as for incorrect usage", async () => {
    const { code, out, err } = await folder.run([]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    for (const [name] of names) expect(err).toMatch(new RegExp(`^  ${name}[ |]`, "m"));
  });

  test("every command is defined under its own name", () => {
    expect(commands.map(({ name }) => name)).toEqual(commandEntries.map(({ name }) => name));
  });

  test("the manual's table of commands matches the definitions (otherwise run scripts/render-commands.ts)", () => {
    const table = renderCommandTable(commands);
    for (const name of names)
      expect(table.match(new RegExp(`^\\| \`${name.join(" ")}[ \`]`, "gm"))).toHaveLength(1);
    const page = readFileSync(join(import.meta.dir, "../../src/manual/operate.md"), "utf8");
    expect(page.includes(`<!-- commands -->\n\n${table}\n<!-- end of commands -->`)).toBeTrue();
  });
});

test("the program loads no package at startup, not even commander, and the modules of a command when it runs", () => {
  const root = join(import.meta.dir, "../..");
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = readFileSync(path, "utf8");
    for (const [, specifier] of text.matchAll(/^(?:import|export)(?! type)\b[^;"]*?from "([^"]+)"/gm)) {
      if (specifier!.endsWith(".ts")) visit(join(dirname(path), specifier!));
      else if (!/^(node|bun):|\.json$/.test(specifier!)) packages.add(specifier!);
    }
  };
  visit(join(root, "src/main.ts"));
  visit(join(root, "src/cli/process.ts"));
  expect([...packages]).toEqual([]);
});

describe.each(quickestForm)("incorrect usage ($form)", ({ command }) => {
  test.each<[string, string[], string]>([
    ["an unknown command", ["serv"], "(Did you mean serve?)"],
    ["an unknown inner command", ["threats", "lst"], "(Did you mean list?)"],
    ["an unknown option", ["import", "--sorce", "feed", "x"], "(Did you mean --source?)"],
    ["a missing argument", ["import"], "missing required argument 'file'"],
    ["an extra argument", ["backup", "a", "b", "c"], "too many arguments"],
    [
      "a value outside the set",
      ["import", "--source", "rumour", "x"],
      "--source must be one of scan, certificate_transparency",
    ],
    [
      "a number out of range",
      ["permutations", "--limit", "0", "example.com"],
      "--limit must be a whole number from 1",
    ],
    ["an invalid number", ["threats", "list", "--limit", "1e3"], "--limit must be a whole number"],
    [
      "an invalid time",
      ["import", "--observed-at", "yesterday", "x"],
      "--observed-at must be a time such as",
    ],
    [
      "a day that does not exist",
      ["import", "--observed-at", "2026-02-31T99:00:00Z", "x"],
      "--observed-at must be a time",
    ],
    [
      "an invalid duration",
      ["keys", "create", "--expires-in", "3y"],
      "--expires-in must be a whole number with a unit",
    ],
  ])("%s exits with code 2 and a message that says what is allowed", async (_, args, message) => {
    const { code, out, err } = await folder.run(args, { command });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });

  test("the error message refers to the help of the command", async () => {
    const named = async (...args: string[]) => (await folder.run(args, { command })).err;
    expect(await named("serv")).toContain("Run 'phishwatch help' for");
    expect(await named("keys", "creat")).toContain("Run 'phishwatch keys --help' for");
    expect(await named("threats", "show")).toContain("Run 'phishwatch threats show --help' for");
    expect(await named("import")).toContain("Run 'phishwatch import --help' for");
  });

  test("control characters in arguments are escaped in error messages", async () => {
    const { err } = await folder.run(["\u001b[31mred\u202E"], { command });
    expect(err).toContain("\\u{1b}[31mred\\u{202e}");
    for (const hidden of ["\u001b", "\u202e"]) expect(err).not.toContain(hidden);
  });
});

test.each(forms)(
  "version and --version print version, commit and Bun version ($form)",
  async ({ command }) => {
    const { code, out, err } = await folder.run(["version"], { command });
    expect(await folder.run(["--version"], { command })).toEqual({ code, out, err });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^phishwatch \d+\.\d+\.\d+ \(commit \S+, Bun \d+\.\d+\.\d+\)\n$/);
    const json = await folder.run(["version", "--json"], { command });
    expect(JSON.parse(json.out)).toEqual({
      version: expect.any(String),
      commit: expect.any(String),
      bun_version: expect.any(String),
    });
  },
);

test.each(forms)("version exits with code 1 if its output cannot be written ($form)", async ({ command }) => {
  const { exited } = Bun.spawn([...command, "version"], { stdout: Bun.file("/dev/full"), stderr: "ignore" });
  expect(await exited).toBe(1);
});

describe("init", () => {
  test("`init` writes a valid configuration that only its owner can read, and never overwrites a file", async () => {
    const inside = commandFolder("");
    const first = await inside.run(["init"]);
    expect(first).toMatchObject({ code: 0, out: "" });
    expect(statSync(join(inside.path, "phishwatch.toml")).mode & 0o777).toBe(0o600);
    expect((await inside.run(["match"], { stdin: "" })).code).toBe(0);
    const again = await inside.run(["init"]);
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toContain("phishwatch.toml already exists");
    inside.dispose();
  });

  test("`init` reports a missing folder", async () => {
    const { code, err } = await folder.run(["init", "no/such/folder.toml"]);
    expect(code).toBe(1);
    expect(err).toContain("its folder does not exist");
  });
});

describe("the configuration", () => {
  const config = (domain: string) => `[[protected_domains]]\ndomain = "${domain}"\n`;
  const matches = async (inside: typeof folder, args: string[], env: Record<string, string> = {}) =>
    (
      await inside.run(["match", ...args], {
        stdin: "first-bank.net\nsecond-bank.net\nthird-bank.net\n",
        env,
      })
    ).out.split("\t")[0];

  test("the configuration is the given file, else ./phishwatch.toml, else the one that the environment names", async () => {
    const inside = commandFolder("");
    const env = { PHISHWATCH_CONFIG: inside.file("env.toml", config("third-bank.com")) };
    expect(await matches(inside, [], env)).toBe("third-bank.net");
    inside.file("phishwatch.toml", config("second-bank.com"));
    expect(await matches(inside, [], env)).toBe("second-bank.net");
    inside.file("named.toml", config("first-bank.com"));
    expect(await matches(inside, ["--config", "named.toml"], env)).toBe("first-bank.net");
    inside.dispose();
  });

  test("a missing configuration is reported with the command that creates one", async () => {
    const { code, err } = await folder.run(["serve"]);
    expect(code).toBe(2);
    expect(err).toContain("'phishwatch init'");
  });

  test("an invalid configuration is rejected with one line for each error", async () => {
    const inside = commandFolder("[server]\nlisten = 8080\n[storage]\npth = 'x'\n");
    const { code, out, err } = await inside.run(["serve"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    const lines = err.trim().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("phishwatch.toml:2: server.listen");
    expect(lines[1]).toContain("did you mean storage.path?");
    inside.dispose();
  });
});
