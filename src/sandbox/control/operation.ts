import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { badRequest } from "../../lib/errors.ts";
import { fromIsoTime } from "../../lib/clock.ts";
import { durationForm, durationMsMax, parseDuration, suggestDuration } from "../../lib/durations.ts";
import { visible } from "../../lib/safe-text.ts";
import type { SandboxState } from "./state.ts";

/** Of what stands for a parameter in a path, and of an inbox. */
export const namePattern = "[A-Za-z0-9._-]{1,64}";

/** For a body: nothing but the fields that it names. */
export const closed = { additionalProperties: false };

/** One thing that the control plane does, told once: the router and the OpenAPI document are made from it. */
export interface Operation {
  method: "GET" | "POST" | "DELETE";
  /** With `{name}` for parameters. */
  path: string;
  id: string;
  summary: string;
  description?: string;
  /** Parameters of the query, each with what it is. */
  query?: Record<string, string>;
  /** Absent: none is read. */
  body?: TObject;
  answer: TSchema;
  run(state: SandboxState, call: Call<Record<string, unknown>>): object | Promise<object>;
}

export interface Call<Body> {
  params: Record<string, string>;
  query: Record<string, string>;
  body: Body;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
}

/** Declares an operation; the body that `run` receives takes its type from the schema. */
export function operation<Body extends TObject>(
  definition: Omit<Operation, "body" | "run"> & {
    body?: Body;
    run(state: SandboxState, call: Call<Static<Body>>): object | Promise<object>;
  },
): Operation {
  return definition as unknown as Operation;
}

/** Milliseconds. @throws PublicError `bad_request` that names the field */
export function readDuration(field: string, text: string, options: { allowZero?: boolean } = {}): number {
  if (options.allowZero === true && /^0(ms|s|m|h|d)?$/.test(text)) return 0;
  const ms = parseDuration(text);
  if (ms !== null && ms <= durationMsMax) return ms;
  const suggestion = suggestDuration(text);
  throw badRequest(
    `"${field}" is "${visible(text, 60)}"; send ${durationForm}${suggestion === undefined ? "" : `; did you mean ${suggestion}?`}`,
  );
}

/** @throws PublicError `bad_request` that names the field */
export function readTime(field: string, text: string): number {
  const instant = fromIsoTime(text);
  if (instant !== undefined && instant >= 0 && instant <= latest) return instant;
  throw badRequest(
    `"${field}" is "${visible(text, 60)}"; send an ISO 8601 time from 1970 to 2999, such as 2026-01-31T12:00:00Z`,
  );
}
const latest = Date.UTC(3000, 0) - 1;
