import { visible } from "../lib/safe-text.ts";
import { findConflicts } from "../config/conflicts.ts";
import { type FieldSchema, fieldSchema, type Partly } from "../config/fields/fields.ts";
import { configSchema, type FileValues } from "../config/schema.ts";

/** Maximum length of the name of an entry in a description. */
const nameLengthMax = 100;

type Pair = readonly [before: unknown, after: unknown];

/** Compares the values in effect with the file, by the keys of the schema. */
export function compareValues(inEffect: FileValues, ofFile: FileValues) {
  const applied: string[] = [];
  const restart: string[] = [];

  function merge(field: FieldSchema, [before, after]: Pair, path: string, inRestartTable: boolean): unknown {
    const isSwitched = (before === null) !== (after === null);
    const needsRestart =
      inRestartTable || field.reload === "restart" || (field.reload === "restart_if_switched" && isSwitched);
    if (field.kind === "table") {
      const properties = Object.entries(field.properties!).map(([key, property]) => {
        const name = path === "" ? key : `${path}.${key}`;
        return [key, merge(property, [part(before, key), part(after, key)], name, needsRestart)];
      });
      return Object.fromEntries(properties);
    }
    if (Bun.deepEquals(before, after, true)) return before;
    if (needsRestart) {
      restart.push(path);
      return before;
    }
    if (field.kind === "tables") applied.push(...compareEntries(field.items!, before, after, path));
    else applied.push(path);
    return after;
  }

  const merged = merge(fieldSchema(configSchema), [inEffect, ofFile], "", false);
  const conflict = findConflicts(merged as Partly<FileValues>, () => undefined)[0]?.path;
  return {
    /** Values of the file to put into effect, without what needs a restart. */
    values: merged as FileValues,
    /** Changes that a reload applies, such as `log.level` or `protected_domains "example.com" added`. Contains no value. */
    applied,
    /** Keys that keep their value until the next start. */
    restart,
    /** Key that does not go together with what needs a restart; undefined if there is none. */
    conflict,
  };
}

/** Describes the entries of one `[[kind]]` that were added, changed or removed, by their names. */
function compareEntries(field: FieldSchema, before: unknown, after: unknown, path: string): string[] {
  const keys = Object.keys(field.properties!);
  const nameKey = ["name", "domain", "operator"].find((key) => keys.includes(key)) ?? keys[0]!;
  const byName = (entries: unknown) =>
    new Map((entries as object[]).map((entry) => [String(part(entry, nameKey)), entry]));
  const [old, present] = [byName(before), byName(after)];
  const describe = (name: string) => `${path} "${visible(name, nameLengthMax)}"`;
  const changes: string[] = [];
  for (const [name, entry] of present) {
    const known = old.get(name);
    if (known === undefined) changes.push(`${describe(name)} added`);
    else if (!Bun.deepEquals(known, entry, true)) {
      const changed = keys.filter((key) => !Bun.deepEquals(part(known, key), part(entry, key), true));
      changes.push(`${describe(name)} changed: ${changed.join(", ")}`);
    }
  }
  for (const name of old.keys()) if (!present.has(name)) changes.push(`${describe(name)} removed`);
  return changes.length === 0 ? [`${path} reordered`] : changes;
}

function part(of: unknown, key: string): unknown {
  return Reflect.get(of as object, key);
}
