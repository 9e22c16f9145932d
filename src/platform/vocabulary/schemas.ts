import { type TLiteral, type TSchema, type TUnion, Type } from "@sinclair/typebox";
import { type IdKind, idPattern, prefixedIdPattern } from "../lib/ids.ts";
import { trapIdPrefix, type TrapKindName } from "./traps.ts";
import { severities, statuses, threatSources, threatTypes } from "./threats.ts";

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

export const hostName = (description: string) => Type.String({ description, examples: ["examp1e-bank.com"] });

/** Schemas of the fields of a threat that the API and the events share. */
export const threatFields = {
  id: typeId("threat", "Threat ID: a TypeID."),
  domain: hostName("The suspicious domain, in lowercase A-label form."),
  protected_domain: Type.String({
    description: "The protected domain that the suspicious domain resembles.",
    examples: ["example-bank.com"],
  }),
  type: choice(threatTypes, { description: "Type of look-alike. If several fit, the most specific one." }),
  status: choice(statuses, { description: "Triage status." }),
  severity: choice(severities, { description: "Severity of the threat." }),
  similarity: Type.Number({
    minimum: 0,
    maximum: 1,
    description:
      "Similarity to the protected domain, with at most four decimal places. 1 means indistinguishable.",
    examples: [0.9375],
  }),
  source: choice(threatSources, { description: "How the threat was detected." }),
} as const;
