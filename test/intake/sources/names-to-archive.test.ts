/** The names of all sources go into the archive. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { readPastedName } from "../../../src/engines/detection/names/pasted-name.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { createYielder } from "../../../src/platform/lib/yielder.ts";
import { createCandidates, type Candidates } from "../../../src/intake/sources/candidates.ts";
import { createImports } from "../../../src/intake/sources/imports/imports.ts";
import { openNameList, type NameListOptions } from "../../../src/intake/sources/name-files/name-list.ts";
import { batchOfNames } from "../../support/name-batches.ts";
import { archivedIn } from "../../support/archived.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;
let candidates: Candidates;
beforeEach(() => {
  stores = openStores();
  const yielder = () => createYielder({ sliceMs: 0, elapsedMs: () => performance.now() });
  candidates = createCandidates({ ...stores, yielder });
});
afterEach(() => stores.dispose());

const archived = () => archivedIn(stores.archive);

async function processList(text: string, name: string, options: NameListOptions = {}) {
  const path = join(dirname(stores.path), name);
  writeFileSync(path, text);
  const list = await openNameList(path, options);
  try {
    return await candidates.process(list.batches(), { source: "feed" });
  } finally {
    await list.close();
  }
}

test("The valid names of a submission are archived in canonical form, whether they match or not", async () => {
  const names = [
    "EXAMPLE-BANK.NET.",
    "unrelated.org",
    "hxxps://bücher[.]example/x",
    "not a name",
    "192.0.2.1",
  ];
  await candidates.submit(names, { source: "submission" });
  await candidates.submit(["old.example"], { source: "feed", observedAt: Date.UTC(2025, 5, 1, 23) });
  expect(await archived()).toEqual([
    "2025-06-01 feed old.example",
    "2026-01-15 submission example-bank.net",
    "2026-01-15 submission unrelated.org",
    "2026-01-15 submission xn--bcher-kva.example",
  ]);
});

describe("all valid names of a list are archived", () => {
  const plain = [
    "# a list",
    "unrelated.org",
    "",
    "  Example-Bank.net # seen",
    "a.b.example\r",
    "no name",
    "bücher.example",
  ];
  const expected = ["a.b.example", "example-bank.net", "unrelated.org", "xn--bcher-kva.example"];

  const lists: [string, string, string[]][] = [
    ["plain.txt", plain.join("\n"), expected],
    ["unterminated.txt", "unrelated.org\nlast.example", ["last.example", "unrelated.org"]],
    ["names.csv", 'id,domain\n1,unrelated.org\n2,"Example-Bank.net"\n3,\n', ["example-bank.net", "unrelated.org"]],
    ["names.jsonl", '{"domain":["unrelated.org","www.unrelated.org"]}\n{"domain":"b.example"}\n', ["b.example", "unrelated.org", "www.unrelated.org"]],
    ["links.txt", "https://unrelated.org/a.html\nhxxp://example-bank[.]net/login\nhttp://192.0.2.1/\n", ["example-bank.net", "unrelated.org"]],
    ["hosts.txt", "127.0.0.1 localhost\n0.0.0.0 unrelated.org www.unrelated.org\n", ["unrelated.org", "www.unrelated.org"]],
  ]; // prettier-ignore
  for (const [file, text, names] of lists)
    test(`in ${file}`, async () => {
      await processList(text, file);
      expect(await archived()).toEqual(names.map((name) => `2026-01-15 feed ${name}`));
    });

  test("when threads prefilter it, also the names that they drop", async () => {
    const forms = [
      (name: string) => name,
      (name: string) => `  ${name}  # comment`,
      (name: string) => `https://${name}/login`,
      (name: string) => name.toUpperCase(),
      (name: string) => `${name}\r`,
      (name: string) => `bücher.${name}`,
      () => "not a name",
    ];
    // Threads start after some megabytes.
    const filling = "long".repeat(15);
    const lines = Array.from({ length: 60_000 }, (_, number) => {
      const name = number % 997 === 0 ? `examp1e-bank-${number}.com` : `name-${number}.${filling}.example`;
      return number % 3 === 0 ? forms[(number / 3) % forms.length]!(name) : name;
    });
    let started = 0;
    const screening = {
      matcher: stores.domains.matcher(),
      threads: 2,
      startWorker() {
        started++;
        return new Worker(join(import.meta.dir, "../../../src/main.ts"));
      },
    };
    const counts = await processList(lines.join("\n"), "long.txt", { format: "lines", screening });
    expect(started).toBe(1);
    const valid = lines.flatMap((line) => {
      const read = readPastedName(line.replace(/#.*/, "").trim());
      return "name" in read ? [`2026-01-15 feed ${read.name}`] : [];
    });
    expect(counts.received).toBe(lines.length);
    expect(valid.length).toBeGreaterThan(55_000);
    expect(await archived()).toEqual([...new Set(valid)].sort());
  });
});

test("A command that imports while a domain is protected requests another check of its names, and only for that domain", async () => {
  const imports = createImports({
    ...stores,
    candidates,
    log: createLog({ level: "silent", format: "json", clock: stores.clock, write: () => {} }),
  });
  const by = { channel: "command_line", name: "root", address: null } as const;
  const widenings = () => stores.domains.list().map((domain) => [domain.domain, domain.widenings]);
  const reading = async function* (added: string) {
    yield batchOfNames(["kestrelpost-login.com"], {
      start: { position: 0, line: 1 },
      end: { position: 22, line: 2 },
    });
    if (added !== "") stores.domains.add({ domain: added }, { by: analyst });
  };
  const run = (added: string) => {
    const list = { name: "list.txt", format: "lines", column: "", bytesTotal: 22 } as const;
    return imports.process({ ...list, batches: reading(added), bytes: () => 22 }, { by, source: "feed" });
  };
  const before = widenings();
  await run("");
  expect(widenings()).toEqual(before);
  await run("kestrelpost.com");
  expect(widenings()).toEqual([...before, ["kestrelpost.com", 2]]);
  await run("");
  expect(widenings()).toEqual([...before, ["kestrelpost.com", 2]]);
});
