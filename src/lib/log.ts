import pino from "pino";
import type { Clock } from "./clock.ts";
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

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

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
  const emit = (line: string) =>
    write(format === "json" ? `${visibleJson(line.trimEnd())}\n` : prettyLine(line));
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: "message",
      errorKey: "error",
      serializers: { error: serializeError },
    },
    { write: emit },
  );
  // At most one entry for each event of the catalogue.
  const counts = new Map<LogEventName, number>();
  return {
    event(name, ...[fields]) {
      const { level: of, text } = eventOf(name);
      if (of === "warn" || of === "error") counts.set(name, (counts.get(name) ?? 0) + 1);
      if (logger.isLevelEnabled(of)) logger[of]({ event: name, ...fields }, text);
    },
    counts: () => [...counts].map(([event, total]) => ({ event, level: eventOf(event).level, total })),
    isEnabled: (name) => logger.isLevelEnabled(eventOf(name).level),
    get level() {
      return logger.level as LogLevel;
    },
    set level(next) {
      logger.level = next;
    },
  };
}

function eventOf(name: LogEventName): LogEvent {
  return logEvents[name];
}

/** Anything can be thrown. Bun's ResolveMessage, for example, is no Error, and has parts that JSON cannot represent. */
function serializeError(error: unknown): unknown {
  if (error instanceof Error) return pino.stdSerializers.err(error);
  return typeof error === "object" && error !== null ? { message: String(error) } : error;
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
