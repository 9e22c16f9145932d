import { expect, test } from "bun:test";
import { createLog, type LogOptions } from "../../src/lib/log.ts";
import { manualClock } from "../support/appliance.ts";

function logged(format: LogOptions["format"], fields: object): string {
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    format,
    clock: manualClock(),
    write: (line) => void lines.push(line),
  });
  log.warn(fields, "import finished");
  return lines.join("");
}

test("A readable log line shows a reason that is not an exception", () => {
  expect(logged("pretty", { import: 3, error: "is truncated" })).toBe(
    '12:00:00.000 WARN  import finished import=3 error="is truncated"\n',
  );
});

test("A readable log line is followed by the stack of an exception", () => {
  expect(logged("pretty", { error: new Error("the disk is full") })).toMatch(
    /^12:00:00\.000 WARN {2}import finished\n {4}Error: the disk is full\n {4} +at /,
  );
});

test("The log keeps the message of a thrown object that is not an Error", () => {
  class Thrown {
    readonly self = this;
    toString = () => "Cannot find package";
  }
  expect(JSON.parse(logged("json", { error: new Thrown() }))).toMatchObject({
    error: { message: "Cannot find package" },
  });
  expect(logged("pretty", { error: new Thrown() })).toContain("    Cannot find package\n");
});
