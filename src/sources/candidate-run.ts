import type { Archive } from "../archive/archive.ts";
import { nameLines } from "../archive/name-lines.ts";
import type { Database } from "../database/database.ts";
import { pastedUrl, readPastedName } from "../detection/names/pasted-name.ts";
import type { Match } from "../detection/types.ts";
import type { ProtectedDomains } from "../domains/domains.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import type { Yielder } from "../lib/yielder.ts";
import type { CertificateSighting, RecordedThreat, Sighting } from "../threats/record.ts";
import type { Threats } from "../threats/threats.ts";
import type { ThreatSource } from "../vocabulary/threats.ts";
import type { ActivityCounts, NameOrigin, SourceActivity } from "./activity/source-activity.ts";
import { readListedName } from "./listed-name.ts";
import type { NameBatch } from "./name-batch.ts";

/** Maximum number of invalid names that a run reports, unless the caller wants another number. */
export const invalidShownMax = 20;
const invalidTextCharactersMax = 120;

export interface InvalidName {
  /** Line in the list, or number of the name in a submission, from 1. */
  line: number;
  text: string;
  /** A phrase that follows the text, such as "is empty". */
  why: string;
}

/** Counts of one run. */
export interface Tally {
  received: number;
  invalid: number;
  /** The first few invalid names. */
  firstInvalid: InvalidName[];
  /** Names that match at least one protected domain. */
  matched: number;
  /** Threats that were not on record before. */
  created: number;
}

export interface CandidateOptions {
  source: ThreatSource;
  /** Where the names are counted; absent: with the kind and name `source`; null: nowhere. */
  origin?: NameOrigin | null | undefined;
  /** `seq` of the import that the names are from. */
  importSeq?: number | undefined;
  /** When the source saw the names; absent: now. */
  observedAt?: Instant | undefined;
  /** Protected domains that the caller may see; empty or absent: all. */
  within?: readonly string[];
  /** Maximum number of invalid names in `firstInvalid`. */
  invalidMax?: number;
}

export interface CandidateDependencies {
  activity: Pick<SourceActivity, "add" | "defer">;
  archive: Pick<Archive, "add" | "flush">;
  database: Database;
  domains: ProtectedDomains;
  threats: Threats;
  clock: Clock;
  /** Creates a yielder for one run. */
  yielder: () => Yielder;
}

/** Canonical form of a name, and its matches, at least one. */
interface Classified {
  name: string;
  matches: Match[];
}

/** One run of names from a source to the threats. */
export interface CandidateRun {
  readonly tally: Tally;
  /** Adds all names of a batch to the archive. From here on, protected domains that were added meanwhile are matched. */
  begin(batch: NameBatch<unknown>): void;
  /** Classifies an entry of a batch. */
  take(batch: NameBatch<unknown>, index: number): void;
  /** Classifies a name and archives it. Returns its canonical form and its matches, or undefined if there are none. */
  classify(text: string, line: number): Classified | undefined;
  /** Number of matches that are not recorded yet. */
  pending(): number;
  /**
   * Records the pending matches once the names so far are in the archive; calls `alongside` in the same transaction.
   * @throws DatabaseLockedError if another process holds the write lock for too long
   */
  record(options: {
    patient: boolean;
    alongside?: (recorded: readonly RecordedThreat[]) => void;
  }): Promise<RecordedThreat[]>;
  /** Whether the run should yield to other work. */
  isPauseDue(): boolean;
  pause(): Promise<void>;
}

export function startCandidateRun(
  { activity, archive, clock, database, domains, yielder, threats }: CandidateDependencies,
  options: CandidateOptions,
): CandidateRun {
  const { source, importSeq, observedAt, within = [], invalidMax = invalidShownMax } = options;
  const { origin = { kind: source, name: source } } = options;
  const tally: Tally = { received: 0, invalid: 0, firstInvalid: [], matched: 0, created: 0 };
  const pace = yielder();
  let matcher = domains.matcher();
  let pending: Sighting[] = [];
  let counted: ActivityCounts = { names: 0, invalid: 0, matched: 0, created: 0 };
  const seenAt = () => observedAt ?? clock.now();
  const isWanted = (match: Match) => within.length === 0 || within.includes(match.protectedDomain);
  const archiving = createArchiving({ archive, source, seenAt });
  const reject = (line: number, text: string, why: string) =>
    countInvalid(tally, { line, text: text.slice(0, invalidTextCharactersMax), why }, invalidMax);

  /** @param entry of a list, from which the name was read; undefined: the text was entered as it is. */
  function classify(text: string, line: number, entry?: ListEntry): Classified | undefined {
    const written = entry?.link ?? text;
    const normalized = readName(text, entry, source);
    if (normalized === undefined) return undefined;
    if ("error" in normalized) {
      reject(line, written, normalized.error);
      return undefined;
    }
    const { name } = normalized;
    if (entry === undefined || (entry.seen === undefined && name !== text)) archiving.keep(name);
    const matches = matcher.match(name).filter(isWanted);
    if (matches.length === 0) return undefined;
    const facts = { importSeq, url: pastedUrl(written), certificate: entry?.certificate };
    const seen = sightingOf(entry?.seen) ?? { source, seenAt: seenAt() };
    pending.push(...matches.map((match) => ({ domain: name, match, ...seen, ...facts })));
    tally.matched++;
    return { name, matches };
  }

  /** Nobody has to wait for the database only for the counts. */
  function deferCounts(): [] {
    const counts = countsOf(tally);
    if (origin !== null) activity.defer(origin, difference(counts, counted));
    counted = counts;
    return [];
  }

  return {
    tally,
    classify: (text, line) => classify(text, line),
    begin(batch) {
      archiving.add(batch.names());
      // A check of a new domain against the archive sees the names that were added before it began. All later ones
      // have to meet the new domain here.
      matcher = domains.matcher();
    },
    take(batch, index) {
      const error = batch.error(index);
      if (error !== undefined) reject(batch.line(index), error.text, error.why);
      else if (batch.mayMatch(index, matcher))
        classify(batch.name(index), batch.line(index), {
          link: batch.link?.(index),
          certificate: batch.certificate?.(index),
          seen: batch.seen,
        });
    },
    pending: () => pending.length,
    async record({ patient, alongside }) {
      const { created } = tally;
      let counts = counted;
      const record = () => {
        // A protected domain may have been deleted since the matcher was built.
        const wanted = pending.filter(({ match }) => domains.find(match.protectedDomain) !== undefined);
        const recorded = threats.record(wanted);
        tally.created += recorded.filter(({ outcome }) => outcome === "created").length;
        counts = countsOf(tally);
        if (origin !== null) activity.add(origin, difference(counts, counted));
        alongside?.(recorded);
        return recorded;
      };
      await archiving.flush();
      if (pending.length === 0 && alongside === undefined) return deferCounts();
      try {
        const recorded = await database.write(record, { patient });
        counted = counts;
        return recorded;
      } catch (error) {
        tally.created = created;
        throw error;
      } finally {
        pending = [];
      }
    },
    isPauseDue: () => pace.due(),
    async pause() {
      archiving.addKept();
      await pace.pause();
      matcher = domains.matcher();
    },
  };
}

/** In a list, links to addresses are usual. A person who enters one wants to know why it was not checked. */
function readName(text: string, entry: ListEntry | undefined, source: ThreatSource) {
  const isEntered = entry === undefined || source === "submission";
  return isEntered ? readPastedName(entry?.link ?? text) : readListedName(text, entry.link);
}

function countInvalid(tally: Tally, name: InvalidName, shownMax: number): void {
  tally.invalid++;
  if (tally.firstInvalid.length < shownMax) tally.firstInvalid.push(name);
}

function countsOf({ received, invalid, matched, created }: Tally): ActivityCounts {
  return { names: received, invalid, matched, created };
}

function difference(now: ActivityCounts, before: ActivityCounts): ActivityCounts {
  return {
    names: now.names - before.names,
    invalid: now.invalid - before.invalid,
    matched: now.matched - before.matched,
    created: now.created - before.created,
  };
}

function sightingOf(
  seen: NameBatch<unknown>["seen"],
): Pick<Sighting, "source" | "seenAt" | "isDay"> | undefined {
  return seen && { source: seen.source, seenAt: seen.day, isDay: true };
}

/** The part of a batch that concerns one entry. */
interface ListEntry {
  link: string | undefined;
  certificate: CertificateSighting | undefined;
  seen: NameBatch<unknown>["seen"];
}

/** Passes the names of one run to the archive. */
function createArchiving({
  archive,
  source,
  seenAt,
}: {
  archive: CandidateDependencies["archive"];
  source: ThreatSource;
  seenAt: () => Instant;
}) {
  let kept: string[] = [];
  const add = (names: Uint8Array | null) => {
    if (names !== null && names.length > 0) archive.add(names, { source, seenAt: seenAt() });
  };
  const addKept = () => {
    if (kept.length > 0) add(nameLines(kept));
    kept = [];
  };
  return {
    add,
    /** Keeps a canonical name that no batch contains as written, for the next `addKept`. */
    keep: (name: string) => void kept.push(name),
    addKept,
    flush() {
      addKept();
      return archive.flush();
    },
  };
}
