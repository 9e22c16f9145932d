import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dayMs, type Instant } from "../../../platform/lib/clock.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import {
  emptiedMispEvent,
  mispEventsOf,
  mispHashes,
  mispManifestEntry,
  mispOrganization,
  nextMispEvent,
  type MispEvent,
  type TlpLevel,
} from "./misp.ts";
import type { ThreatReader } from "./threat-reader.ts";
import { codeOf } from "../../../platform/lib/errors.ts";
import { fieldsOf } from "../../../platform/lib/json.ts";

const batchThreats = 1_000;
const manifestName = "manifest.json";
const hashesName = "hashes.csv";

export interface MispFeedOptions {
  /** Created if it does not exist. */
  folder: string;
  tlp: TlpLevel;
  /** Stops between two days. What was written is complete, and the next run continues. */
  signal?: AbortSignal;
}

export interface MispFeedWritten {
  /** Events in the feed. */
  events: number;
  /** Those that are new or have changed. */
  changed: number;
  threats: number;
}

/**
 * Writes or updates a MISP feed in a folder: a static folder that a web server publishes. Each file is
 * replaced in one step, and the manifest last, so that MISP never sees an event that is not complete.
 * @param days `seq` of the threats, ascending, by the start of the day on which they were first seen
 * @throws Error for the operator, if the folder cannot be written or contains something else
 */
export async function writeMispFeed(
  days: ReadonlyMap<Instant, readonly number[]>,
  {
    folder,
    tlp,
    signal,
    instanceId,
    reader,
    now,
    yielder,
  }: MispFeedOptions & { instanceId: string; reader: ThreatReader; now: Instant; yielder: Yielder },
): Promise<MispFeedWritten> {
  mkdirSync(folder, { recursive: true });
  const nowSeconds = Math.floor(now / 1000);
  const published = readManifest(folder, instanceId);
  const manifest: Record<string, object> = {};
  const written: MispFeedWritten = { events: 0, changed: 0, threats: 0 };
  let hashes = "";

  function publish(event: MispEvent, before: MispEvent | undefined): void {
    if (event !== before) {
      replace(folder, `${event.uuid}.json`, `${JSON.stringify({ Event: event }, null, 1)}\n`);
      written.changed += 1;
    }
    published.delete(event.uuid);
    manifest[event.uuid] = mispManifestEntry(event);
    hashes += mispHashes(event);
    written.events += 1;
  }

  for (const [day, seqs] of [...days].sort(([a], [b]) => a - b)) {
    signal?.throwIfAborted();
    const threats = [];
    for (let start = 0; start < seqs.length; start += batchThreats) {
      threats.push(...reader.detailed(seqs.slice(start, start + batchThreats)).reverse());
      if (yielder.due()) await yielder.pause();
    }
    written.threats += threats.length;
    for (const fresh of mispEventsOf(day, threats, { instanceId, tlp })) {
      const before = readEvent(folder, fresh.uuid);
      publish(before === undefined ? fresh : nextMispEvent(before, fresh, nowSeconds), before);
    }
  }
  for (const uuid of published) {
    const before = readEvent(folder, uuid);
    if (before !== undefined) publish(emptiedMispEvent(before, nowSeconds), before);
  }
  replace(folder, hashesName, hashes);
  replace(folder, manifestName, `${JSON.stringify(manifest, null, 1)}\n`);
  return written;
}

/** Groups `seq` by the day (UTC) of a time. */
export function byDay(seqs: Float64Array, times: Float64Array): Map<Instant, number[]> {
  const days = new Map<Instant, number[]>();
  for (let index = 0; index < seqs.length; index += 1) {
    const day = Math.floor(times[index]! / dayMs) * dayMs;
    const known = days.get(day);
    if (known === undefined) days.set(day, [seqs[index]!]);
    else known.push(seqs[index]!);
  }
  return days;
}

/** Returns the identifiers of the events in the feed that is in the folder. */
function readManifest(folder: string, instanceId: string): Set<string> {
  const manifest = readJson(join(folder, manifestName));
  if (manifest === undefined) return new Set();
  const own = mispOrganization(instanceId).uuid;
  const entries = Object.entries(fieldsOf(manifest));
  // An identifier is the name of a file, so it must not lead out of the folder.
  if (
    entries.some(([uuid, entry]) => !uuidForm.test(uuid) || fieldsOf(fieldsOf(entry)["Orgc"])["uuid"] !== own)
  )
    throw new Error("it contains a feed that is not from this installation; choose an empty folder");
  return new Set(entries.map(([uuid]) => uuid));
}

/** Returns undefined for an event that does not exist or is damaged: it is written again. */
function readEvent(folder: string, uuid: string): MispEvent | undefined {
  const event = fieldsOf(fieldsOf(readJson(join(folder, `${uuid}.json`)))["Event"]);
  const attributes = event["Attribute"];
  const isWhole =
    event["uuid"] === uuid &&
    isTimestamp(event["timestamp"]) &&
    Array.isArray(attributes) &&
    attributes.every((attribute) => isTimestamp(fieldsOf(attribute)["timestamp"]));
  return isWhole ? (event as unknown as MispEvent) : undefined;
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isTimestamp = (value: unknown) => typeof value === "string" && /^\d{1,15}$/.test(value);

/** Returns undefined for a file that does not exist or is damaged: it is written again. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Replaces a file in one step: a reader sees the old or the new content. Never writes through a link. */
function replace(folder: string, name: string, text: string): void {
  const unfinished = join(folder, `.${name}.part`);
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, text, { flag: "wx" });
  renameSync(unfinished, join(folder, name));
}
