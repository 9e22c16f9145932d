import { changesBetween } from "../../../src/facts/enrichment/facts/fact-changes.ts";
import { nothingKnown, severityFactsOf } from "../../../src/facts/enrichment/facts/facts.ts";
import { siteStateOf } from "../../../src/facts/enrichment/facts/site-state.ts";
import { intervalsMs, rankOf, ranks } from "../../../src/facts/enrichment/plan.ts";
import { enrichments, registrationResponses } from "../../../src/facts/enrichment/tables.ts";
import { dayMs, type Instant } from "../../../src/platform/lib/clock.ts";
import { severityOf } from "../../../src/threats/threats/severity/severity.ts";
import {
  threatCertificates,
  threatHistory,
  threatNotes,
  threatUrls,
  triageBatches,
  triageSteps,
} from "../../../src/threats/threats/store/tables.ts";
import { undoableMs } from "../../../src/threats/threats/triage/batches.ts";
import type { SiteState } from "../../../src/platform/vocabulary/site.ts";
import type { Severity } from "../../../src/platform/vocabulary/threats.ts";
import { analyst } from "../world/decisions.ts";
import { certificateIssuer } from "../../../src/sandbox/world/scenes.ts";
import { insertAll, type Draft, type StoredThreat } from "./draft.ts";
import samples from "./samples.json" with { type: "json" };

/** Adds the facts of all threats, their changes, decisions, notes and origins. */
export function addThreatHistory(draft: Draft): void {
  const { database, start, threats } = draft;
  insertAll(
    database,
    enrichments,
    threats.map((threat) => enrichmentOf(threat, start)),
  );
  insertAll(database, registrationResponses, threats.flatMap(responseOf));
  insertAll(database, threatHistory, threats.flatMap(historyOf));
  insertAll(
    database,
    threatCertificates,
    threats.flatMap((threat, index) => certificateOf(threat, index)),
  );
  insertAll(database, threatUrls, threats.flatMap(urlOf));
  addNotes(draft);
  addRecentDecisions(draft);
  for (const threat of threats) addEvents(draft, threat);
}

function enrichmentOf({ checks, createdAt, severity, seq }: StoredThreat, start: Instant) {
  const last = checks.at(-1);
  const interval = intervalsMs[Math.min(checks.length, intervalsMs.length) - 1] ?? intervalsMs[0]!;
  return {
    threatSeq: seq,
    rank: last === undefined ? rankOf(severity) : ranks.recheck,
    dueAt: last === undefined ? createdAt : Math.max(last.at + interval, start + 1),
    step: Math.min(checks.length, intervalsMs.length - 1),
    failures: 0,
    checkedAt: last?.at ?? null,
    facts: last?.facts ?? nothingKnown,
    screenshotFailures: 0,
  };
}

function responseOf({ checks, domain, seq, whois }: StoredThreat) {
  const at = checks.at(-1)?.facts.registrationAt;
  if (whois.created_at === undefined || at === undefined) return [];
  const text =
    whois.source === "rdap"
      ? JSON.stringify({ objectClassName: "domain", ldhName: domain, status: whois.status })
      : `Domain Name: ${domain}\nRegistrar: ${whois.registrar}\nCreation Date: ${whois.created_at}\n`;
  return [{ threatSeq: seq, at, response: Bun.zstdCompressSync(text) }];
}

function historyOf(threat: StoredThreat) {
  const { checks, decisions, seq: threatSeq } = threat;
  const none = { channel: null, actorName: null, actorAddress: null };
  let severity: Severity = severityOf(threat).severity;
  let siteState: SiteState | null = null;
  let before = nothingKnown;
  const found = checks.flatMap(({ at, facts }) => {
    const changes = changesBetween(before, facts);
    before = facts;
    const state = siteStateOf(facts, at);
    if (state !== siteState) changes.push({ field: "site state", before: siteState, after: state });
    siteState = state;
    const next = severityOf(threat, { facts: severityFactsOf(facts, at) }).severity;
    if (next !== severity) changes.push({ field: "severity", before: severity, after: next });
    severity = next;
    return changes.map((change) => ({ threatSeq, at, ...change, ...none }));
  });
  const decided = decisions.map(({ after, at, before: was, by }) => ({
    threatSeq,
    at,
    field: "status",
    before: was,
    after,
    channel: by.channel,
    actorName: by.name,
    actorAddress: by.address,
  }));
  return [...found, ...decided].sort((a, b) => a.at - b.at);
}

function certificateOf(
  { checks, createdAt, domain, firstSeen, seq, source }: StoredThreat,
  index: number,
): (typeof threatCertificates.$inferInsert)[] {
  if (source !== "certificate_transparency") return [];
  const page = checks.find(({ facts }) => facts.page !== undefined)?.facts.page;
  const serial = new Bun.CryptoHasher("sha1").update(domain).digest("hex");
  const notBefore = Date.parse(page?.certificate?.notBefore ?? "") || firstSeen - 120_000;
  const entry = 914_000_000 + index * 7_919;
  return [
    {
      threatSeq: seq,
      identity: `${serial} CN=${certificateIssuer}`,
      issuer: `CN=${certificateIssuer}`,
      serial,
      notBefore,
      log: "Sample Log 2026h1",
      entryUrl: `https://ct.example/2026h1/tile/data/${Math.floor(entry / 256)}`,
      index: entry,
      isVerified: true,
      seenAt: createdAt,
    },
  ];
}

function urlOf({ checks, createdAt, domain, seq, source }: StoredThreat) {
  const page = checks.find(({ facts }) => facts.page !== undefined)?.facts.page;
  return source === "submission"
    ? [{ threatSeq: seq, url: page?.finalUrl ?? `https://${domain}/`, source, seenAt: createdAt }]
    : [];
}

function addNotes({ changes, database, start, threats }: Draft): void {
  const notes = threats.flatMap((threat, index) => {
    const decision = threat.decisions.find(({ by }) => by.channel === "console");
    const asksForSecrets = threat.checks.some(
      ({ facts }) => facts.page?.asksForPassword || facts.page?.asksForCard,
    );
    // People explain what is not obvious.
    const isExplained =
      threat.status === "false_positive" ? asksForSecrets || index % 3 === 0 : index % 3 === 0;
    if (decision === undefined || !isExplained) return [];
    const reasons = samples.notes[threat.status === "false_positive" ? "false_positive" : "resolved"];
    const text = reasons[asksForSecrets && threat.status === "false_positive" ? 0 : index % reasons.length]!;
    const at = Math.min(decision.at + 40_000 + (index % 60) * 1_000, start - 1);
    return [{ threat, at, text }];
  });
  const { channel, name: actorName, address: actorAddress } = analyst;
  insertAll(
    database,
    threatNotes,
    notes.map(({ at, text, threat }) => ({
      threatSeq: threat.seq,
      at,
      text,
      channel,
      actorName,
      actorAddress,
    })),
  );
  for (const { at, threat } of notes)
    changes.push({ at, by: analyst, action: "threat.note", subject: subjectOf(threat) });
}

/** Decisions of people that can still be undone. */
function addRecentDecisions({ changes, database, start, threats }: Draft): void {
  const decided = threats
    .flatMap((threat) => threat.decisions.map((decision) => ({ ...decision, threat })))
    .filter(({ by }) => by.channel === "console")
    .sort((a, b) => a.at - b.at);
  for (const { after, at, by, threat } of decided)
    changes.push({
      at,
      by,
      action: "threat.change_status",
      subject: subjectOf(threat),
      detail: { status: after },
    });
  for (const { after, at, before, by, threat } of decided.filter(
    (decision) => decision.at > start - undoableMs,
  )) {
    const batch = database.query
      .insert(triageBatches)
      .values({
        at,
        status: after,
        channel: by.channel,
        actorName: by.name,
        actorAddress: by.address,
      })
      .returning()
      .get();
    insertAll(database, triageSteps, [
      { batchSeq: batch.seq, threatSeq: threat.seq, previousStatus: before, changedAt: at },
    ]);
  }
}

/** Adds the events of a threat. Older ones than `retention.events` are deleted already. */
function addEvents({ events, start }: Draft, threat: StoredThreat): void {
  const { createdAt, decisions, domain, id, protectedDomain, severity, similarity, type } = threat;
  const from = start - eventsKeptMs;
  if (createdAt >= from)
    events.push({
      type: "threat.created",
      at: createdAt,
      data: {
        threat: { id, domain, type, severity: severityOf(threat).severity, similarity },
      },
    });
  for (const { after, at, before } of decisions) {
    if (at < from) continue;
    const data = {
      threat: { id, domain, protected_domain: protectedDomain, type, severity, similarity, status: after },
      previous_status: before,
    };
    events.push({ type: "threat.updated", at, data });
    if (after === "resolved") events.push({ type: "threat.resolved", at, data });
  }
}

/** The default of `retention.events`. */
export const eventsKeptMs = 30 * dayMs;

function subjectOf({ domain, id }: StoredThreat): string {
  return `${domain} (${id})`;
}
