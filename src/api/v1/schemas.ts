import { Type, type Static, type TLiteral, type TUnion } from "@sinclair/typebox";
import { statuses } from "../../vocabulary/threats.ts";

/** One of several texts. */
export function choice<const T extends string>(
  values: readonly T[],
  options: { description: string },
): TUnion<TLiteral<T>[]> {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  );
}

const batchActions = ["resolve", "mark_false_positive", "reactivate"] as const;

/** Bodies of requests. What they do not name is refused. */
export const statusChangeSchema = Type.Object(
  { status: choice(statuses, { description: "The status the threat is to have." }) },
  { additionalProperties: false, description: "A change of a threat's status." },
);

export function batchSchema(maxIds: number) {
  return Type.Object(
    {
      ids: Type.Array(Type.String(), {
        minItems: 1,
        maxItems: maxIds,
        description: "Identifiers of the threats to act on. One that is given twice counts once.",
      }),
      action: choice(batchActions, {
        description:
          "`resolve` marks them as resolved, `mark_false_positive` as wrongly detected, `reactivate` makes them active again.",
      }),
    },
    { additionalProperties: false, description: "One change to several threats." },
  );
}
export type BatchBody = Static<ReturnType<typeof batchSchema>>;

/** Most names in one call of POST /v1/candidates. */
export const candidatesMax = 10_000;

export const candidatesSchema = Type.Object(
  {
    domains: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: candidatesMax,
      description:
        "Names to check, in U-label or A-label form. One that is no host name is counted, not refused.",
    }),
    observed_at: Type.Optional(
      Type.String({ description: "When the names were seen: ISO 8601 with a time zone. Default: now." }),
    ),
  },
  { additionalProperties: false, description: "Names to check against the protected domains." },
);
