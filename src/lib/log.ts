import { toIsoTime, type Clock } from "./clock.ts";
import { messageOf } from "./errors.ts";
import { logEvents, type LogEventFields, type LogEventName } from "./log-events/catalogue.ts";
import type { LogEvent } from "./log-events/event.ts";
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
      const { level: of, text } = eventOf(name);
      if (of === "warn" || of === "error") counts.set(name, (counts.get(name) ?? 0) + 1);
      if (!isWritten(of)) return;
      const head = { level: of, time: toIsoTime(clock.now()), event: name };
      const json = JSON.stringify({ ...head, ...withDescribedError(fields), message: text });
      write(format === "json" ? `${visibleJson(json)}\n` : prettyLine(json));
    },
    counts: () => [...counts].map(([event, total]) => ({ event, level: eventOf(event).level, total })),
    isEnabled: (name) => isWritten(eventOf(name).level),
    get level() {
      return minimum;
    },
    set level(next) {
      minimum = next;
    },
  };
}

function eventOf(name: LogEventName): LogEvent {
  return logEvents[name];
}

/** Returns the fields of a line; a thrown value among them as an object. */
function withDescribedError(fields: object = {}): object {
  const { error } = fields as { error?: unknown };
  // The reason of a failure as words stays as it is.
  if (error === undefined || error === null || typeof error === "string") return fields;
  return { ...fields, error: error instanceof Error ? describeError(error) : { message: messageOf(error) } };
}

const causesMax = 10;

/** Returns what a line contains of an error: its type and code, and its message and stack with those of its causes. */
function describeError(error: Error): Record<"type" | "message" | "stack", string> & { code?: string } {
  const chain = [error];
  for (let { cause } = error; cause instanceof Error && chain.length < causesMax; { cause } = cause)
    chain.push(cause);
  // SQLite's message is the same for all of its I/O errors.
  const code = chain.map(codeOf).find((one) => one !== undefined);
  return {
    // The constructor of errors of SQLite is `Error`.
    type: error.name,
    ...(code === undefined ? {} : { code }),
    message: chain.map(({ message }) => message).join(": "),
    stack: chain.map(({ stack, message }) => stack ?? message).join("\ncaused by: "),
  };
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
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
