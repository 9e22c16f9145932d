import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { builtinLogList } from "../../src/certificate-transparency/log-list/builtin-list.ts";
import {
  compareVersions,
  publicKeyText,
  readUpdate,
  signUpdate,
  type DataUpdate,
} from "../../src/list-updates/update-file.ts";
import { commandFolder, defaultConfig, type CommandFolder } from "../support/command-line.ts";
import { publicSuffixList } from "../support/suffix-list.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const own = publicKeyText(publicKey);
const config = `${defaultConfig}[data]\ntrusted_keys = ["${own}"]\n`;
const embeddedSuffixes = await publicSuffixList();
/** The embedded list with a suffix that it does not contain. */
const newSuffixes = embeddedSuffixes.replace("// ===END PRIVATE", "example-hosting.com\n// ===END PRIVATE");
const lists: DataUpdate["lists"] = { public_suffixes: { date: "2031-01-02", text: newSuffixes } };

let folder: CommandFolder;
beforeEach(() => void (folder = commandFolder(config)));
afterEach(() => folder.dispose());

const update = (name: string, of: Pick<DataUpdate, "version" | "lists">) =>
  folder.file(name, signUpdate(of, privateKey));
const stored = () => readdirSync(join(folder.path, "data")).filter((name) => name.includes(".lists"));

describe("phishwatch data", () => {
  test("An update that was made with a key of one's own is imported, shown, used for names, and removed again", async () => {
    await folder.run(["domains", "list"]);
    const { out: printed } = await folder.run(["data", "key", "own.pem"]);
    const key = printed.trim();
    expect(statSync(join(folder.path, "own.pem")).mode & 0o777).toBe(0o600);
    folder.file("phishwatch.toml", `${defaultConfig}[data]\ntrusted_keys = ["${key}"]\n`);
    folder.file("list.dat", newSuffixes);
    folder.file("log-list.json", builtinLogList.text);
    const options = "--key own.pem --data-version 2031-01-03 --list public_suffixes=list.dat@2031-01-02";
    const logs = "certificate_logs=log-list.json@2031-01-01";
    const made = await folder.run(["data", "make", "update.txt", ...options.split(" "), "--list", logs]);
    expect(made).toMatchObject({
      code: 0,
      out: "wrote the data update 2031-01-03 with 2 lists to update.txt\n",
    });

    // With the new list, this name is a look-alike below a suffix of a hosting service.
    const name = "example-bank.example-hosting.com\n";
    const typeOf = async () =>
      (JSON.parse((await folder.run(["match", "--json"], { stdin: name })).out) as { type: string }).type;
    const before = await typeOf();
    const imported = await folder.run(["data", "update", "update.txt"]);
    expect(imported).toMatchObject({
      code: 0,
      out: "imported the data update 2031-01-03 with 2 lists\n",
      err: "",
    });
    expect(await typeOf()).not.toBe(before);
    const shown = (await folder.run(["data", "show", "--json"])).out.trim().split("\n");
    expect(shown.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { list: "public_suffixes", origin: "update", date: "2031-01-02", version: "2031-01-03" },
      { list: "certificate_logs", origin: "update", date: "2031-01-01" },
      { list: "rdap_services", origin: "embedded", version: null },
      ...Array.from({ length: 5 }, () => ({ origin: "embedded" })),
    ]);
    expect((await folder.run(["data", "remove"])).code).toBe(0);
    expect(await typeOf()).toBe(before);
    expect(await folder.run(["data", "remove"])).toMatchObject({ code: 1 });
  });

  test("A file that is changed, cut, of another key or not an update is rejected, and nothing is stored", async () => {
    await folder.run(["domains", "list"]);
    const good = signUpdate({ version: "2031-01-01", lists }, privateKey);
    const changed = good.slice();
    changed[5_000]! ^= 1;
    const other = signUpdate({ version: "2031-01-01", lists }, generateKeyPairSync("ed25519").privateKey);
    const cases: [Uint8Array | string, RegExp][] = [
      [changed, /its signature is not valid/],
      [good.subarray(0, good.length - 1), /its signature is not valid/],
      [other, /signed with the key [0-9a-f]{16}, which is not trusted; .*data\.trusted_keys/],
      ["<html>", /not a data update: its first line/],
      [
        signUpdate(
          { version: "2031-01-01", lists: { words: { date: "2031-01-01", text: "# few\nword\n" } } },
          privateKey,
        ),
        /the list words has only 1 entries/,
      ],
      [
        signUpdate(
          { version: "2031-01-01", lists: { public_suffixes: { date: "2031-01-01", text: "com\n" } } },
          privateKey,
        ),
        /public_suffixes is not valid: co\.uk is missing/,
      ],
    ];
    for (const [content, message] of cases) {
      folder.file("update.txt", content);
      const { code, err } = await folder.run(["data", "update", "update.txt"]);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(message) });
    }
    expect(stored()).toEqual([]);
  });

  test("An older version needs --force, and a list that is older than the embedded one is not used", async () => {
    await folder.run(["domains", "list"]);
    await folder.run(["data", "update", update("new.txt", { version: "2031-01-02", lists })]);
    const old = update("old.txt", { version: "2031-01-01.2", lists });
    const rejected = await folder.run(["data", "update", old]);
    expect(rejected.err).toContain("version 2031-01-01.2 is older than 2031-01-02, which is in use");
    expect((await folder.run(["data", "update", old, "--force"])).out).toContain("which replaces 2031-01-02");
    const past = { public_suffixes: { date: "2020-01-01", text: newSuffixes } };
    await folder.run(["data", "update", update("past.txt", { version: "2031-02-01", lists: past })]);
    const [first = ""] = (await folder.run(["data", "show", "--json"])).out.split("\n");
    expect(JSON.parse(first)).toMatchObject({ list: "public_suffixes", origin: "embedded" });
    expect(stored()).toEqual(["test.db.lists"]);
  });

  test("A damaged update falls back to the embedded lists, which `check` and the log of the start report", async () => {
    await folder.run(["domains", "list"]);
    await folder.run(["data", "update", update("new.txt", { version: "2031-01-02", lists })]);
    const server = await folder.serve();
    const running = await folder.run([
      "data",
      "update",
      update("newer.txt", { version: "2031-01-03", lists }),
    ]);
    expect(running.err).toBe("The running server uses the change after a restart.\n");
    const check = async (id: string) =>
      (await folder.run(["check", "--offline", "--json"])).out
        .split("\n")
        .filter((line) => line.includes(`"check":"${id}"`))
        .map((line) => JSON.parse(line) as { what: string; state: string; detail: string });
    expect(await check("server")).toMatchObject([
      {
        state: "warning",
        detail: expect.stringContaining("the data update 2031-01-02, but the data update 2031-01-03"),
      },
    ]);
    await server.stop();
    expect((await check("lists"))[0]).toMatchObject({
      state: "ok",
      detail: "of 2031-01-02, from the data update",
    });
    folder.file(
      "data/test.db.lists",
      readFileSync(join(folder.path, "data/test.db.lists")).subarray(0, 50_000),
    );
    expect((await check("lists")).slice(0, 2)).toMatchObject([
      { what: "data update", state: "error", detail: expect.stringContaining("its signature is not valid") },
      { what: "public suffixes", detail: "of 2026-11-15, embedded" },
    ]);
    const restarted = await folder.serve();
    expect((await restarted.stop()).err).toContain("test.db.lists cannot be used, so the embedded lists are");
  });
});

test("Versions are compared by date and number", () => {
  const sorted = ["2026-01-31", "2026-02-01", "2026-02-01.2", "2026-02-01.10", "2027-01-01"];
  expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
  const text = new TextDecoder().decode(signUpdate({ version: "2026-02-01", lists }, privateKey));
  expect(readUpdate(Buffer.from(text), [own]).version).toBe("2026-02-01");
  expect(() => signUpdate({ version: "1.0", lists }, privateKey)).toThrow("not a date such as");
});
