import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { createLog, type Log, type LogOptions } from "../../../src/platform/lib/log.ts";
import { logEvents, logFields } from "../../../src/platform/lib/log-events/catalogue.ts";
import { manualClock } from "../../support/appliance.ts";

function logged(format: LogOptions["format"], write: (log: Log) => void): string {
  const lines: string[] = [];
  write(createLog({ level: "info", format, clock: manualClock(), write: (line) => void lines.push(line) }));
  return lines.join("");
}

const failing = { recipient: "whk_1", channel: "webhook", name: "soc", reason: "500 after 8 ms" };

test("A JSON line contains the name of the event, its level, its text and its fields", () => {
  const line = logged("json", (log) => log.event("recipient.failing", failing));
  expect(JSON.parse(line)).toEqual({
    level: "warn",
    time: "2026-01-15T12:00:00.000Z",
    event: "recipient.failing",
    ...failing,
    message: "recipient began to fail",
  });
});

test("A readable log line shows the text and the fields, without the name of the event", () => {
  expect(logged("pretty", (log) => log.event("recipient.failing", failing))).toBe(
    '12:00:00.000 WARN  recipient began to fail recipient=whk_1 channel=webhook name=soc reason="500 after 8 ms"\n',
  );
});

test("A readable log line is followed by the stack of an exception", () => {
  const error = new Error("the disk is full");
  expect(logged("pretty", (log) => log.event("retention.failed", { error }))).toMatch(
    /^12:00:00\.000 WARN {2}deleting old events failed\n {4}Error: the disk is full\n {4} +at /,
  );
});

test("The log keeps the message of a thrown object that is not an Error", () => {
  class Thrown {
    readonly self = this;
    toString = () => "Cannot find package";
  }
  const write = (log: Log) => log.event("retention.failed", { error: new Thrown() });
  expect(JSON.parse(logged("json", write))).toMatchObject({ error: { message: "Cannot find package" } });
  expect(logged("pretty", write)).toContain("    Cannot find package\n");
});

test("A JSON line contains the type, code, message and stack of an error with those of its causes, and nothing else of it", () => {
  const cause = Object.assign(new RangeError("no space"), { code: "ENOSPC" });
  const error = Object.assign(new TypeError("not stored", { cause }), { secret: "s3cret" });
  cause.cause = error;
  const line = JSON.parse(logged("json", (log) => log.event("retention.failed", { error }))) as {
    error: object;
  };
  expect(Object.keys(line.error)).toEqual(["type", "code", "message", "stack"]);
  expect(line.error).toMatchObject({
    type: "TypeError",
    code: "ENOSPC",
    message: expect.stringMatching(/^not stored: no space: not stored/),
    stack: expect.stringMatching(/^TypeError: not stored\n +at [^]+\ncaused by: RangeError: no space\n +at /),
  });
});

const refuse = () => {
  throw new Error("must not be read");
};
const refusing = new Proxy({}, { get: refuse, getPrototypeOf: refuse, has: refuse, ownKeys: refuse });
const long = "x".repeat(1_000_000);
const loop = new Error("first");
loop.cause = new Error("second", { cause: loop });

test.each<[string, unknown, string]>([
  ["an object without a prototype", Object.create(null), "an exception without a readable message"],
  ["a proxy that throws", refusing, "an exception without a readable message"],
  ["a symbol", Symbol("thrown"), "Symbol(thrown)"],
  ["a huge text in an object", { toString: () => long }, `${"x".repeat(4_000)}…`],
  ["a huge message", new Error(long), `${"x".repeat(4_000)}…`],
  ["a message that cannot be read", Object.defineProperty(new Error(), "message", { get: refuse }), "an exc"],
  ["a message that is a number", Object.assign(new Error(), { message: 7 }), "7"],
  [
    "a name and a stack that are objects",
    Object.assign(new Error("text"), { name: {}, stack: refusing }),
    "text",
  ],
  ["a code that cannot be read", Object.defineProperty(new Error("text"), "code", { get: refuse }), "text"],
  ["a cause that throws", new Error("text", { cause: refusing }), "text"],
  ["a cause of its own cause", loop, "first: second: first"],
])("The log never throws and writes a short line for a thrown value: %s", (_, error, message) => {
  const write = (log: Log) => log.event("retention.failed", { error });
  const line = logged("json", write);
  expect(line.length).toBeLessThan(25_000);
  expect(JSON.parse(line)).toMatchObject({ error: { message: expect.stringContaining(message) } });
  expect(logged("pretty", write).length).toBeLessThan(25_000);
});

test("A field that has no JSON or a huge one costs no other field", () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const write = (detail: unknown) => (log: Log) =>
    log.event("setup.needs_attention", { what: "console", detail });
  for (const detail of [circular, 7n, refusing, { toJSON: refuse }])
    expect(JSON.parse(logged("json", write(detail)))).toMatchObject({
      what: "console",
      detail: expect.stringContaining("cannot be logged: "),
    });
  const line = logged("json", write(long));
  expect(line.length).toBeLessThan(40_000);
  expect(JSON.parse(line)).toMatchObject({ what: "console", detail: expect.stringMatching(/^x+…$/) });
});

test("A JSON line names the type and the code of an error of SQLite", () => {
  const database = new Database(":memory:");
  const write = (log: Log) => {
    try {
      database.run("SELECT json('{')");
    } catch (error) {
      log.event("retention.failed", { error });
    }
  };
  expect(JSON.parse(logged("json", write))).toMatchObject({
    error: { type: "SQLiteError", code: "SQLITE_ERROR" },
  });
  database.close();
});

test("The level of the log can be changed while it is in use", () => {
  const text = logged("pretty", (log) => {
    log.level = "warn";
    log.event("server.stopping");
    expect(log.isEnabled("server.stopping")).toBe(false);
    log.level = "info";
    log.event("server.stopping");
    expect(log.isEnabled("server.stopping")).toBe(true);
  });
  expect(text).toBe("12:00:00.000 INFO  stopping\n");
});

describe("the catalogue of log events", () => {
  const all = Object.entries(logEvents);

  test("names events as subject.what_happened, and says in one sentence what each means", () => {
    for (const [name, { text, description }] of all) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)]);
      expect(text).not.toMatch(/[=\n]|\.$/);
    }
  });

  test("uses every field that it describes, and describes every field that it uses", () => {
    const used = new Set(all.flatMap(([, { fields, optional }]) => Object.keys({ ...fields, ...optional })));
    expect([...used].sort()).toEqual(Object.keys(logFields).sort());
  });

  test("has only what a log event and a field have", () => {
    const set = Type.Record(Type.String(), Type.Literal(true));
    const event = Type.Object(
      {
        level: Type.Union(["debug", "info", "warn", "error"].map((level) => Type.Literal(level))),
        text: Type.String(),
        description: Type.String(),
        advice: Type.Optional(Type.String({ pattern: "\\.$" })),
        fields: set,
        optional: Type.Optional(set),
      },
      { additionalProperties: false },
    );
    const types = ["text", "list of texts", "number", "object"];
    const field = Type.Union(
      types.map((type) => Type.Object({ [type]: Type.String() }, { additionalProperties: false })),
    );
    expect([...Value.Errors(Type.Record(Type.String(), event), logEvents)]).toEqual([]);
    expect([...Value.Errors(Type.Record(Type.String(), field), logFields)]).toEqual([]);
  });

  test("contains no event that is never logged", async () => {
    const written = new Set<string>();
    for await (const path of new Bun.Glob("src/**/*.{ts,tsx}").scan(`${import.meta.dir}/../../..`)) {
      if (path.startsWith("src/platform/lib/log-events/")) continue;
      const text = await Bun.file(`${import.meta.dir}/../../../${path}`).text();
      for (const [, name] of text.matchAll(/"([a-z_]+\.[a-z_]+)"/g)) written.add(name!);
    }
    expect(all.map(([name]) => name).filter((name) => !written.has(name))).toEqual([]);
  });
});
