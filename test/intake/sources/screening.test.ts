/** Compares a list that several threads read with the same list read by one. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createMatcher } from "../../../src/engines/detection/match/matcher.ts";
import { lineBytesMax } from "../../../src/intake/sources/name-file-formats/lines.ts";
import { textOf } from "../../../src/intake/sources/name-file-formats/name-chunk.ts";
import { openNameList, type NameListOptions } from "../../../src/intake/sources/name-files/name-list.ts";
import type { Screening } from "../../../src/intake/sources/name-files/screening.ts";

const folder = mkdtempSync(join(tmpdir(), "phishwatch-screening-"));
afterAll(() => rmSync(folder, { recursive: true }));

const matcher = createMatcher([{ domain: "example-bank.com", keywords: [], allow: [] }], {
  minSimilarity: 0.75,
});
let started = 0;
const screening: Screening = {
  matcher,
  threads: 3,
  startWorker() {
    started++;
    return new Worker(join(import.meta.dir, "../../../src/main.ts"));
  },
};

/** Returns the names that may match, by line, and the number of names. */
async function read(
  path: string,
  options: NameListOptions,
): Promise<{ kept: string[]; names: number; line: number }> {
  const list = await openNameList(path, options);
  const kept: string[] = [];
  let names = 0;
  let line = 0;
  try {
    for await (const chunk of list.chunks()) {
      const text = textOf(chunk);
      const passed = matcher.screenNames(chunk, 0, chunk.count);
      names += chunk.count + chunk.dropped;
      line = chunk.end.line;
      for (let i = 0; i < chunk.count; i++) {
        const invalid = chunk.errors.get(i);
        if (invalid === undefined && passed[i] === 0) continue;
        kept.push(
          `${chunk.firstLine + chunk.lines[i]!} ${invalid === undefined ? text(i) : `! ${invalid.why}`}`,
        );
      }
    }
  } finally {
    await list.close();
  }
  return { kept, names, line };
}

const odd = [
  "example-bank.net", "EXAMPLE-BNAK.com", "# a comment", "", "not a name", "xn--exampe-bank-5wb.com", "xn--bcher-kva.com",
  "login.exampIe-bank.top  # seen", "1.2.3.4", "a..b", "\t example-bank.org\r",
]; // prettier-ignore

function linesOf(count: number, write = (line: string) => line): string[] {
  return Array.from({ length: count }, (_, i) =>
    write(i % 997 === 0 ? odd[(i / 997) % odd.length]! : `name-${i}-of-nobody.example`),
  );
}

function written(name: string, lines: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.join("\n"));
  return path;
}

test("several threads find the same names in the same lines as one", async () => {
  const path = written("plain.txt", linesOf(300_000));
  const alone = await read(path, {});
  started = 0;
  expect(await read(path, { screening })).toEqual(alone);
  expect(started).toBe(2);
  expect(alone.kept.length).toBeGreaterThan(100);
});

test("several threads find the same names in JSON lines as one", async () => {
  const path = written(
    "names.jsonl",
    linesOf(150_000, (line) => JSON.stringify({ seen: "2026-01-01", inner: { domain: line } })),
  );
  const options = { column: "inner.domain" };
  const alone = await read(path, options);
  started = 0;
  expect(await read(path, { ...options, screening })).toEqual(alone);
  expect(started).toBe(2);
  expect(alone.kept.length).toBeGreaterThan(50);
});

test.each<[string, string[], (line: string) => string, threads: number]>([
  ["names.csv", ["id,domain"], (line) => `1,${line.replaceAll(",", "")}`, 2],
  ["quoted.csv", ["id,domain"], (line) => `1,${line === "a..b" ? `"a\n..b"` : line}`, 0],
  ["names.zone", ["$ORIGIN example.net.", "@ IN SOA ns. host. (1", "2 3 4 5)"], (line) => `${line} 300 IN NS ns.`, 2],
  ["unclosed.zone", [], (line) => `${line} 300 IN NS ns.${line.startsWith("name-90000-") ? " (" : ""}`, 0],
  ["origins.zone", [], (line) => (line.startsWith("name-140000-") ? "$ORIGIN b.example." : `${line} 300 IN NS ns.`), 2],
])("several threads find the same names in %s as one", async (name, start, write, threads) => {
  const path = written(name, [...start, ...linesOf(160_000, write)]);
  const alone = await read(path, {});
  started = 0;
  expect(await read(path, { screening })).toEqual(alone);
  expect(started).toBe(threads);
  expect(alone.kept.length).toBeGreaterThan(50);
}); // prettier-ignore

test("an overlong line is skipped, and the lines after it are read", async () => {
  const lines = linesOf(200_000);
  lines[150_000] = "x".repeat(600_000);
  lines[160_000] = "x".repeat(2 * lineBytesMax);
  const path = written("long.txt", lines);
  const alone = await read(path, {});
  expect(await read(path, { screening })).toEqual(alone);
  expect(alone.kept.some((entry) => entry.startsWith("160001 !"))).toBeTrue();
});

test("a short list starts no thread, and results arrive while the list is still being written", async () => {
  started = 0;
  const { readable, writable } = new TransformStream<Uint8Array>();
  const writer = writable.getWriter();
  const send = (text: string) => writer.write(new TextEncoder().encode(text));
  const list = await Promise.all([
    openNameList("the names", { format: "lines", stream: readable, screening }),
    send("nobody.example\nexample-bank.net\n"),
  ]).then(([opened]) => opened);
  const chunks = list.chunks();
  const { value } = await chunks.next();
  expect(value && textOf(value)(0)).toBe("example-bank.net");
  expect(value?.dropped).toBe(1);
  // Larger than the size from which other threads help.
  const sent = send("name-of-nobody.example\n".repeat(250_000));
  let last = "";
  for (let names = 0; names < 250_000;) {
    const chunk = (await chunks.next()).value!;
    names += chunk.count + chunk.dropped;
  }
  await sent;
  expect(started).toBe(2);
  void send("late.example-bank.net\n");
  for (const chunk = (await chunks.next()).value!; last === "";)
    last = chunk.count > 0 ? textOf(chunk)(0) : "none";
  expect(last).toBe("late.example-bank.net");
  await writer.close();
  expect((await chunks.next()).done).toBeTrue();
  await list.close();
});

test("a failed thread is reported as an error instead of silently shortening the list", async () => {
  const path = written("failing.txt", linesOf(300_000));
  const failing = {
    ...screening,
    startWorker: () => new Worker("process.exit(1)", { eval: true }),
  };
  await expect(read(path, { screening: failing })).rejects.toThrow(
    /cannot be read \(a worker thread exited early\)/,
  );
});

test("Reading a list with several threads ends as soon as its signal is aborted, and no failure is left unhandled", async () => {
  const block = new TextEncoder().encode("name-of-nobody.example\n".repeat(10_000));
  // Bytes are there at once, so that reads are ahead of the threads.
  const endless = new ReadableStream<Uint8Array>(
    { pull: (controller) => controller.enqueue(block) },
    { highWaterMark: 0 },
  );
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", note);
  try {
    const stopping = new AbortController();
    const list = await openNameList("the names", {
      format: "lines",
      stream: endless,
      screening,
      signal: stopping.signal,
    });
    started = 0;
    let names = 0;
    const reading = async () => {
      for await (const chunk of list.chunks()) {
        names += chunk.count + chunk.dropped;
        if (names > 1_000_000) stopping.abort(new Error("enough"));
      }
    };
    await expect(reading()).rejects.toThrow("enough");
    expect(started).toBe(2);
    await list.close();
    // Rejections are reported after the microtasks of a turn.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});
