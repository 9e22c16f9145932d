import { Type, type Static, type TObject, type TProperties, type TSchema } from "@sinclair/typebox";
import { jsonBody, type Body } from "../../web/http/body/json-body.ts";
import { operationsOf, type Operation } from "../../web/http/operation.ts";
import type { QueryParameter } from "../../web/http/query.ts";
import { fromIsoTime, type Instant } from "../../platform/lib/clock.ts";
import { durationForm, durationMsMax, parseDuration, suggestDuration } from "../../platform/lib/durations.ts";
import { badRequest } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { closed } from "../../platform/vocabulary/schemas.ts";
import type { SandboxState } from "./state.ts";

/** An operation of the control plane. It needs no key. */
export type ControlOperation = Operation<SandboxState>;

/** Declares an operation of the control plane. */
export const operation = operationsOf<SandboxState>();

/** A path parameter, or the name of an inbox. */
export const nameSchema = Type.String({ pattern: "^[A-Za-z0-9._-]{1,64}$" });

/** Body of an object that rejects fields it does not declare. */
export const bodyOf = <Fields extends TProperties>(fields: Fields): Body<Static<TObject<Fields>>> =>
  jsonBody(Type.Object(fields, closed) as TObject) as Body<Static<TObject<Fields>>>;

export const optionalText = (description: string) => Type.Optional(Type.String({ description }));
export const optionalFlag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** Response of an operation. */
export const returns = <Schema extends TSchema>(description: string, data: Schema) => ({
  description,
  schema: Type.Object({ data }),
});
/** Response without data. */
export const empty = returns("Done", Type.Object({}));

const echoedMax = 60;

/**
 * Parses a duration. Returns milliseconds.
 * @throws PublicError `bad_request` that names the field
 */
export function readDuration(field: string, text: string): number {
  const ms = /^0(ms|s|m|h|d)?$/.test(text) ? 0 : parseDuration(text);
  if (ms !== null && ms <= durationMsMax) return ms;
  const suggestion = suggestDuration(text);
  throw badRequest(
    `"${field}" is "${visible(text, echoedMax)}"; send ${durationForm}${suggestion === undefined ? "" : `; did you mean ${suggestion}?`}`,
  );
}

/** A query parameter with a duration from 0 to `msMax` milliseconds. */
export function durationParameter(description: string, msMax: number): QueryParameter<number> {
  return {
    schema: Type.String({ description }),
    allowed: `a duration of at most ${msMax / 1000}s, such as 5s`,
    absent: 0,
    read(name, text) {
      const ms = readDuration(name, text);
      if (ms <= msMax) return ms;
      throw badRequest(`"${name}" is at most ${msMax / 1000}s.`);
    },
  };
}

/**
 * Parses an ISO 8601 time.
 * @throws PublicError `bad_request` that names the field
 */
export function readTime(field: string, text: string): Instant {
  const instant = fromIsoTime(text);
  if (instant !== undefined && instant >= 0 && instant <= latest) return instant;
  throw badRequest(
    `"${field}" is "${visible(text, echoedMax)}"; send an ISO 8601 time from 1970 to 2999, such as 2026-01-31T12:00:00Z`,
  );
}
const latest = Date.UTC(3000, 0) - 1;
