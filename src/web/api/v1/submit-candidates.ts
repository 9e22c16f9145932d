import { Type } from "@sinclair/typebox";
import type { ApiKey } from "../../../access/keys/keys.ts";
import type { RequestOutcome } from "../../../facts/inspection/inspections.ts";
import { type ApiServices, operation } from "./services.ts";
import { described } from "./described.ts";
import definition from "./submit-candidates.json" with { type: "json" };
import { type BodyAccount, largestBodyBytes } from "../../http/body/body-budget.ts";
import { type Body, jsonBody, requireContentType } from "../../http/body/json-body.ts";
import { createLineReader, readPieces } from "../../http/body/read-body.ts";
import { fromRfc3339, type Instant } from "../../../platform/lib/clock.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import { itemOf } from "../../../intake/sources/emails/email-list.ts";
import { looksLikeEmail } from "../../../intake/sources/name-file-formats/email-head.ts";
import { jsonFields } from "../../../platform/lib/key-names.ts";
import { closed } from "../../../platform/vocabulary/schemas.ts";

const { errors: errorsSchema, interpreted: interpretedSchema } =
  definition.response.schema.properties.meta.properties;
/** Maximum number of invalid items, and of addresses that are not inspected, that the response explains. */
const errorsMax = errorsSchema.maxItems;
/** Maximum number of names of which the response says how they were read. */
const interpretedMax = interpretedSchema.maxItems;

/** Queues the addresses of a submission, and summarizes what became of them. */
function createInspectionRequests(inspections: ApiServices["inspections"], { domains, name }: ApiKey) {
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
        errors: refused.length === 0 ? undefined : refused.slice(0, errorsMax),
      };
    },
  };
}

/** Maximum number of names in one call. */
const namesMax = 10_000;
/** A longer line of a text is invalid: it cannot hold a valid name. */
const lineLengthMax = 16_384;
/** Start of a text that says whether it is an email. */
const headLengthMax = 16_384;

interface Submission {
  names: readonly string[];
  observedAt: Instant | undefined;
  /** Whether the pages are inspected. */
  inspect: boolean;
}

const texts = definition.body;
const candidates = Type.Object(
  {
    domains: Type.Array(Type.String(), { minItems: 1, maxItems: namesMax, description: texts.domains }),
    observed_at: Type.Optional(Type.String({ description: texts.observed_at })),
    inspect: Type.Optional(Type.Boolean({ description: texts.inspect })),
  },
  { ...closed, description: texts.description },
);

export const submitCandidates = operation({
  ...described(definition),
  method: "POST",
  path: "/v1/candidates",
  scope: "candidates:write",
  body: candidatesBody(),
  async run(services, { caller, body: { inspect, names, observedAt } }) {
    requireNotInFuture(observedAt, services.now());
    const requests = inspect ? createInspectionRequests(services.inspections, caller) : undefined;
    const options = {
      source: "submission" as const,
      origin: { kind: "submission", name: caller.name },
      observedAt,
      within: caller.domains,
      invalidMax: errorsMax,
      interpret: { max: interpretedMax, hostNames: false },
      inspect: requests?.add,
    };
    const { matches, received, invalid, firstInvalid, created, interpreted } =
      await services.candidates.submit(names.map(itemOf), options);
    const data = matches.map(({ domain, threats }) => ({
      domain,
      matches: threats.map((threat) =>
        jsonFields(threat, "threatId protectedDomain type similarity outcome"),
      ),
    }));
    const errors = firstInvalid.map(({ line, why }) => ({ index: line - 1, reason: why }));
    const read = interpreted.map(({ line, form, name: domain, url }) => ({
      index: line - 1,
      form,
      domain,
      url,
    }));
    const meta = {
      received,
      invalid,
      matched: data.length,
      created,
      errors: errors.length === 0 ? undefined : errors,
      interpreted: read.length === 0 ? undefined : read,
      inspections: requests?.summary(),
    };
    return { data, meta };
  },
});

function candidatesBody(): Body<Submission> {
  const example = { domains: ["examp1e-bank.com", "weather.example"] };
  const json = jsonBody(candidates, { example, bytesMax: largestBodyBytes });
  return {
    required: true,
    content: {
      ...json.content,
      "text/plain": { schema: Type.String(), example: "examp1e-bank.com\nweather.example\n" },
    },
    async read(request, account) {
      const type = requireContentType(request, ["application/json", "text/plain"]);
      if (type === "text/plain")
        return { names: await readItems(request, account), observedAt: undefined, inspect: false };
      const { domains: names, inspect = false, observed_at: observedAt } = await json.read(request, account);
      return { names, inspect, observedAt: observedAt === undefined ? undefined : readTime(observedAt) };
    },
  };
}

/** Returns the lines of a text, or an email as one item. */
async function readItems(request: Request, account: BodyAccount): Promise<readonly string[]> {
  const wrongNumber = (found: string) =>
    badRequest(`The body contains ${found} names; send 1 to ${namesMax}, one per line.`);
  const lines = createLineReader({ lineLengthMax });
  const pushLines = (text: string) => {
    lines.push(text);
    if (lines.read.length > namesMax) throw wrongNumber(`more than ${namesMax}`);
  };
  const email: string[] = [];
  let head = "";
  let push: ((text: string) => void) | undefined;
  const decide = () => {
    push = looksLikeEmail(head) ? (text) => void email.push(text) : pushLines;
    push(head);
  };
  await readPieces(request, { bytesMax: largestBodyBytes, account }, (text) => {
    if (push !== undefined) return push(text);
    head += text;
    if (head.length >= headLengthMax) decide();
  });
  if (push === undefined) decide();
  if (email.length > 0) return [email.join("")];
  const names = lines.end();
  if (names.length > namesMax) throw wrongNumber(`more than ${namesMax}`);
  if (names.length === 0) throw wrongNumber("0");
  return names;
}

/** How far in the future a time may be, for clocks that differ. */
const futureMsMax = 5 * 60_000;

function readTime(text: string): Instant {
  const instant = fromRfc3339(text);
  if (instant !== undefined) return instant;
  throw badRequest(
    '"observed_at" is not a time; send RFC 3339 with seconds and a time zone, such as 2026-01-15T12:00:00Z.',
  );
}

function requireNotInFuture(observedAt: Instant | undefined, now: Instant): void {
  if (observedAt === undefined || observedAt <= now + futureMsMax) return;
  throw badRequest('"observed_at" is more than five minutes in the future; send the time of the sighting.');
}
