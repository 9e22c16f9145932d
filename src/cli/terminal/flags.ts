import { readListen, type HostPort } from "../../platform/config/fields/texts.ts";
import { fromIsoTime } from "../../platform/lib/clock.ts";
import { durationForm, parseDuration } from "../../platform/lib/durations.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { UsageError, type Flag } from "./command.ts";

/** An option without a value. */
export function toggle(form: string, description?: string): Flag<boolean> {
  return { form, description, repeatable: false, absent: false };
}

export function text(form: string, description?: string): Flag<string | undefined> {
  return { form, description, read: (given) => given, repeatable: false, absent: undefined };
}

export function texts(form: string, description?: string): Flag<string[]> {
  return { form, description, read: (given) => given, repeatable: true, absent: [] };
}

export function choice<
  const Values extends readonly string[],
  Absent extends Values[number] | undefined = undefined,
>(
  form: string,
  values: Values,
  absent = undefined as Absent,
  description?: string,
): Flag<Values[number] | Absent> {
  return {
    form,
    description,
    read: (given) => oneOf(form, values, given),
    choices: values,
    repeatable: false,
    absent,
    absentShown: absent,
  };
}

export function choices<const Values extends readonly string[]>(
  form: string,
  values: Values,
  description?: string,
): Flag<Values[number][]> {
  return {
    form,
    description,
    read: (given) => oneOf(form, values, given),
    choices: values,
    repeatable: true,
    absent: [],
  };
}

export function number<Absent extends number | undefined = undefined>(
  form: string,
  range: { minimum: number; maximum: number; whole: boolean },
  absent = undefined as Absent,
  description?: string,
): Flag<number | Absent> {
  const { minimum, maximum, whole } = range;
  const allowed = `a ${whole ? "whole " : ""}number from ${minimum} to ${maximum}`;
  return {
    form,
    description,
    read(given) {
      const value = /^\d{1,15}(\.\d{1,15})?$/.test(given) ? Number(given) : NaN;
      if (value >= minimum && value <= maximum && (!whole || Number.isInteger(value))) return value;
      throw new UsageError(`${nameOf(form)} must be ${allowed}, not ${quoted(given)}`);
    },
    repeatable: false,
    absent,
    absentShown: absent?.toString(),
  };
}

/** An option with a point in time. */
export function time(form: string, description?: string): Flag<number | undefined> {
  return {
    form,
    description,
    read(given) {
      const instant = fromIsoTime(given);
      if (instant !== undefined) return instant;
      throw new UsageError(
        `${nameOf(form)} must be a time such as 2026-01-31 or 2026-01-31T12:00:00Z, not ${quoted(given)}`,
      );
    },
    repeatable: false,
    absent: undefined,
  };
}

/** An option with a duration, in milliseconds. */
export function duration(form: string, description?: string): Flag<number | undefined> {
  return {
    form,
    description,
    read(given) {
      const ms = parseDuration(given);
      if (ms !== null) return ms;
      throw new UsageError(`${nameOf(form)} must be ${durationForm}, not ${quoted(given)}`);
    },
    repeatable: false,
    absent: undefined,
  };
}

/** An option with the address of a server, which has no path. Its value has no slash at the end. */
export function serverUrl(form: string, description?: string): Flag<string | undefined> {
  return {
    form,
    description,
    read(given) {
      const url = URL.parse(given);
      if (url === null || !/^https?:$/.test(url.protocol))
        throw new UsageError(`${nameOf(form)} must be an http or https URL, not ${quoted(given)}`);
      if (url.href === `${url.origin}/`) return url.origin;
      throw new UsageError(`${nameOf(form)} must be an address without a path, such as ${url.origin}`);
    },
    repeatable: false,
    absent: undefined,
  };
}

/** An option with an address to listen on. */
export function hostPort(form: string, description?: string): Flag<HostPort | undefined> {
  return {
    form,
    description,
    read(given) {
      const result = readListen(given);
      if ("value" in result) return result.value;
      const { allowed, nearest } = result;
      const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
      throw new UsageError(`${nameOf(form)} must be ${allowed}, not ${quoted(given)}${hint}`);
    },
    repeatable: false,
    absent: undefined,
  };
}

function oneOf(form: string, values: readonly string[], given: string): string {
  if (values.includes(given)) return given;
  throw new UsageError(`${nameOf(form)} must be one of ${values.join(", ")}, not ${quoted(given)}`);
}

function nameOf(form: string): string {
  return /--[a-z-]+/.exec(form)![0];
}

function quoted(given: string): string {
  return `"${visible(given, 60)}"`;
}

/** Options that several commands share. */
export const configFlag = text(
  "--config <file>",
  "configuration file (default: ./phishwatch.toml, $PHISHWATCH_CONFIG, /etc/phishwatch/phishwatch.toml)",
);
export const jsonFlag = toggle("--json", "print one JSON object per line");
