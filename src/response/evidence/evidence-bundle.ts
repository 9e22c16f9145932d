import { jsonFields } from "../../platform/lib/key-names.ts";
import { actorJson } from "../../access/audit/actor.ts";
import type { Delivery, DeliveryLog } from "../../messaging/deliveries/delivery-log.ts";
import { displayName } from "../../engines/detection/names/name.ts";
import type { Enrichment } from "../../facts/enrichment/enrichment.ts";
import { factsJson, inspectionJson } from "../../facts/enrichment/facts/facts-json.ts";
import type { Facts } from "../../facts/enrichment/facts/facts.ts";
import type { RegistrationResponse } from "../../facts/enrichment/registration-responses.ts";
import type { EventLog, RecordedEvent } from "../../threats/events/event-log.ts";
import { optionalIsoTime, toIsoTime, type Instant } from "../../platform/lib/clock.ts";
import { zip } from "../../platform/lib/zip.ts";
import { originsJson } from "../../threats/threats/origins-json.ts";
import type { Origins } from "../../threats/threats/store/origins.ts";
import type { Threat } from "../../threats/threats/store/queries.ts";
import { inspectedScore } from "../../threats/threats/severity/similarity-reasons.ts";
import { withoutMailboxes } from "../../threats/threats/severity/mailboxes.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import {
  factsForThirdParties,
  observationsOf,
  reasonsForThirdParties,
  severityForThirdParties,
} from "./third-parties.ts";
import type { ThreatSource } from "../../platform/vocabulary/threats.ts";
import type { DatedChange } from "../../threats/threats/triage/history.ts";
import type { Note } from "../../threats/threats/triage/notes.ts";

/** Everything that is known about one threat. */
export interface Evidence {
  threat: Threat;
  known: { facts: Facts; checkedAt: Instant | null } | undefined;
  /** Newest first. */
  history: readonly DatedChange[];
  notes: readonly Note[];
  origins: Origins;
  /** Newest first. */
  events: readonly RecordedEvent[];
  deliveries: readonly Delivery[];
  registrationResponse: RegistrationResponse | undefined;
  /** WebP. */
  screenshot: Uint8Array | undefined;
  original: Uint8Array | undefined;
}

interface Entry {
  name: string;
  /** Description for the manifest. */
  content: string;
  bytes: Uint8Array;
  /** Time at which it was determined. */
  at?: Instant | null | undefined;
}

const eventsMax = 200;
const deliveriesMax = 1_000;

/** Returns undefined if the threat does not exist. */
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
    deliveries: Pick<DeliveryLog, "list">;
  },
  id: string,
): Promise<Evidence | undefined> {
  const threat = threats.get(id);
  if (threat === undefined) return undefined;
  const [screenshot, original] = await Promise.all([enrichment.screenshotOf(id), enrichment.originalOf(id)]);
  return {
    threat,
    known: enrichment.factsOf(id),
    history: threats.history(id),
    notes: threats.notes.list(id),
    origins: threats.origins(id),
    events: eventLog.ofThreat(id, eventsMax),
    deliveries: deliveries.list({ threat: id }, deliveriesMax),
    registrationResponse: enrichment.registrationResponseOf(id),
    screenshot: "webp" in screenshot ? screenshot.webp : undefined,
    original,
  };
}

/**
 * Returns a reproducible ZIP of everything: the same bytes for the same content. File names are fixed and never depend
 * on text of attackers. Files that should not leave the organization are in `internal/`. `SHA256SUMS` has the format
 * that `sha256sum --check` reads.
 * @param options.isForThirdParties without `internal/`
 * @param options.report text of a report that is ready to send
 */
export function evidenceBundle(
  evidence: Evidence,
  { isForThirdParties = false, report }: { isForThirdParties?: boolean; report?: string } = {},
): Uint8Array<ArrayBuffer> {
  const entries = entriesOf(evidence, report).filter(
    ({ name }) => !isForThirdParties || !name.startsWith("internal/"),
  );
  const sums = entries.map((entry) => ({ ...entry, sha256: sha256(entry.bytes) }));
  const manifest = json({
    format: "phishwatch evidence 1",
    threat_id: evidence.threat.id,
    ...jsonFields(evidence.threat, "domain protectedDomain"),
    entries: sums.map(({ name, content, bytes, sha256: sum, at }) =>
      jsonFields({ name, content, foundAt: at, bytes: bytes.length, sha256: sum }),
    ),
  });
  const named = [...sums, { name: "manifest.json", bytes: manifest, sha256: sha256(manifest) }];
  const files = Object.fromEntries(named.map(({ name, bytes }) => [name, bytes]));
  const listed = named.map(({ name, sha256: sum }) => `${sum}  ${name}\n`).join("");
  return zip({ ...files, SHA256SUMS: encode(listed) }, isImage);
}

function entriesOf(evidence: Evidence, report: string | undefined): Entry[] {
  const { known, history, notes, events, deliveries, registrationResponse } = evidence;
  const { screenshot, original } = evidence;
  const isBlurred = known?.facts.screenshot?.kept === "blurred";
  const found = history.filter(({ by }) => by === null);
  const decided = history.filter(({ by }) => by !== null);
  const entries: (Omit<Entry, "bytes"> & { bytes: Uint8Array | undefined })[] = [
    {
      name: "evidence.json",
      content: "the threat and the facts about it",
      at: known?.checkedAt,
      bytes: json(evidenceJson(evidence)),
    },
    { name: "history.json", content: "changes of the facts", bytes: json(found.map(changeForThirdParties)) },
    { name: "report.txt", content: "abuse report, ready to send", bytes: encodeIfAny(report) },
    {
      name: "registration-answer.txt",
      content: "raw response of the registry or registrar (RDAP or WHOIS)",
      at: registrationResponse?.at,
      bytes: encodeIfAny(registrationResponse?.text),
    },
    {
      name: "screenshot.webp",
      content: `screenshot of the suspicious page${isBlurred ? ", blurred on purpose" : ""}`,
      at: known?.facts.screenshot?.at,
      bytes: screenshot,
    },
    { name: "original.webp", content: "screenshot of the protected domain's page", bytes: original },
    {
      name: "internal/inspection.json",
      content:
        "comparison of the page with the protected site, and the addresses as they were given and shown",
      at: known?.facts.pageAt,
      bytes: inspectionOf(evidence),
    },
    {
      name: "internal/decisions.json",
      content: "decisions and who made them",
      bytes: json(decided.map(changeOf)),
    },
    {
      name: "internal/notes.json",
      content: "notes",
      bytes: json(notes.map(({ at, by, text }) => ({ at: optionalIsoTime(at), by: actorJson(by), text }))),
    },
    {
      name: "internal/events.json",
      content: "events and their deliveries",
      bytes: json(events.map((event) => eventOf(event, deliveries))),
    },
  ];
  return entries.flatMap(({ bytes, ...entry }) => (bytes === undefined ? [] : [{ ...entry, bytes }]));
}

/** Returns the comparison of the page; undefined if there was none. */
function inspectionOf({ known, origins }: Evidence): Uint8Array | undefined {
  const page = known?.facts.page;
  if (known === undefined || page?.imitation === undefined) return undefined;
  return json({
    inspection: inspectionJson(known.facts),
    given: origins.urls.map(({ url }) => url),
    shown: [...page.redirects, page.finalUrl],
  });
}

/** Returns what is known about a threat, for `evidence.json`, which third parties may read. */
export function evidenceJson({ threat, known, origins }: Evidence): object {
  const { certificates, urls } = originsJson(origins);
  return {
    id: threat.id,
    domain: threat.domain,
    shown_as: displayName(threat.domain),
    ...jsonFields(threat, "protectedDomain type"),
    // The similarity of an inspected page is its score; see `observationsOf`.
    similarity: inspectedScore(threat.reasons) === undefined ? threat.similarity : null,
    reasons: reasonsForThirdParties(threat.reasons, known?.facts),
    severity: threat.severity,
    ...severityForThirdParties(threat),
    ...jsonFields(threat, "status statusChangedAt"),
    source: sourceForThirdParties(threat.source),
    first_seen: toIsoTime(threat.firstSeen),
    created_at: toIsoTime(threat.createdAt),
    registration: threat.whois,
    looked_at: optionalIsoTime(known?.checkedAt),
    facts: known === undefined ? null : factsJson(factsForThirdParties(known.facts)),
    imitation: imitationJson(known?.facts),
    certificates,
    urls: urls.map(({ url, source, seen_at }) => ({
      url: withoutMailboxes(url),
      source: sourceForThirdParties(source),
      seen_at,
    })),
  };
}

/** Returns what the page imitates, in words; null if it imitates nothing. */
function imitationJson(facts: Facts | undefined): object | null {
  const imitation = facts?.page?.imitation;
  if (imitation?.imitates !== true) return null;
  const observations = observationsOf(imitation);
  return {
    ...jsonFields(imitation, "protectedDomain original"),
    observations: observations.map(({ text }) => text),
    observation_codes: observations.map(({ code }) => code),
    inspected_at: optionalIsoTime(facts?.pageAt),
  };
}

/** Null, as if it were unknown, if a beacon found the threat: see `reasonsForThirdParties`. */
function sourceForThirdParties(source: ThreatSource): ThreatSource | null {
  return source === "beacon" ? null : source;
}

/** Returns a change of a fact, for `history.json`, which third parties may read. */
function changeForThirdParties(change: DatedChange): object {
  const { before, after } = change;
  const stripped = (text: string | null) => text && withoutMailboxes(text);
  return changeOf({ ...change, before: stripped(before), after: stripped(after) });
}

function changeOf({ at, field, before, after, by }: DatedChange): object {
  return { at: optionalIsoTime(at), field, before, after, ...(by === null ? {} : { by: actorJson(by) }) };
}

function eventOf({ id, body }: RecordedEvent, deliveries: readonly Delivery[]): object {
  const sent = deliveries.filter(({ eventId }) => eventId === id);
  return {
    event: body,
    deliveries: sent.map(({ attempts, completedAt, id: own, recipientName, status }) =>
      jsonFields({ id: own, endpoint: recipientName, status, attempts, completedAt }),
    ),
  };
}

/** Images are compressed already. */
const isImage = (name: string) => name.endsWith(".webp");

/** Returns a value as formatted JSON with a line break at its end. */
export function json(value: unknown): Uint8Array {
  return encode(`${JSON.stringify(value, null, 2)}\n`);
}

const encodeIfAny = (text: string | undefined) => (text === undefined ? undefined : encode(text));

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Returns the digest of bytes in hexadecimal digits. */
export function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
