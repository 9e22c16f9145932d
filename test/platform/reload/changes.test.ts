import { describe, expect, test } from "bun:test";
import { fieldSchema, type FieldSchema } from "../../../src/platform/config/fields/fields.ts";
import { describeConfig } from "../../../src/platform/config/render.ts";
import { configSchema } from "../../../src/platform/config/schema.ts";
import { compareValues } from "../../../src/platform/reload/changes.ts";
import { loaded } from "../config/helper.ts";

const values = loaded("").source!.values;
/** A value that is different from each that a file can contain. */
const other = { name: "other", domain: "other.example" };

/** Returns the path of each key that is not the key of an entry. */
function keysOf(field: FieldSchema, path: readonly string[] = []): (readonly string[])[] {
  return Object.entries(field.properties!).flatMap(([key, property]) =>
    property.kind === "table" ? keysOf(property, [...path, key]) : [[...path, key]],
  );
}

function changed(of: object, [key, ...rest]: readonly string[]): object {
  const before: unknown = Reflect.get(of, key!);
  return { ...of, [key!]: rest.length === 0 ? [other] : changed(before as object, rest) };
}

describe("every key of the configuration", () => {
  const isRestart = new Map(describeConfig().map(({ path, needsRestart }) => [path, needsRestart]));

  test.each(keysOf(fieldSchema(configSchema)).map((key) => [key.join("."), key] as const))(
    "%s is applied, or named as needing a restart and left as it was",
    (path, key) => {
      const after = changed(values, key) as typeof values;
      const { applied, restart, values: result } = compareValues(values, after);
      const read = (of: unknown) => key.reduce<unknown>((at, one) => Reflect.get(at as object, one), of);
      const isSwitch = path === "server.tls_cert" || path === "server.tls_key";
      const isOwnTable = isRestart.has(path) ? isRestart.get(path)! : path.startsWith("certificate_logs.");
      if (isOwnTable || isSwitch) {
        expect({ applied, restart }).toEqual({ applied: [], restart: [path] });
        expect(read(result)).toBe(read(values));
      } else {
        expect(restart).toEqual([]);
        expect(applied.every((change) => change.startsWith(path))).toBe(true);
        expect(read(result)).toBe(read(after));
      }
    },
  );
});
