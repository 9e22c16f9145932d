import { systemClock } from "../../platform/lib/clock.ts";
import type { FieldValues, TrapField, TrapTexts } from "../../response/traps/presentation.ts";
import { UsageError, type Flag } from "../terminal/command.ts";
import { duration, text, texts } from "../terminal/flags.ts";

/** The fields of a kind of trap as an argument and flags of its `create` command. */

export function fieldFlags(fields: readonly TrapField[], { nameFlag, memoFlag }: TrapTexts) {
  const flags: Record<string, Flag<unknown>> = {};
  for (const field of fields) {
    if (field.command === null || "argument" in field.command) continue;
    const { flag, description } = field.command;
    flags[field.name] = flagOf(field)(flag, description);
  }
  return { name: text("--name <name>", nameFlag), ...flags, memo: text("--memo <text>", memoFlag) };
}

function flagOf({ type }: TrapField): (form: string, description: string) => Flag<unknown> {
  if (type === "hosts") return texts;
  return type === "expiry" ? duration : text;
}

/** Returns the field that the command takes as its argument. */
export function argumentField(
  fields: readonly TrapField[],
): { field: TrapField; form: string; choices: string[] } | undefined {
  for (const field of fields) {
    if (field.command === null || !("argument" in field.command)) continue;
    const choices = field.type === "choice" ? field.choices.map(({ value }) => value) : [];
    return { field, form: `<${field.command.argument}>`, choices };
  }
  return undefined;
}

/** @throws UsageError for values that the fields do not allow */
export function fieldValues(
  fields: readonly TrapField[],
  args: readonly string[],
  options: Readonly<Record<string, unknown>>,
): FieldValues {
  const argument = argumentField(fields)?.field;
  const values: Record<string, FieldValues[string]> = {};
  for (const field of fields) {
    const given = field === argument ? args[0] : options[field.name];
    if (given === undefined) continue;
    values[field.name] =
      field.type === "expiry" ? systemClock.now() + Number(given) : (given as string | string[]);
    checkChoice(field, values[field.name]);
  }
  for (const field of fields) {
    const excluded = (field.excludes ?? []).filter((name) => values[name] !== undefined);
    if (values[field.name] !== undefined && excluded.length > 0)
      throw new UsageError(
        `--${field.name} cannot be combined with ${excluded.map((name) => `--${name}`).join(" and ")}`,
      );
  }
  return values;
}

function checkChoice(field: TrapField, given: unknown): void {
  if (field.type !== "choice" || field.choices.some(({ value }) => value === given)) return;
  const allowed = field.choices.map(({ value }) => value);
  throw new UsageError(`the ${field.label.toLowerCase()} must be one of ${allowed.join(", ")}`);
}
