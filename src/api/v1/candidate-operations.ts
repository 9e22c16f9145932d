import type { ApiKey } from "../../access/keys/keys.ts";
import { requireScope } from "../../access/keys/permissions.ts";
import { badRequest } from "../../lib/errors.ts";
import { fromIsoTime, type Instant } from "../../lib/clock.ts";
import type { Candidates } from "../../sources/candidates.ts";
import { jsonReader, readText, requireContentType } from "../../http/json-body.ts";
import { refuseQuery } from "../../http/query.ts";
import { candidatesMax, candidatesSchema } from "./schemas.ts";

const bodyBytesMax = 10 << 20;

interface Submitted {
  names: readonly string[];
  observedAt: Instant | undefined;
}

/** POST /v1/candidates: names that a program hands in to be checked. */
export function createCandidateOperations({ candidates }: { candidates: Candidates }) {
  const readJson = jsonReader(candidatesSchema, bodyBytesMax);

  async function read(request: Request): Promise<Submitted> {
    const type = requireContentType(request, ["application/json", "text/plain"]);
    if (type === "text/plain")
      return { names: readLines(await readText(request, bodyBytesMax)), observedAt: undefined };
    const { domains, observed_at: observedAt } = await readJson(request);
    return { names: domains, observedAt: observedAt === undefined ? undefined : readTime(observedAt) };
  }

  return {
    async submit(key: ApiKey, request: Request) {
      requireScope(key, "candidates:write");
      refuseQuery(request.url);
      const { names, observedAt } = await read(request);
      const options = { source: "submission" as const, observedAt, within: key.domains };
      const { matches, received, invalid, matched, created } = await candidates.submit(names, options);
      const data = matches.map(({ domain, threats }) => ({
        domain,
        matches: threats.map((threat) => ({
          threat_id: threat.threatId,
          protected_domain: threat.protectedDomain,
          type: threat.type,
          similarity: threat.similarity,
          outcome: threat.outcome,
        })),
      }));
      return { data, meta: { received, invalid, matched, created } };
    },
  };
}

function readLines(text: string): string[] {
  const names = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (names.length >= 1 && names.length <= candidatesMax) return names;
  throw badRequest(`The body holds ${names.length} names; send 1 to ${candidatesMax}, one a line.`);
}

// RFC 3339 §5.6, which is what ISO 8601 means on the internet: with a time zone.
const timeForm =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$/;

function readTime(text: string): Instant {
  const instant = timeForm.test(text) ? fromIsoTime(text) : undefined;
  if (instant !== undefined && instant >= 0) return instant;
  throw badRequest(
    `"observed_at" is not a time; send ISO 8601 with a time zone, such as 2026-01-15T12:00:00Z, from 1970 on.`,
  );
}
