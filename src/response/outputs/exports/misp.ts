import { toIsoTime, type Instant } from "../../../platform/lib/clock.ts";
import { isMereReport } from "../../../threats/threats/severity/mere-report.ts";
import { severities, type Severity } from "../../../platform/vocabulary/threats.ts";
import { namedValues, type NamedValues } from "./named-values.ts";
import type { ExportedThreat } from "./threat-reader.ts";

/*
 * A MISP feed: an event for each day (UTC) on which threats were first seen, with an attribute for each name, or for each address of a
 * page on a host that strangers share. The shapes are
 * those of PyMISP (`mispevent.py`: `to_feed`, `manifest`, `attributes_hashes`). Identifiers are stable, and timestamps only
 * rise, because MISP fetches an event again when its timestamp in the manifest has risen, and updates an attribute when that of
 * the attribute has.
 */

/** Namespace of identifiers (UUIDv5). */
const namespace = "b0a4c1de-7a0e-4d8e-8c55-0a3b2f4f6d17";
/** MISP imports an event in one piece. A day with more names is split. */
const attributesMax = 10_000;

export const tlpLevels = ["clear", "green", "amber", "amber+strict", "red"] as const;
export type TlpLevel = (typeof tlpLevels)[number];

/** Colors of the taxonomy `tlp` in MISP. */
const tlpColors: Readonly<Record<TlpLevel, string>> = {
  clear: "#ffffff",
  green: "#339900",
  amber: "#ffc000",
  "amber+strict": "#ffc000",
  red: "#cc0033",
};
const phishingColor = "#5f2c84";

const threatLevels: Readonly<Record<Severity, string>> = { high: "1", medium: "2", low: "3" };
const undefinedLevel = "4";

export interface MispAttribute {
  uuid: string;
  type: NamedValues["kind"];
  category: "Network activity";
  value: string;
  comment: string;
  /** Whether systems that detect and block should use it. */
  to_ids: boolean;
  /** Withdrawn: it was wrong, or belongs to another event. */
  deleted: boolean;
  disable_correlation: boolean;
  /** Unix time in seconds. */
  timestamp: string;
}

export interface MispEvent {
  uuid: string;
  info: string;
  /** `2026-01-31`. */
  date: string;
  /** "2": complete. */
  analysis: string;
  threat_level_id: string;
  timestamp: string;
  publish_timestamp: string;
  published: boolean;
  Orgc: { name: string; uuid: string };
  Tag: { name: string; colour: string }[];
  Attribute: MispAttribute[];
}

/** @param instanceId identifies this installation */
export function mispOrganization(instanceId: string): MispEvent["Orgc"] {
  return { name: "phishwatch", uuid: Bun.randomUUIDv5(`organization ${instanceId}`, namespace) };
}

/**
 * Returns the events of one day.
 * @param day start of the day
 * @param threats those first seen on it, oldest record first
 */
export function mispEventsOf(
  day: Instant,
  threats: readonly ExportedThreat[],
  { instanceId, tlp }: { instanceId: string; tlp: TlpLevel },
): MispEvent[] {
  const date = toIsoTime(day).slice(0, 10);
  const named = threats.flatMap((threat) => {
    const { kind, values, isExact } = namedValues(threat);
    return values.map((value) => ({ threat, kind, value, isExact }));
  });
  // MISP rejects a second attribute with the same value, and one name can resemble two protected domains.
  const byValue = [...Map.groupBy(named, ({ value }) => value)];
  const parts = Array.from({ length: Math.ceil(byValue.length / attributesMax) }, (_, index) =>
    byValue.slice(index * attributesMax, (index + 1) * attributesMax),
  );
  return parts.map((part, index) => {
    const suffix = index === 0 ? "" : `, part ${index + 1}`;
    const uuid = Bun.randomUUIDv5(`event ${instanceId} ${date}${suffix}`, namespace);
    const attributes = part.map(([value, same]) => attributeOf(uuid, value, same));
    const timestamp = latest(attributes);
    return {
      uuid,
      info: `Look-alike domains first seen on ${date}${suffix}`,
      date,
      analysis: "2",
      threat_level_id: threatLevelOf(part.flatMap(([, same]) => same.map(({ threat }) => threat))),
      timestamp,
      publish_timestamp: timestamp,
      published: true,
      Orgc: mispOrganization(instanceId),
      Tag: [
        { name: `tlp:${tlp}`, colour: tlpColors[tlp] },
        { name: "phishing", colour: phishingColor },
      ],
      Attribute: attributes,
    };
  });
}

interface NamedThreat {
  threat: ExportedThreat;
  kind: NamedValues["kind"];
  isExact: boolean;
}

/** @param named threats with the same name or address, to different protected domains */
function attributeOf(eventId: string, value: string, named: readonly NamedThreat[]): MispAttribute {
  const threats = named.map(({ threat }) => threat);
  const comments = threats.map(
    ({ protectedDomain, type, severity, status, id }) =>
      `${type} of ${protectedDomain}, severity ${severity}, ${status} (${id})`,
  );
  return {
    uuid: Bun.randomUUIDv5(`attribute ${eventId} ${value}`, namespace),
    type: named[0]!.kind,
    category: "Network activity",
    value,
    comment: comments.join("; "),
    to_ids: named.some(isBlockable),
    deleted: threats.every(({ status }) => status === "false_positive"),
    disable_correlation: false,
    timestamp: String(Math.floor(Math.max(...threats.map(({ changedAt }) => changedAt)) / 1000)),
  };
}

function isBlockable({ threat, isExact }: NamedThreat): boolean {
  return isExact && threat.status === "active" && !isMereReport(threat);
}

function threatLevelOf(threats: readonly ExportedThreat[]): string {
  const active = new Set(threats.filter(({ status }) => status === "active").map(({ severity }) => severity));
  const worst = severities.find((severity) => active.has(severity));
  return worst === undefined ? undefinedLevel : threatLevels[worst];
}

function latest(attributes: readonly MispAttribute[]): string {
  return String(attributes.reduce((most, { timestamp }) => Math.max(most, Number(timestamp)), 0));
}

/**
 * Returns an event as it should be published after an earlier version: `before` itself if nothing has changed, else `fresh`
 * with timestamps that have risen and with the attributes that are gone, marked as deleted.
 * @param nowSeconds Unix time
 */
export function nextMispEvent(before: MispEvent, fresh: MispEvent, nowSeconds: number): MispEvent {
  const old = new Map(before.Attribute.map((attribute) => [attribute.uuid, attribute]));
  const attributes = fresh.Attribute.map((attribute) => {
    const previous = old.get(attribute.uuid);
    old.delete(attribute.uuid);
    if (previous === undefined) return attribute;
    if (Bun.deepEquals({ ...attribute, timestamp: previous.timestamp }, previous)) return previous;
    return { ...attribute, timestamp: later(attribute.timestamp, previous.timestamp) };
  });
  for (const gone of old.values()) {
    const timestamp = later(String(nowSeconds), gone.timestamp);
    attributes.push(gone.deleted ? gone : { ...gone, to_ids: false, deleted: true, timestamp });
  }
  const unchanged = { timestamp: before.timestamp, publish_timestamp: before.publish_timestamp };
  const event = { ...fresh, Attribute: attributes, ...unchanged };
  if (Bun.deepEquals(event, before)) return before;
  const timestamp = later(latest(attributes), before.timestamp);
  return { ...event, timestamp, publish_timestamp: timestamp };
}

/** Returns the event with all of its attributes marked as deleted: none of its threats matches any longer. */
export function emptiedMispEvent(before: MispEvent, nowSeconds: number): MispEvent {
  return nextMispEvent(before, { ...before, Attribute: [], threat_level_id: undefinedLevel }, nowSeconds);
}

/** Returns the greater of `timestamp` and the second after `previous`. */
function later(timestamp: string, previous: string): string {
  return String(Math.max(Number(timestamp), Number(previous) + 1));
}

/** Returns the entry of an event in `manifest.json`. */
export function mispManifestEntry(
  event: MispEvent,
): Omit<MispEvent, "uuid" | "publish_timestamp" | "published" | "Attribute"> {
  const { Orgc, Tag, info, date, analysis, threat_level_id, timestamp } = event;
  return { Orgc, Tag, info, date, analysis, threat_level_id, timestamp };
}

/** Returns the lines of an event in `hashes.csv`, by which MISP finds the events that contain a value. */
export function mispHashes({ uuid, Attribute: attributes }: MispEvent): string {
  return attributes
    .filter(({ deleted }) => !deleted)
    .map(({ value }) => `${new Bun.CryptoHasher("md5").update(value).digest("hex")},${uuid}\n`)
    .join("");
}
