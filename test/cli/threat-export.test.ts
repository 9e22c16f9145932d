import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { commandFolder, type CommandFolder } from "../support/command-line.ts";
import { parseCsv } from "../support/csv.ts";

let folder: CommandFolder;
const names = ["examp1e-bank.com", "example-bank-login.net", "exampie-bank.org"];

beforeAll(async () => {
  folder = commandFolder();
  const { code, err } = await folder.run(["import", "-"], { stdin: names.join("\n") });
  if (code !== 0) throw new Error(err);
});
afterAll(() => folder.dispose());

test("threats export writes all threats that match to standard output or, in one step, to a file", async () => {
  const { code, out, err } = await folder.runHere(["threats", "export"]);
  expect([code, err]).toEqual([0, ""]);
  expect(
    parseCsv(out)
      .slice(1)
      .map(([, domain]) => domain)
      .sort(),
  ).toEqual([...names].sort());
  const path = folder.file("threats.csv", "old");
  const args = [
    "--bom",
    "--name",
    "LOGIN",
    "--since",
    "2020-01-31",
    "--min-similarity",
    "0.5",
    "--output",
    path,
  ];
  const written = await folder.runHere(["threats", "export", ...args]);
  expect(written).toEqual({ code: 0, out: "", err: `wrote 1 threat to ${path}\n` });
  // Nothing is assigned, overdue or in a campaign, and no lookup has found a site.
  for (const [filter, rows] of [
    [["--assignee", "none"], 3],
    [["--assignee", "admin"], 0],
    [["--overdue"], 0],
    [["--site-state", "up", "--site-state", "back"], 0],
    [["--campaign", "1"], 0],
  ] as const) {
    const found = await folder.runHere(["threats", "list", "--json", ...filter]);
    expect([filter, found.code, found.out.split("\n").length - 1]).toEqual([filter, 0, rows]);
  }
  const text = readFileSync(path, "utf8");
  expect(text.startsWith("\ufeffid,domain,")).toBe(true);
  expect(parseCsv(text.slice(1))[1]![1]).toBe("example-bank-login.net");
  expect(readdirSync(folder.path).filter((name) => name.includes(".new"))).toEqual([]);
});

test("threats export --format misp writes a feed, and says what changed", async () => {
  const args = ["threats", "export", "--format", "misp", "--tlp", "green", "--output", "misp"];
  expect(await folder.runHere(args)).toEqual({
    code: 0,
    out: "",
    err: "wrote 3 threats in 1 event, of which 1 changed\n",
  });
  expect((await folder.runHere(args)).err).toContain("of which 0 changed");
  const [event] = Object.values(
    JSON.parse(readFileSync(join(folder.path, "misp/manifest.json"), "utf8")) as Record<
      string,
      { Tag: object[] }
    >,
  );
  expect(event!.Tag[0]).toMatchObject({ name: "tlp:green" });
});

test("threats list accepts the same filters", async () => {
  const { code, out } = await folder.runHere(["threats", "list", "--json", "--name", "hxxps://examp*"]);
  expect(code).toBe(0);
  expect(out.trim().split("\n").length).toBe(3);
});

test.each([
  [["--format", "misp"], "name it with --output FOLDER"],
  [["--format", "stix", "--bom"], "--bom is for --format csv only"],
  [["--name", "*"], '--name "*" contains no part of a name'],
])("threats export %j fails with what to change", async (args, message) => {
  const { code, err } = await folder.runHere(["threats", "export", ...args]);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

test("threats export says why a file cannot be written", async () => {
  const { code, err } = await folder.runHere(["threats", "export", "--output", "missing/threats.csv"]);
  expect([code, err]).toEqual([1, expect.stringContaining("cannot write")]);
});
