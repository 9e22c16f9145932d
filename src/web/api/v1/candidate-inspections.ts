import { Type } from "@sinclair/typebox";
import type { ApiKey } from "../../../access/keys/keys.ts";
import type { RequestOutcome } from "../../../facts/inspection/inspections.ts";
import { closed, count } from "../../../platform/vocabulary/schemas.ts";
import type { ApiServices } from "./services.ts";

/** Maximum number of addresses of which the response says why they are not inspected. */
const errorsMax = 100;

const candidateRefusal = Type.Object(
  {
    address: Type.String({ description: "The URL or host name." }),
    reason: Type.String({ description: "Why it is not inspected: a phrase that follows it." }),
  },
  closed,
);

/** Summary of the inspections that a submission requests. */
export const candidateInspections = Type.Object(
  {
    queued: count("Addresses that wait to be inspected, including those that waited before."),
    known: count("Addresses that were inspected within the last hour, and are not inspected again."),
    refused: count("Addresses that are not inspected, such as your own and allowed names."),
    errors: Type.Optional(
      Type.Array(candidateRefusal, {
        maxItems: errorsMax,
        description: `The first ${errorsMax} addresses that are not inspected. Absent if there are none.`,
      }),
    ),
  },
  {
    ...closed,
    $id: "CandidateInspections",
    description:
      "Result for each distinct address, except the senders of emails, whose domains seldom have a page. Only with `inspect`.",
  },
);

/** Queues the addresses of a submission, and summarizes what became of them. */
export function createInspectionRequests(inspections: ApiServices["inspections"], { domains, name }: ApiKey) {
  /** By address: a submission may name one twice. */
  const outcomes = new Map<string, RequestOutcome>();
  return {
    add(addresses: readonly string[]): void {
      const fresh = [...new Set(addresses)].filter((address) => !outcomes.has(address));
      const options = {
        priority: "submission",
        source: "submission",
        origin: { kind: "submission", name },
        within: domains,
      } as const;
      const requested = inspections.enqueue(fresh, options);
      for (const [index, outcome] of requested.entries()) outcomes.set(fresh[index]!, outcome);
    },
    summary() {
      const all = [...outcomes.values()];
      const refused = all.flatMap((one) =>
        one.outcome === "refused" ? [{ address: one.address, reason: one.reason }] : [],
      );
      return {
        queued: all.filter(({ outcome }) => outcome === "queued").length,
        known: all.filter(({ outcome }) => outcome === "known").length,
        refused: refused.length,
        ...(refused.length === 0 ? {} : { errors: refused.slice(0, errorsMax) }),
      };
    },
  };
}
