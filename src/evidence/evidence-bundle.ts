import { actorJson } from "../access/audit/actor.ts";
import { displayName } from "../detection/names/name.ts";
import type { EventLog, RecordedEvent } from "../events/event-log.ts";
import { toIsoTime, type Instant } from "../lib/clock.ts";
import { zip } from "../lib/zip.ts";
import { describeSeverityReason } from "../threats/severity-reasons.ts";
import { describeForThirdParties } from "../threats/similarity-reasons.ts";
import type { DatedChange } from "../threats/history.ts";
import type { Note } from "../threats/notes.ts";
import type { Threat } from "../threats/queries.ts";
import type { Threats } from "../threats/threats.ts";
import type { Deliveries, Delivery } from "../webhooks/deliveries.ts";
import { abuseReport } from "./abuse-report.ts";
import type { Enrichment } from "../enrichment/enrichment.ts";
import type { RegistrationResponse } from "../enrichment/registration-responses.ts";
import { factsJson } from "../enrichment/facts/facts-json.ts";
import type { Facts } from "../enrichment/facts/facts.ts";

/** All that is known of one threat. */
export interface Evidence {
  threat: Threat;
  known: { facts: Facts; checkedAt: Instant | null } | undefined;
  /** Newest first. */
  history: readonly DatedChange[];
  notes: readonly Note[];
  /** Newest first. */
  events: readonly RecordedEvent[];
  deliveries: readonly Delivery[];
  registrationAnswer: RegistrationResponse | undefined;
  /** WebP. */
  screenshot: Uint8Array | undefined;
  original: Uint8Array | undefined;
}

interface Entry {
  name: string;
  /** What it is, for whoever reads the manifest. */
  content: string;
  bytes: Uint8Array;
  /** When it was found out. */
  at?: Instant | null | undefined;
}

const eventsMax = 200;
const deliveriesMax = 1_000;

/** Undefined: there is no such threat. */
export async function gatherEvidence(
  {
    threats,
    enrichment,
    eventLog,
    deliveries,
  }: {
    threats: Threats;
    enrichment: Enrichment;
    eventLog: EventLog;
    deliveries: Pick<Deliveries, "list">;
  },
  id: string,
): Promise<Evidence | undefined> {
  const threat = threats.get(id);
  if (threat === undefined) return undefined;
  const [capture, original] = await Promise.all([enrichment.screenshotOf(id), enrichment.originalOf(id)]);
  return {
    threat,
    known: enrichment.factsOf(id),
    history: threats.history(id),
    notes: threats.notes.list(id),
    events: eventLog.ofThreat(id, eventsMax),
    deliveries: deliveries.list({ threat: id }, deliveriesMax),
    registrationAnswer: enrichment.registrationResponseOf(id),
    screenshot: "webp" in capture ? capture.webp : undefined,
    original,
  };
}

/**
 * One ZIP of everything, the same bytes for the same content. Its names are fixed, whatever attackers are called;
 * what is nobody else's business stands below `internal/`. `SHA256SUMS` is as `sha256sum --check` reads it.
 */
export function evidenceBundle(evidence: Evidence): Uint8Array<ArrayBuffer> {
  const entries = entriesOf(evidence);
  const sums = entries.map((entry) => ({ ...entry, sha256: sha256(entry.bytes) }));
  const manifest = json({
    format: "phishwatch evidence 1",
    threat_id: evidence.threat.id,
    domain: evidence.threat.domain,
    protected_domain: evidence.threat.protectedDomain,
    entries: sums.map(({ name, content, bytes, sha256: sum, at }) => ({
      name,
      content,
      found_at: time(at),
      bytes: bytes.length,
      sha256: sum,
    })),
  });
  const named = [...sums, { name: "manifest.json", bytes: manifest, sha256: sha256(manifest) }];
  const files = Object.fromEntries(named.map(({ name, bytes }) => [name, bytes]));
  const listed = named.map(({ name, sha256: sum }) => `${sum}  ${name}\n`).join("");
  return zip({ ...files, SHA256SUMS: encode(listed) }, isPicture);
}

function entriesOf(evidence: Evidence): Entry[] {
  const { threat, known, history, notes, events, deliveries, registrationAnswer } = evidence;
  const { screenshot, original } = evidence;
  const checkedAt = known?.checkedAt;
  const report = abuseReport({ threat, facts: known?.facts, checkedAt });
  const found = history.filter(({ by }) => by === null);
  const decided = history.filter(({ by }) => by !== null);
  return [
    {
      name: "evidence.json",
      content: "the threat and the facts about it",
      at: checkedAt,
      bytes: json(threatOf(evidence)),
    },
    { name: "history.json", content: "what changed about the facts", bytes: json(found.map(changeOf)) },
    {
      name: "report.txt",
      content: "a report of abuse to send",
      bytes: encode(`Subject: ${report.subject}\n\n${report.body}`),
    },
    ...(registrationAnswer === undefined
      ? []
      : [
          {
            name: "registration-answer.txt",
            content: "the answer of registry or registrar as it came (RDAP or WHOIS)",
            at: registrationAnswer.at,
            bytes: encode(registrationAnswer.text),
          },
        ]),
    ...(screenshot === undefined
      ? []
      : [
          {
            name: "screenshot.webp",
            content: "the suspicious page",
            at: known?.facts.screenshot?.at,
            bytes: screenshot,
          },
        ]),
    ...(original === undefined
      ? []
      : [{ name: "original.webp", content: "the page of the protected domain", bytes: original }]),
    { name: "internal/decisions.json", content: "who decided what", bytes: json(decided.map(changeOf)) },
    {
      name: "internal/notes.json",
      content: "notes",
      bytes: json(notes.map(({ at, by, text }) => ({ at: time(at), by: actorJson(by), text }))),
    },
    {
      name: "internal/events.json",
      content: "what was told to webhooks",
      bytes: json(events.map((event) => eventOf(event, deliveries))),
    },
  ];
}

function threatOf({ threat, known }: Evidence): object {
  return {
    id: threat.id,
    domain: threat.domain,
    shown_as: displayName(threat.domain),
    protected_domain: threat.protectedDomain,
    type: threat.type,
    similarity: threat.similarity,
    reasons: describeForThirdParties(threat.reasons),
    severity: threat.severity,
    severity_reasons: threat.severityReasons.map(describeSeverityReason),
    status: threat.status,
    status_changed_at: time(threat.statusChangedAt),
    source: threat.source,
    first_seen: time(threat.firstSeen),
    created_at: time(threat.createdAt),
    registration: threat.whois,
    looked_at: time(known?.checkedAt),
    facts: known === undefined ? null : factsJson(known.facts),
  };
}

function changeOf({ at, field, before, after, by }: DatedChange): object {
  return { at: time(at), field, before, after, ...(by === null ? {} : { by: actorJson(by) }) };
}

function eventOf({ id, body }: RecordedEvent, deliveries: readonly Delivery[]): object {
  const sent = deliveries.filter(({ eventId }) => eventId === id);
  return {
    event: body,
    deliveries: sent.map((delivery) => ({
      id: delivery.id,
      endpoint: delivery.endpointName,
      status: delivery.status,
      attempts: delivery.attempts,
      completed_at: time(delivery.completedAt),
    })),
  };
}

/** Compressed already. */
const isPicture = (name: string) => name.endsWith(".webp");

function json(value: unknown): Uint8Array {
  return encode(`${JSON.stringify(value, null, 2)}\n`);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

function time(at: Instant | null | undefined): string | null {
  return at === null || at === undefined ? null : toIsoTime(at);
}
