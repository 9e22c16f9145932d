import { badRequest } from "../../lib/errors.ts";
import { Type } from "@sinclair/typebox";
import { threatTypes } from "../../vocabulary/threats.ts";
import { scanTriggers } from "../../vocabulary/scans.ts";
import type { Sighting } from "../../threats/record.ts";
import { sources } from "../../vocabulary/threats.ts";
import { tokenKinds } from "../../vocabulary/traps.ts";
import { hit, madeThreat, scan } from "./schemas.ts";
import { closed, operation, readTime } from "./operation.ts";
import { describeScan, matchOf, nameOf, newNames } from "./lookalikes.ts";
import { runScan } from "../instance/scan.ts";
import { accessToken, hitBeacon } from "./visits.ts";

const text = (description: string) => Type.Optional(Type.String({ description, maxLength: 2_000 }));
const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Optional(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      { description },
    ),
  );
const visitor = {
  referrer: text("the page before; absent: none"),
  ip_address: text("absent: another one each time, of 2001:db8::/32"),
  user_agent: text("absent: a browser's"),
};
const countMax = 1_000;
const findsMax = 1_000;

/** What happens in the world: each through the service that would notice it, with its events. */
export const happenOperations = [
  operation({
    method: "POST",
    path: "/sandbox/threats",
    id: "makeThreats",
    summary: "A look-alike is seen: threat.created, or for a known one what seeing it again leads to",
    description:
      "Without a domain, new names are made. Where they are not given, type and similarity are the detection's; " +
      "the severity follows from them: high from a similarity of 0.95 (homographs 0.9), medium from 0.88.",
    body: Type.Object(
      {
        domain: text("the suspicious name; absent: new names are made"),
        count: Type.Optional(
          Type.Integer({ minimum: 1, maximum: countMax, description: "how many; only without domain" }),
        ),
        protected_domain: text("the one that is imitated; absent: what the detection says, or the first"),
        type: oneOf(threatTypes, "absent: what the detection says"),
        similarity: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
        source: oneOf(sources, "absent: scan"),
        first_seen: text("an ISO 8601 time, now at the latest; absent: now"),
      },
      closed,
    ),
    answer: Type.Object({ data: Type.Array(madeThreat) }),
    run(state, { body }) {
      const { app, clock } = state.instance();
      if (body.domain !== undefined && body.count !== undefined)
        throw badRequest('Send "domain" or "count", not both.');
      const seenAt = body.first_seen === undefined ? clock.now() : readTime("first_seen", body.first_seen);
      const made =
        body.domain === undefined
          ? newNames(app, body.count ?? 1, body)
          : [nameOf(body.domain)].map((domain) => ({ domain, match: matchOf(app, domain, body) }));
      const source = body.source ?? "scan";
      const seen = made.map((one): Sighting => ({ ...one, source, seenAt }));
      const data = app.threats.record(seen).map(({ threatId, outcome }) => {
        const { id, domain, protectedDomain, type, severity, status, similarity } =
          app.threats.get(threatId)!;
        return { id, domain, protected_domain: protectedDomain, type, severity, status, similarity, outcome };
      });
      return { data };
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/scans",
    id: "runScan",
    summary: "A scan runs to its end: scan.started, threat.created for what it finds, scan.completed",
    description: "The real scan, over a name system that exists here alone.",
    body: Type.Object(
      {
        protected_domains: Type.Optional(
          Type.Array(Type.String(), { maxItems: 100, description: "absent: all" }),
        ),
        trigger: oneOf(scanTriggers, "absent: cli"),
        finds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: findsMax,
            description: "new look-alikes that exist; absent: 3",
          }),
        ),
        fails: Type.Optional(Type.Boolean({ description: "no resolver answers, so that the scan fails" })),
      },
      closed,
    ),
    answer: Type.Object({ data: scan }),
    async run(state, { body: { protected_domains: domains, trigger = "cli", finds = 3, fails } }) {
      const { app, dns } = state.instance();
      const ended = await runScan(app, dns, { domains, trigger, finds, reachable: fails !== true });
      return { data: describeScan(ended) };
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/beacon-hits",
    id: "hitBeacon",
    summary:
      "A page with a beacon in it is opened somewhere: beacon.triggered, and a threat where it is a copy",
    description:
      "The real beacons, with their rules: a visit to one's own page, or a visitor's repeat within an hour, is " +
      "counted and sends nothing. Each call is another visitor, unless ip_address says who.",
    body: Type.Object(
      {
        beacon: text(
          "id or name; made where there is none of that name; absent: one of the protected domain",
        ),
        protected_domain: text("absent: the first one"),
        hostname: text("where the page is shown; absent: copied-pages.example"),
        url: text("in the place of hostname: the whole address of the page"),
        ...visitor,
      },
      closed,
    ),
    answer: Type.Object({ data: hit }),
    run: async (state, { body }) => ({ data: await hitBeacon(state.instance(), body) }),
  }),
  operation({
    method: "POST",
    path: "/sandbox/token-accesses",
    id: "accessToken",
    summary: "A honeytoken is used: token.accessed",
    description: "With the rules of the real ones, as for beacons.",
    body: Type.Object(
      {
        token: text("id or name; made where there is none of that name; absent: one of the kind"),
        kind: oneOf(tokenKinds, "of a token that is made; absent: url"),
        ...visitor,
      },
      closed,
    ),
    answer: Type.Object({ data: hit }),
    run: async (state, { body }) => ({ data: await accessToken(state.instance(), body) }),
  }),
];
