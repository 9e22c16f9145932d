import { Type } from "@sinclair/typebox";
import type { ApiKey } from "../../../access/keys/keys.ts";
import type { RequestOutcome } from "../../../facts/inspection/inspections.ts";
import { type ApiServices, operation } from "./services.ts";
import { type BodyAccount, largestBodyBytes } from "../../http/body/body-budget.ts";
import { type Body, jsonBody, requireContentType } from "../../http/body/json-body.ts";
import { createLineReader, readPieces } from "../../http/body/read-body.ts";
import { fromRfc3339, type Instant } from "../../../platform/lib/clock.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import { itemOf } from "../../../intake/sources/emails/email-list.ts";
import { looksLikeEmail } from "../../../intake/sources/name-file-formats/email-head.ts";
import { exampleThreatId } from "../../../threats/threats/api-object.ts";
import type { EntryForm } from "../../../platform/vocabulary/lists.ts";
import {
  choice,
  closed,
  count,
  hostName,
  orNull,
  threatFields,
} from "../../../platform/vocabulary/schemas.ts";
import { sightingOutcomes } from "../../../platform/vocabulary/threats.ts";

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
const candidateInspections = Type.Object(
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
        ...(refused.length === 0 ? {} : { errors: refused.slice(0, errorsMax) }),
      };
    },
  };
}

/** Maximum number of names in one call. */
const namesMax = 10_000;
/** Maximum number of invalid items that the response explains. */
/** Maximum number of names of which the response says how they were read. */
const interpretedMax = 100;
/** A longer line of a text is invalid: it cannot hold a valid name. */
const lineLengthMax = 16_384;
/** Start of a text that says whether it is an email. */
const headLengthMax = 16_384;

/** Forms of the names that were not submitted as plain host names. */
const interpretedForms: readonly EntryForm[] = [
  "host_name",
  "url",
  "email_address",
  "message_link",
  "message_image",
  "message_sender",
  "ip_address",
];

interface Submission {
  names: readonly string[];
  observedAt: Instant | undefined;
  /** Whether the pages are inspected. */
  inspect: boolean;
}

const candidates = Type.Object(
  {
    domains: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: namesMax,
      description:
        "Names to check, in U-label or A-label form; in place of a name, an item may be a URL or an email address, also defanged (`hxxps://examp1e-bank[.]com/login`), several of them, or a complete email with its header, whose links and senders are checked. An invalid item is counted and explained, and does not cause the call to fail.",
    }),
    observed_at: Type.Optional(
      Type.String({
        description:
          "When the names were seen: RFC 3339 with seconds and a time zone, at most five minutes in the future. Default: now.",
      }),
    ),
    inspect: Type.Optional(
      Type.Boolean({
        description:
          "Whether the page at each address is inspected, also if its name resembles no protected domain. A page that imitates the page of a protected domain becomes a threat of the type `cloned_site`, usually within minutes; with a key that is bound to some protected domains, only of these. Default: false.",
      }),
    ),
  },
  { ...closed, description: "Names to check against the protected domains." },
);

const candidateMatch = Type.Object(
  {
    threat_id: threatFields.id,
    protected_domain: threatFields.protected_domain,
    type: threatFields.type,
    similarity: threatFields.similarity,
    outcome: choice(sightingOutcomes, { description: "Whether the threat is new." }),
  },
  closed,
);

const candidateResult = Type.Object(
  {
    domain: hostName("The name, in lowercase A-label form."),
    matches: Type.Array(candidateMatch, { description: "One match for each protected domain it resembles." }),
  },
  { ...closed, $id: "CandidateResult" },
);

const candidateError = Type.Object(
  {
    index: Type.Integer({
      minimum: 0,
      description:
        "Position among the submitted items, from 0. In text, blank lines and comments do not count.",
    }),
    reason: Type.String({ description: "Why the item is invalid: a phrase that follows it." }),
  },
  closed,
);

const candidateInterpretation = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: "Position among the submitted items, as in `errors`." }),
    form: choice(interpretedForms, {
      description:
        "Form in which the name was found: `url`, `email_address`, or `host_name` (defanged, or one of several in the item); in an email `message_link`, `message_image` or `message_sender`. `ip_address`: a link to an IP address, which has no name and is not checked.",
    }),
    domain: orNull(hostName("The name that was checked, in lowercase A-label form; null: none.")),
    url: Type.Optional(
      Type.String({
        description:
          "The URL, without defanging, and of a link that a mail gateway has rewritten the one inside it.",
      }),
    ),
  },
  { ...closed, $id: "CandidateInterpretation" },
);

const candidateMeta = Type.Object(
  {
    inspections: Type.Optional(candidateInspections),
    received: count("Submitted names."),
    invalid: count("Items without a valid host name."),
    matched: count("Distinct names that match a protected domain."),
    created: count("New threats."),
    errors: Type.Optional(
      Type.Array(candidateError, {
        maxItems: errorsMax,
        description: `The first ${errorsMax} invalid items. Absent if there are none.`,
      }),
    ),
    interpreted: Type.Optional(
      Type.Array(candidateInterpretation, {
        maxItems: interpretedMax,
        description: `How the first ${interpretedMax} names were read that were not submitted as plain host names. Absent if there are none.`,
      }),
    ),
  },
  { ...closed, $id: "CandidateMeta" },
);

export const submitCandidates = operation({
  method: "POST",
  path: "/v1/candidates",
  id: "submitCandidates",
  tag: "Candidates",
  scope: "candidates:write",
  summary: "Submit names to check",
  description:
    "A look-alike of a protected domain becomes a threat, and the URLs in which it was submitted are kept with it. Submitting a name again creates no second threat. As `text/plain`, send one name, URL or email address per line, or a complete email.",
  body: candidatesBody(),
  response: {
    description: "The names that match; the others are only counted.",
    schema: Type.Object({ data: Type.Array(candidateResult), meta: candidateMeta }, closed),
    example: {
      data: [
        {
          domain: "examp1e-bank.com",
          matches: [
            {
              threat_id: exampleThreatId,
              protected_domain: "example-bank.com",
              type: "homograph",
              similarity: 0.9688,
              outcome: "created",
            },
          ],
        },
      ],
      meta: { received: 2, invalid: 0, matched: 1, created: 1 },
    },
  },
  notFound: false,
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
      matches: threats.map((threat) => ({
        threat_id: threat.threatId,
        protected_domain: threat.protectedDomain,
        type: threat.type,
        similarity: threat.similarity,
        outcome: threat.outcome,
      })),
    }));
    const errors = firstInvalid.map(({ line, why }) => ({ index: line - 1, reason: why }));
    const read = interpreted.map(({ line, form, name, url }) => ({
      index: line - 1,
      form,
      domain: name,
      ...(url === undefined ? {} : { url }),
    }));
    const meta = {
      received,
      invalid,
      matched: data.length,
      created,
      ...(errors.length === 0 ? {} : { errors }),
      ...(read.length === 0 ? {} : { interpreted: read }),
      ...(requests === undefined ? {} : { inspections: requests.summary() }),
    };
    return { data, meta };
  },
});

function candidatesBody(): Body<Submission> {
  const example = { domains: ["examp1e-bank.com", "weather.example"] };
  const json = jsonBody(candidates, {
    example,
    bytesMax: largestBodyBytes,
  });
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
