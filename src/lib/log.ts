import pino, { type Logger } from "pino";
import type { Clock } from "./clock.ts";
import { visible, visibleJson } from "./safe-text.ts";

export type Log = Logger;
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
  return pino(
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
}

/** Anything can be thrown. Bun's ResolveMessage, for example, is no Error, and has parts that JSON cannot represent. */
function serializeError(error: unknown): unknown {
  if (error instanceof Error) return pino.stdSerializers.err(error);
  return typeof error === "object" && error !== null ? { message: String(error) } : error;
}

/** Logs an error that is dropped on purpose, so that none disappears without a trace. */
export function logDropped(log: Log, error: unknown, message: string): void {
  log.warn({ error }, message);
}

interface Line {
  level: string;
  time: string;
  message?: string;
  /** An error, or the reason of a failure as words. */
  error?: { message: string; stack?: string } | string;
  [field: string]: unknown;
}

function prettyLine(json: string): string {
  const { level, time, message, error, ...fields } = JSON.parse(json) as Line;
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
