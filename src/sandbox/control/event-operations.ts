import { Type } from "@sinclair/typebox";
import { writeFacts } from "../../facts/enrichment/apply-results.ts";
import { createEnrichmentStore } from "../../facts/enrichment/store.ts";
import { badRequest, notFound } from "../../platform/lib/errors.ts";
import { parseHostName } from "../../platform/lib/host-names.ts";
import { completedScan } from "../../intake/scans/store.ts";
import type { Sighting } from "../../threats/threats/record.ts";
import { scanTriggers } from "../../platform/vocabulary/scans.ts";
import { choice } from "../../platform/vocabulary/schemas.ts";
import { siteStates } from "../../platform/vocabulary/site.ts";
import { threatSources, threatTypes } from "../../platform/vocabulary/threats.ts";
import { honeytokenKinds } from "../../platform/vocabulary/traps.ts";
import { runScan } from "../instance/scan.ts";
import { siteFacts } from "../world/site-facts.ts";
import { describeThreat, matchOf, nameOf, newNames } from "./lookalikes.ts";
import { bodyOf, operation, optionalFlag, readTime, returns } from "./operation.ts";
import { madeThreat, scan, visit } from "./schemas.ts";
import { visitBeacon, visitHoneytoken } from "./visits.ts";

const text = (description: string) => Type.Optional(Type.String({ description, maxLength: 2_000 }));
const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Optional(choice(values, { description }));
const visitor = {
  referrer: text("URL of the referring page; default: none"),
  ip_address: text("default: a different address of 2001:db8::/32 for each call"),
  user_agent: text("default: that of a browser"),
};
const threatsMax = 1_000;
const admittedMax = 1_000;
const findsMax = 1_000;
const findsDefault = 3;
const visitResponse = returns("The recorded visit", visit);

/** Operations that make something happen, through the production service that would detect it. */
export const eventOperations = [
  operation({
    method: "POST",
    path: "/sandbox/threats",
    id: "makeThreats",
    summary: "Records a look-alike: threat.created, or a repeated sighting of a known one",
    description:
      "Without a domain, new names are generated. Type and similarity default to those that detection computes. " +
      "The severity follows from the name, as the manual states under Detection.",
    body: bodyOf({
      domain: text("the suspicious domain; default: new names are generated"),
      count: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: threatsMax,
          description: "number of new names; only without domain",
        }),
      ),
      protected_domain: text("the impersonated domain; default: as detected, or the first one"),
      type: oneOf(threatTypes, "default: as detected"),
      similarity: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      source: oneOf(threatSources, "default: scan"),
      first_seen: text("an ISO 8601 time, not in the future; default: now"),
    }),
    response: returns("The threats", Type.Array(madeThreat)),
    run(state, { body }) {
      const { app, clock } = state.instance();
      if (body.domain !== undefined && body.count !== undefined)
        throw badRequest('Send "domain" or "count", not both.');
      const seenAt = body.first_seen === undefined ? clock.now() : readTime("first_seen", body.first_seen);
      const lookalikes =
        body.domain === undefined
          ? newNames(app, body.count ?? 1, body)
          : [nameOf(body.domain)].map((domain) => ({ domain, match: matchOf(app, domain, body) }));
      const source = body.source ?? "scan";
      const sightings = lookalikes.map((one): Sighting => ({ ...one, source, seenAt }));
      return {
        data: app.threats
          .record(sightings)
          .map(({ threatId, outcome }) => ({ ...describeThreat(app, threatId), outcome })),
      };
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/scans",
    id: "runScan",
    summary: "Runs a scan to completion: scan.started, threat.created for each new threat, scan.completed",
    description: "This is the production scan, over a DNS that exists only in the sandbox.",
    body: bodyOf({
      protected_domains: Type.Optional(
        Type.Array(Type.String(), { maxItems: 100, description: "default: all" }),
      ),
      trigger: oneOf(scanTriggers, "default: cli"),
      finds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: findsMax,
          description: `number of new look-alikes that resolve; default: ${findsDefault}`,
        }),
      ),
      fails: optionalFlag("true: no resolver responds, so the scan fails"),
    }),
    response: returns("The scan", scan),
    async run(state, { body: { protected_domains: domains, trigger = "cli", finds = findsDefault, fails } }) {
      const { app, dns } = state.instance();
      const ended = await runScan(app, dns, { domains, trigger, finds, reachable: fails !== true });
      if (ended.status === "running") throw new Error(`scan ${ended.id} has not ended`);
      return { data: completedScan(ended, ended.status) };
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/beacon-hits",
    id: "hitBeacon",
    summary: "Opens a page that contains a beacon: beacon.triggered, and a threat if the page is a copy",
    description:
      "The production rules apply: a visit to the protected site itself, and a visitor's repeated visit within an " +
      "hour, are counted but send nothing. Each call is a different visitor unless ip_address is given.",
    body: bodyOf({
      beacon: text("ID or name; created if no beacon has this name; default: one of the protected domain"),
      protected_domain: text("default: the first one"),
      hostname: text("host of the page; default: copied-pages.example"),
      url: text("URL of the page, instead of hostname"),
      ...visitor,
    }),
    response: visitResponse,
    run: async (state, { body }) => ({ data: await visitBeacon(state.instance(), body) }),
  }),
  operation({
    method: "POST",
    path: "/sandbox/token-accesses",
    id: "accessToken",
    summary: "Opens a honeytoken: token.accessed",
    description: "The production rules apply, as for beacons.",
    body: bodyOf({
      token: text("ID or name; created if no honeytoken has this name; default: one of the kind"),
      kind: oneOf(honeytokenKinds, "kind of a honeytoken that is created; default: url"),
      ...visitor,
    }),
    response: visitResponse,
    run: async (state, { body }) => ({ data: await visitHoneytoken(state.instance(), body) }),
  }),
  operation({
    method: "POST",
    path: "/sandbox/sites",
    id: "setSite",
    summary: "Puts the site of a threat into a state, as lookups would find it",
    description:
      "Stores the facts that lookups would find now, with everything that follows from them: severity, history, site " +
      "state, takedowns. A site that was down and is up again is `back`, and its threat active again if it was resolved. " +
      "A page that a beacon reported in the last 7 days keeps a site `up` that lookups do not find. The sandbox itself " +
      "looks up nothing.",
    body: bodyOf({
      threat: text("ID of the threat; default: the one that was recorded last"),
      state: oneOf(siteStates, "state of the site from now on; default: up"),
    }),
    response: returns(
      "The state of the site",
      Type.Object({
        threat: Type.String(),
        site_state: Type.Union([choice(siteStates, { description: "null: not determined" }), Type.Null()]),
      }),
    ),
    async run(state, { body: { state: wanted = "up", threat: given } }) {
      const { app, clock } = state.instance();
      const now = clock.now();
      const store = createEnrichmentStore(app.database);
      const id = given ?? app.threats.list({}, { page: 1, perPage: 1 }).threats[0]?.id ?? "";
      const threat = app.threats.get(id);
      if (threat === undefined) throw notFound("There is no threat with this ID.");
      while ((await store.admitNew(now, admittedMax)) > 0);
      const subject = store.findById(id)!;
      const after = siteFacts(threat, { before: subject.facts, wanted, now });
      const writer = { detection: app.config.detection, store, threats: app.threats };
      app.database.transaction(() => {
        writeFacts(writer, subject, after, now);
        store.saveCheckedAt(subject.threatSeq, now);
      });
      return { data: { threat: id, site_state: app.takedowns.siteStateOf(id) } };
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/pages",
    id: "setPage",
    summary: "Sets what the page of a host shows, for inspections",
    description:
      'An inspection of the host, such as by `"inspect": true` of candidates, then finds this page. One that imitates ' +
      "becomes a threat: threat.created. Inspections of all other hosts find that the name does not exist.",
    body: bodyOf({
      host: text("host name of the page; default: cheap-shoes.example"),
      protected_domain: text("the imitated domain; default: the first one"),
      imitates: optionalFlag("default: true"),
      title: text("default: Sign in"),
    }),
    response: returns(
      "The page",
      Type.Object({ host: Type.String(), protected_domain: Type.String(), imitates: Type.Boolean() }),
    ),
    run(state, { body }) {
      const { host: given = "cheap-shoes.example", imitates = true, title = "Sign in" } = body;
      const { app, pages } = state.instance();
      const host = parseHostName(given);
      if (host === null) throw badRequest('"host" is not a host name; send one such as cheap-shoes.example.');
      const wanted = body.protected_domain;
      const domain = wanted === undefined ? app.domains.list()[0] : app.domains.find(wanted);
      if (domain === undefined) throw badRequest('"protected_domain" is not protected; send one that is.');
      const protectedDomain = domain.domain;
      pages.set({ host, protectedDomain, imitates, title });
      return { data: { host, protected_domain: protectedDomain, imitates } };
    },
  }),
];
