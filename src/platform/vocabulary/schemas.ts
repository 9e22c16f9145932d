import { Type, type TLiteral, type TSchema, type TUnion } from "@sinclair/typebox";
import { idPattern, prefixedIdPattern, type IdKind } from "../lib/ids.ts";
import { trapIdPrefix, type TrapKindName } from "./traps.ts";

// Schema helpers that the API, the event payloads and the sandbox share.

/** Options of an object that rejects fields it does not declare. */
export const closed = { additionalProperties: false } as const;

/** One of several strings. */
export function choice<const T extends string>(
  values: readonly T[],
  options: { description: string },
): TUnion<TLiteral<T>[]> {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  );
}

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const count = (description: string) => Type.Integer({ minimum: 0, description });

export const time = (description: string) =>
  Type.String({ format: "date-time", description, examples: ["2026-01-15T12:00:01.000Z"] });

/** Identifier of a trap. */
export const trapId = (kind: TrapKindName, description: string) =>
  Type.String({ pattern: prefixedIdPattern(trapIdPrefix(kind)), description });
export const typeId = (kind: IdKind, description: string) =>
  Type.String({ pattern: idPattern(kind), description });
