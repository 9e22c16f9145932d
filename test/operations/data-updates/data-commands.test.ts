import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { builtinLogList } from "../../../src/engines/certificate-transparency/log-list/builtin-list.ts";
import { embeddedLists } from "../../../src/cli/checks/lists.ts";
import {
  listsInEffect,
  readStoredUpdate,
  storeUpdate,
} from "../../../src/operations/data-updates/stored-update.ts";
import {
  compareVersions,
  type DataUpdate,
  publicKeyText,
  readUpdate,
  signUpdate,
} from "../../../src/operations/data-updates/update-file.ts";
import { commandFolder, type CommandFolder, defaultConfig } from "../../support/command-line.ts";
import { publicSuffixList } from "../../support/suffix-list.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const own = publicKeyText(publicKey);
const config = `${defaultConfig}[data]\ntrusted_keys = ["${own}"]\n`;
const embeddedSuffixes = await publicSuffixList();
/** The embedded list with a suffix that it does not contain. */
const newSuffixes = embeddedSuffixes.replace("// ===END PRIVATE", "example-hosting.com\n// ===END PRIVATE");
const lists: DataUpdate["lists"] = { public_suffixes: { date: "2031-01-02", text: newSuffixes } };

const now = Date.UTC(2026, 10, 22);

let folder: CommandFolder;
/** Database. */
let path: string;
beforeEach(() => {
  folder = commandFolder(config);
  path = join(folder.path, "data/test.db");
  mkdirSync(join(folder.path, "data"), { mode: 0o700 });
});
afterEach(() => folder.dispose());

const store = (file: string, force = false) => storeUpdate({ file, path, ownKeys: [own], force });

const update = (name: string, of: Pick<DataUpdate, "version" | "lists">) =>
  folder.file(name, signUpdate(of, privateKey));
const stored = () => readdirSync(join(folder.path, "data")).filter((name) => name.includes(".lists"));

describe("phishwatch data", () => {
  test("An update that was made with a key of one's own is imported, shown, used for names, and removed again", async () => {
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
      ...Array.from({ length: 6 }, () => ({ origin: "embedded" })),
    ]);
    expect((await folder.run(["data", "remove"])).code).toBe(0);
    expect(stored()).toEqual([]);
  });

  test("A file that is changed, cut, of another key or not an update is rejected, and nothing is stored", async () => {
    const good = signUpdate({ version: "2031-01-01", lists }, privateKey);
    const changed = good.slice();
    changed[5_000]! ^= 1;
    const signed = (of: DataUpdate["lists"], key = privateKey) =>
      signUpdate({ version: "2031-01-01", lists: of }, key);
    const cases: [Uint8Array | string, RegExp][] = [
      [changed, /its signature is not valid/],
      [good.subarray(0, good.length - 1), /its signature is not valid/],
      [
        signed(lists, generateKeyPairSync("ed25519").privateKey),
        /key [0-9a-f]{16}, which is not trusted; .*data\.trusted_keys/,
      ],
      ["<html>", /not a data update: its first line/],
      [signed({ words: { date: "2031-01-01", text: "# few\nword\n" } }), /the list words has only 1 entries/],
      [
        signed({ public_suffixes: { date: "2031-01-01", text: "com\n" } }),
        /public_suffixes is not valid: co\.uk is missing/,
      ],
    ];
    for (const [content, message] of cases)
      expect(() => store(folder.file("update.txt", content))).toThrow(message);
    expect(stored()).toEqual([]);
    const { code, err } = await folder.run(["data", "update", "update.txt"]);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining("update.txt: the list public_suffixes"),
    });
  });

  test("An older version needs --force, and a list that is older than the embedded one is not used", () => {
    store(update("new.txt", { version: "2031-01-02", lists }));
    const old = update("old.txt", { version: "2031-01-01.2", lists });
    expect(() => store(old)).toThrow("version 2031-01-01.2 is older than 2031-01-02, which is in use");
    expect(store(old, true).previous).toMatchObject({ update: { version: "2031-01-02" } });
    const past = { public_suffixes: { date: "2020-01-01", text: newSuffixes } };
    store(update("past.txt", { version: "2031-02-01", lists: past }));
    expect(listsInEffect(readStoredUpdate(path, [own]), now)[0]).toMatchObject({
      name: "public_suffixes",
      origin: "embedded",
    });
    expect(stored()).toEqual(["test.db.lists"]);
  });

  // Only root can give files away.
  test.skipIf(process.getuid?.() !== 0)(
    "An update that root imports belongs to the owner of the folder, whose links are not followed",
    () => {
      chownSync(join(folder.path, "data"), 4242, 4242);
      // The owner of the folder may have put a link there, which must not be followed.
      const other = folder.file("other.txt", "other");
      symlinkSync(other, `${path}.lists.next`);
      store(update("new.txt", { version: "2031-01-02", lists }));
      expect(readFileSync(other, "utf8")).toBe("other");
      expect(statSync(other).uid).toBe(0);
      expect(lstatSync(`${path}.lists`).isFile()).toBe(true);
      expect(statSync(`${path}.lists`)).toMatchObject({ uid: 4242, gid: 4242 });
      expect(statSync(`${path}.lists`).mode & 0o777).toBe(0o600);
    },
  );

  test("The age of a list is reported from the limit of that list", () => {
    const at = (date: string) => Date.parse(`${date}T12:00:00Z`);
    const old = (date: string) =>
      listsInEffect({ state: "none" }, at(date))
        .filter(({ isOld }) => isOld)
        .map(({ name }) => name);
    expect(old("2026-11-22")).toEqual([]);
    expect(old("2026-12-01")).toEqual(["certificate_logs"]);
    expect(old("2028-06-01")).toEqual([
      "public_suffixes",
      "certificate_logs",
      "rdap_services",
      "whois_servers",
    ]);
  });

  test("A damaged update falls back to the embedded lists, which `check` and the log of the start report", async () => {
    store(update("new.txt", { version: "2031-01-02", lists }));
    const server = await folder.serve();
    const running = await folder.run([
      "data",
      "update",
      update("newer.txt", { version: "2031-01-03", lists }),
    ]);
    expect(running.err).toBe("The running server uses the change after a restart.\n");
    await server.stop();
    const checked = () => embeddedLists({ data: { trustedKeys: [own] }, storage: { path } }, now);
    expect(checked()[0]).toMatchObject({ state: "ok", detail: "of 2031-01-02, from the data update" });
    folder.file("data/test.db.lists", readFileSync(`${path}.lists`).subarray(0, 50_000));
    expect(checked().slice(0, 2)).toMatchObject([
      { what: "data update", state: "error", detail: expect.stringContaining("its signature is not valid") },
      { what: "public suffixes", detail: "of 2026-11-15, embedded" },
    ]);
    const restarted = await folder.serve();
    expect((await restarted.stop()).err).toContain("test.db.lists cannot be used, so the embedded lists are");
  });
});

test("Without a trusted key, every update is rejected, and the message names the setting", () => {
  const file = update("new.txt", { version: "2031-01-02", lists });
  expect(() => storeUpdate({ file, path, ownKeys: [], force: false })).toThrow(
    /no key is trusted; add .* to data\.trusted_keys/,
  );
  expect(stored()).toEqual([]);
});

test("Versions are compared by date and number", () => {
  const sorted = ["2026-01-31", "2026-02-01", "2026-02-01.2", "2026-02-01.10", "2027-01-01"];
  expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
  const text = new TextDecoder().decode(signUpdate({ version: "2026-02-01", lists }, privateKey));
  expect(readUpdate(Buffer.from(text), [own]).version).toBe("2026-02-01");
  expect(() => signUpdate({ version: "1.0", lists }, privateKey)).toThrow("not a date such as");
});
