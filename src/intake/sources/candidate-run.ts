import { type Archive, nameLines } from "../../engines/archive/archive.ts";
import type { Match } from "../../threats/threats/severity/similarity-reasons.ts";
import type { Needs } from "../../platform/database/needs.ts";
import type { ProtectedDomains } from "../../threats/domains/domains.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { growthOf } from "../../platform/lib/sums.ts";
import type { Yielder } from "../../platform/lib/yielder.ts";
import type { CertificateSighting, RecordedThreat, Sighting } from "../../threats/threats/record.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import type { ThreatSource } from "../../platform/vocabulary/threats.ts";
import type { NameOrigin, SourceActivity, ActivityCounts } from "./activity/source-activity.ts";
import { readEntries, readListedEntry, type Entry } from "./entries/entry.ts";
import { createInterpretations, type InterpretationOptions } from "./entries/interpretation.ts";
import type { NameBatch } from "./name-batch.ts";
import { createAcceptance, createTally, invalidShownMax, type Tally } from "./tally.ts";

/** Maximum number of threats per transaction: about 4 ms in which no other write can run, and no request is served. */
const threatsPerTransactionMax = 24;
/** Maximum number of addresses that one transaction requests to inspect: about 2 ms. */
const inspectedPerTransactionMax = 16;

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
  /** Which lines to explain in `interpreted`; absent: none. */
  interpret?: InterpretationOptions;
  /**
   * Called with the addresses of all names, each a URL (HTTP or HTTPS) or a host name, also of own and allowed ones and of
   * those that match nothing: in the transaction that records the threats before the position, so that a restart misses
   * none. After a crash, some are repeated. The batches of the run must not be prefiltered.
   */
  inspect?: ((addresses: readonly string[]) => void) | undefined;
}

export interface CandidateDependencies extends Needs<"clock" | "database"> {
  activity: Pick<SourceActivity, "add" | "defer">;
  archive: Pick<Archive, "add" | "flush">;
  domains: ProtectedDomains;
  threats: Threats;
  /** Creates a yielder for one run. */
  yielder: () => Yielder;
}

/** Canonical form of a name, and its matches, at least one. */
export interface Classified {
  name: string;
  matches: Match[];
}

/** One run of names from a source to the threats. */
export interface CandidateRun {
  readonly tally: Tally;
  /** Adds all names of a batch to the archive. From here on, protected domains that were added since are matched. */
  begin(batch: NameBatch<unknown>): void;
  /** Classifies an entry of a batch. Returns its names that match. */
  take(batch: NameBatch<unknown>, index: number): readonly Classified[];
  /** Reads the names in what a person entered. */
  read(text: string, line: number): readonly Entry[];
  /** Classifies a name and archives it. Returns it with its matches; nothing if there are none. */
  classify(entry: Entry, text: string, line: number): readonly Classified[];
  /** Whether there is as much to record as fits into one transaction. */
  isFull(): boolean;
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
  const { source, importSeq, observedAt, within = [], invalidMax = invalidShownMax, inspect } = options;
  const { origin = { kind: source, name: source }, interpret = { max: 0, hostNames: false } } = options;
  const interpretations = createInterpretations(interpret);
  const tally = createTally(interpretations.kept);
  const pace = yielder();
  let matcher = domains.matcher();
  let pending: Sighting[] = [];
  let toInspect: string[] = [];
  const seenAt = () => observedAt ?? clock.now();
  const isWanted = (match: Match) => within.length === 0 || within.includes(match.protectedDomain);
  const archiving = createRunArchive(archive, () => ({ source, seenAt: seenAt() }));
  const counts = createRunCounts(activity, origin, tally);
  const { accept, reject } = createAcceptance({ interpretations, invalidMax, source, tally });

  /** @param found what the batch knows of the name; undefined: it was entered. */
  function classify(entry: Entry, { text, line, found }: Written): Classified[] {
    const { name, url } = entry;
    if (inspect !== undefined && isPage(entry)) toInspect.push(url ?? name);
    if (isInMessage(entry) && matcher.isOwn(name, within)) return [];
    if (found === undefined || (found.seen === undefined && name !== found.name)) archiving.keep(name);
    const matches = found?.mayMatch === false ? [] : matcher.match(name).filter(isWanted);
    interpretations.add(line, text, entry, matches.length > 0);
    if (matches.length === 0) return [];
    const facts = { importSeq, url, certificate: found?.certificate };
    const seen = sightingOf(found?.seen) ?? { source, seenAt: seenAt() };
    pending.push(...matches.map((match) => ({ domain: name, match, ...seen, ...facts })));
    tally.matched++;
    return [{ name, matches }];
  }

  return {
    tally,
    read: (text, line) => accept(readEntries(text), text, line),
    classify: (entry, text, line) => classify(entry, { text, line, found: undefined }),
    begin(batch) {
      archiving.add(batch.names());
      // A check of a new domain against the archive sees the names that were added before it began. All later ones
      // have to meet the new domain here.
      matcher = domains.matcher();
    },
    take(batch, index) {
      const error = batch.error(index);
      const line = batch.line(index);
      if (error !== undefined) {
        reject(line, error.text, error.why);
        return [];
      }
      const mayMatch = batch.mayMatch(index, matcher);
      if (!mayMatch && inspect === undefined && !interpretations.isWanted()) return [];
      const name = batch.name(index);
      const link = batch.link?.(index);
      const text = link ?? name;
      const found = { name, mayMatch, certificate: batch.certificate?.(index), seen: batch.seen };
      return accept(readListedEntry(name, link, batch.form?.(index)), text, line).flatMap((entry) =>
        classify(entry, { text, line, found }),
      );
    },
    isFull: () =>
      pending.length >= threatsPerTransactionMax || toInspect.length >= inspectedPerTransactionMax,
    async record({ patient, alongside }) {
      const { created } = tally;
      let onCommit = () => {};
      const record = () => {
        // A protected domain may have been deleted since the matcher was built.
        const wanted = pending.filter(({ match }) => domains.find(match.protectedDomain) !== undefined);
        const recorded = threats.record(wanted);
        tally.created += recorded.filter(({ outcome }) => outcome === "created").length;
        onCommit = counts.add();
        if (toInspect.length > 0) inspect?.(toInspect);
        alongside?.(recorded);
        return recorded;
      };
      await archiving.flush();
      // Nobody has to wait for the database only for the counts.
      if (pending.length + toInspect.length === 0 && alongside === undefined) return counts.defer();
      try {
        const recorded = await database.write(record, { patient });
        onCommit();
        return recorded;
      } catch (error) {
        tally.created = created;
        throw error;
      } finally {
        pending = [];
        toInspect = [];
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

/** Where a name was written. */
interface Written {
  text: string;
  line: number;
  found: FoundName | undefined;
}

/** Content of a batch about one name. */
interface FoundName {
  /** As it arrived. */
  name: string;
  mayMatch: boolean;
  certificate: CertificateSighting | undefined;
  seen: NameBatch<unknown>["seen"];
}

/** A message passes the mail servers of its recipients, whose own names say nothing about it. */
function isInMessage({ form }: Entry): boolean {
  return form === "message_link" || form === "message_sender";
}

/** The domain of a sender seldom has a page. */
function isPage({ form }: Entry): boolean {
  return form !== "message_sender";
}

function sightingOf(seen: NameBatch<unknown>["seen"]) {
  return seen && { source: seen.source, seenAt: seen.day, isDay: true };
}

/** Passes the names of one run to the archive. */
function createRunArchive(
  archive: CandidateDependencies["archive"],
  sighting: () => { source: ThreatSource; seenAt: Instant },
) {
  let kept: string[] = [];
  const add = (names: Uint8Array | null) => {
    if (names !== null && names.length > 0) archive.add(names, sighting());
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

/** Counts the names of one run where they came from. */
function createRunCounts(
  activity: CandidateDependencies["activity"],
  origin: NameOrigin | null,
  tally: Tally,
) {
  let counted = countsOf(tally);
  const growth = (counts: ActivityCounts) =>
    growthOf(counts, counted, "names", "invalid", "matched", "created");
  return {
    /** Adds what is new, in the transaction of the caller. Returns a function to call once that is committed. */
    add(): () => void {
      const counts = countsOf(tally);
      if (origin !== null) activity.add(origin, growth(counts));
      return () => void (counted = counts);
    },
    /** Adds what is new later. Returns the threats that were recorded with it: none. */
    defer(): [] {
      const counts = countsOf(tally);
      if (origin !== null) activity.defer(origin, growth(counts));
      counted = counts;
      return [];
    },
  };
}

function countsOf({ received, invalid, matched, created }: Tally): ActivityCounts {
  return { names: received, invalid, matched, created };
}
