import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { commandFolder, type CommandFolder, quickest, quickestForm } from "../support/command-line.ts";
import { dataTile, getEntriesBody, logEntry, namesTile } from "../support/log-entries.ts";

let folder: CommandFolder;
beforeEach(() => void (folder = commandFolder()));
afterEach(() => folder.dispose());

const entries = [
  logEntry(0, { names: ["Example-Bank.net", "*.example-bank.net"], timestamp: Date.UTC(2026, 4, 6) }),
  logEntry(1, {
    kind: "precertificate",
    names: ["a.example"],
    commonNames: ["b.example"],
    serial: "0abc",
    issuer: "R\u202e1",
  }),
];
const names = ["example-bank.net", "a.example", "b.example"];
const lines = (text: string) => text.split("\n").filter((line) => line !== "");
const read = (args: string[], stdin?: string | Uint8Array, command = quickest) =>
  folder.run(["certificate-logs", "read", ...args], { ...(stdin === undefined ? {} : { stdin }), command });

function file(path: string, content: string | Uint8Array): string {
  mkdirSync(dirname(join(folder.path, path)), { recursive: true });
  return folder.file(path, content);
}

describe.each(quickestForm)("certificate-logs read ($form)", ({ command }) => {
  test("prints the names in a data tile, a names tile and a get-entries response, compressed or not", async () => {
    const paths = [
      file("data", dataTile(entries)),
      file("data.gz", Bun.gzipSync(dataTile(entries))),
      file("names", namesTile(entries)),
      file("response.json", getEntriesBody(entries)),
    ];
    const { code, out, err } = await read(paths, undefined, command);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(lines(out)).toEqual([...names, ...names, ...names, ...names]);
  });
});

describe("certificate-logs read", () => {
  test("reads standard input, so that it works in a pipe", async () => {
    const { code, out } = await read(["-"], Bun.gzipSync(dataTile(entries)));
    expect({ code, names: lines(out) }).toEqual({ code: 0, names });
  });

  test("--json prints an object for each entry, which `import` accepts", async () => {
    const path = file("tile", dataTile(entries));
    const { out } = await read(["--json", path]);
    expect(lines(out).map((line) => JSON.parse(line))).toEqual([
      {
        file: path,
        entry: 0,
        logged_at: "2026-05-06T00:00:00.000Z",
        names: ["example-bank.net"],
        issuer: "O=Test CA, CN=R1",
        serial: "01",
        not_before: "2026-01-01T00:00:00.000Z",
      },
      expect.objectContaining({
        names: ["a.example", "b.example"],
        serial: "0abc",
        issuer: "O=Test CA, CN=R\u202e1",
      }),
    ]);
    expect(out).not.toContain("\u202e");
    const imported = await folder.run(["import", "--format", "jsonl", "--column", "names", "--json", "-"], {
      stdin: out,
    });
    expect(JSON.parse(imported.out)).toMatchObject({ received: 3, matched: 1, created: 1 });
  });

  test("reads a copy of a static log, without its other files and without reading entries twice", async () => {
    file("log/checkpoint", "log.example\n2\n…\n");
    file("log/tile/0/000.p/2", new Uint8Array(64).fill(0x7b));
    file("log/issuer/00ff", "…");
    file("log/tile/data/000", dataTile(entries));
    file("log/tile/data/000.p/1", dataTile(entries.slice(0, 1)));
    file("log/tile/names/000.gz", Bun.gzipSync(namesTile(entries)));
    file("log/tile/data/x001/001.p/1.gz", Bun.gzipSync(dataTile(entries.slice(1))));
    const all = await read([join(folder.path, "log")]);
    expect(all).toMatchObject({ code: 0, err: "" });
    expect(lines(all.out)).toEqual([...names, "a.example", "b.example"]);
    const unverified = await read([join(folder.path, "log/tile/names")]);
    expect(lines(unverified.out)).toEqual(names);
  });

  test("reports files that it cannot read, and prints the names of the others", async () => {
    const tile = dataTile(entries);
    const paths = [
      file("error.html", "<!doctype html>"),
      file("cut", tile.subarray(0, -1)),
      file("cut.gz", Bun.gzipSync(tile).subarray(0, -20)),
      file("empty.json", `{"entries":[]}`),
      file("sth.json", `{"tree_size":1}`),
      join(folder.path, "missing"),
      file("good", tile),
    ];
    const { code, out, err } = await read(paths);
    expect(code).toBe(1);
    expect(lines(out)).toEqual(names);
    expect(err).toContain("error.html is not a tile or a get-entries response");
    expect(err).toContain("cut: the data tile ends within entry 1");
    expect(err).toContain("cut.gz is truncated");
    expect(err).toContain("empty.json: the response has no entries");
    expect(err).toContain("sth.json is not a tile");
    expect(err).toContain("missing does not exist");
    expect(lines(err).at(-1)).toContain("6 of 7 files could not be read");
  });

  test("counts certificates that cannot be read, and prints the names of the others", async () => {
    const tile = dataTile([logEntry(0, { bytes: Buffer.from("nonsense") }), ...entries]);
    const { code, out, err } = await read([file("tile", tile)]);
    expect({ code, names: lines(out) }).toEqual({ code: 0, names });
    expect(err).toBe("1 certificate could not be read completely\n");
  });

  test("rejects a file that decompresses to more than 64 MiB", async () => {
    const { code, err } = await read([file("bomb.gz", Bun.gzipSync(new Uint8Array(70 * 1024 * 1024)))]);
    expect(code).toBe(1);
    expect(err).toContain("bomb.gz is larger than 64 MiB");
  });

  test("fails for a folder without entries", async () => {
    const { code, err } = await read([dirname(file("empty/checkpoint", "…"))]);
    expect(code).toBe(1);
    expect(err).toContain("no files with entries");
  });
});
