import { toIsoTime, type Clock } from "./clock.ts";
import { messageOf } from "./errors.ts";
import { logEvents, type LogEvent, type LogEventFields, type LogEventName } from "./log-events/catalogue.ts";
import { visible, visibleJson } from "./safe-text.ts";

/** Every line is an event of the catalogue: `log.event("scan.finished", { scan, … })`. */
export interface Log {
  event<Name extends LogEventName>(
    name: Name,
    ...fields: object extends LogEventFields<Name> ? [LogEventFields<Name>?] : [LogEventFields<Name>]
  ): void;
  /** Returns whether the level of an event is enabled. Ask before computing expensive fields. */
  isEnabled(name: LogEventName): boolean;
  /** Returns how often each warning and error occurred, including those below the level. */
  counts(): readonly { event: LogEventName; level: LogEvent["level"]; total: number }[];
  /** Minimum level of the lines that are written. Can be changed at any time. */
  level: LogLevel;
}

/** Events that need nothing but an error. */
export type ErrorEventName = {
  [Name in LogEventName]: { error: unknown } extends LogEventFields<Name> ? Name : never;
}[LogEventName];

/** In ascending order. With the last one, nothing is written. */
const levels = ["trace", "debug", "info", "warn", "error", "silent"] as const;

export type LogLevel = (typeof levels)[number];

export interface LogOptions {
  level: LogLevel;
  /** One JSON object per line, or a readable line. */
  format: "json" | "pretty";
  clock: Clock;
  /** Receives each finished line, with its line break. */
  write: (line: string) => void;
}

/**
 * Creates the log. Text from outside (names, titles, responses) goes into fields, never into the message, and is
 * written without control, bidirectional or invisible characters.
 */
export function createLog({ level, format, clock, write }: LogOptions): Log {
  let minimum = level;
  const isWritten = (of: LogLevel) => levels.indexOf(of) >= levels.indexOf(minimum);
  // At most one entry for each event of the catalogue.
  const counts = new Map<LogEventName, number>();
  return {
    event(name, ...[fields]) {
      const { level: of, text } = logEvents[name];
      if (of === "warn" || of === "error") counts.set(name, (counts.get(name) ?? 0) + 1);
      if (!isWritten(of)) return;
      const head = { level: of, time: toIsoTime(clock.now()), event: name };
      const json = serialized(head, fields, text);
      write(format === "json" ? `${visibleJson(json)}\n` : prettyLine(json));
    },
    counts: () => [...counts].map(([event, total]) => ({ event, level: logEvents[event].level, total })),
    isEnabled: (name) => isWritten(logEvents[name].level),
    get level() {
      return minimum;
    },
    set level(next) {
      minimum = next;
    },
  };
}

/** Maximum length of a field as JSON. An error with its causes is shorter. */
const fieldCharactersMax = 1 << 15;

/** Returns a line as JSON. Never throws, whatever the fields contain: the code that logs handles a failure already. */
function serialized(head: object, fields: object | undefined, message: string): string {
  try {
    const json = JSON.stringify({ ...head, ...withDescribedError(fields), message });
    if (json.length <= fieldCharactersMax) return json;
  } catch {
    // One of the fields has no JSON, such as an object that contains itself.
  }
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(fields ?? {})) shown[name] = readableField(fields!, name);
  return JSON.stringify({ ...head, ...shown, message });
}

/** Returns the value of a field, truncated; the reason if it has no JSON. */
function readableField(fields: object, name: string): unknown {
  try {
    const value = withDescribedError({ [name]: fields[name as keyof typeof fields] })[name];
    const json: string | undefined = JSON.stringify(value);
    if (json === undefined) return undefined;
    if (json.length <= fieldCharactersMax) return JSON.parse(json);
    return `${(typeof value === "string" ? value : json).slice(0, fieldCharactersMax)}…`;
  } catch (error) {
    return `cannot be logged: ${truncated(messageOf(error), messageCharactersMax)}`;
  }
}

/** Returns the fields of a line; a thrown value among them as an object. */
function withDescribedError(fields: object = {}): Record<string, unknown> {
  const { error } = fields as { error?: unknown };
  // The reason of a failure as words stays as it is.
  if (error === undefined || error === null || typeof error === "string") return { ...fields };
  return { ...fields, error: describeThrown(error) };
}

const causesMax = 10;
/** For all causes together. */
const messageCharactersMax = 4_000;
const stackCharactersMax = 16_000;

/** Returns what a line contains of an error: its type, code, message and stack, and the messages and stacks of its causes. */
function describeThrown(thrown: unknown): { type?: string; code?: string; message: string; stack?: string } {
  const chain: unknown[] = [];
  for (let next = thrown; isError(next) && chain.length < causesMax; next = read(next, "cause"))
    chain.push(next);
  if (chain.length === 0) return { message: truncated(messageOf(thrown), messageCharactersMax) };
  // SQLite's message is the same for all of its I/O errors.
  const code = chain.map((error) => read(error, "code")).find((one) => typeof one === "string");
  return {
    // The constructor of errors of SQLite is `Error`.
    type: truncated(textOf(chain[0], "name") ?? "Error", messageCharactersMax),
    ...(code === undefined ? {} : { code: truncated(code, messageCharactersMax) }),
    message: truncated(chain.map(messageOf).join(": "), messageCharactersMax),
    stack: truncated(
      chain.map((error) => textOf(error, "stack") ?? messageOf(error)).join("\ncaused by: "),
      stackCharactersMax,
    ),
  };
}

/** `instanceof` throws for a proxy whose traps do. */
function isError(value: unknown): boolean {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

/** Returns a property; undefined if reading it throws. */
function read(of: unknown, property: string): unknown {
  try {
    return (of as Record<string, unknown>)[property];
  } catch {
    return undefined;
  }
}

function textOf(of: unknown, property: string): string | undefined {
  const value = read(of, property);
  return typeof value === "string" ? value : undefined;
}

function truncated(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}

/** Logs an error that is dropped on purpose, so that none disappears without a trace. */
export function logDropped(log: Log, error: unknown, name: ErrorEventName): void {
  log.event<ErrorEventName>(name, { error });
}

interface Line {
  level: string;
  time: string;
  message?: string;
  event?: string;
  /** An error, or the reason of a failure as words. */
  error?: { message: string; stack?: string } | string;
  [field: string]: unknown;
}

function prettyLine(json: string): string {
  // The message says the same as the name of the event.
  const { level, time, message, error, event: _, ...fields } = JSON.parse(json) as Line;
  const thrown = typeof error === "object" ? error : undefined;
  const all = typeof error === "string" ? { ...fields, error } : fields;
  const details = Object.entries(all).map(([name, value]) => `${name}=${fieldText(value)}`);
  const head = [
    time.slice(11, 23),
    level.toUpperCase().padEnd(5),
    visible(message ?? "", 2_000),
    ...details,
  ].join(" ");
  const stack = thrown?.stack ?? thrown?.message;
  if (stack === undefined) return `${head}\n`;
  return `${head}\n${stack
    .split("\n")
    .map((row) => `    ${visible(row, 1_000)}\n`)
    .join("")}`;
}

function fieldText(value: unknown): string {
  const text = typeof value === "string" && !/[\s"=]/.test(value) ? value : JSON.stringify(value);
  return visible(text, 500);
}
