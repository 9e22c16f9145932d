import { rangesOfLines, type Archive } from "../../../engines/archive/archive.ts";
import type { Matcher } from "../../../engines/detection/match/matcher.ts";
import type { Clock, Instant } from "../../../platform/lib/clock.ts";
import type { Sighting } from "../../../threats/threats/record.ts";
import type { Threats } from "../../../threats/threats/threats.ts";
import type { ThreatSource } from "../../../platform/vocabulary/threats.ts";
import type { SourceActivity } from "../activity/source-activity.ts";
import type { SourceNeeds } from "../needs.ts";
import type { Batch, Candidate } from "../certificate-log-reading/messages.ts";
import { createRecentNames } from "./recent-names.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { PipelineConnection } from "../certificate-log-reading/connection.ts";

const source: ThreatSource = "certificate_transparency";
/** Where the names of all logs are counted. */
export const certificateLogsOrigin = { kind: "certificate logs", name: "certificate logs" };
/** As in `candidates.ts`: longer transactions keep others from writing. */
const threatsPerTransactionMax = 64;
/** Number of names between two checks for waiting work. */
const namesPerCheck = 64;

/** Result of a batch. */
export interface RecordedBatch {
  matched: number;
  created: number;
}

/** Classifies the names of batches, and records the look-alikes. */
export type BatchRecorder = ReturnType<typeof createBatchRecorder>;

interface BatchRecorderDependencies extends SourceNeeds<
  "clock" | "database" | "domains" | "fillRandom" | "yielder"
> {
  activity: Pick<SourceActivity, "add">;
  archive: Pick<Archive, "add" | "flush"> | undefined;
  tables: Pick<ScreeningTables, "versionOf">;
  threats: Pick<Threats, "record">;
}

export function createBatchRecorder(dependencies: BatchRecorderDependencies) {
  const { activity, archive, clock, database, domains, fillRandom, tables, threats, yielder } = dependencies;
  const recent = createRecentNames({ now: clock.now, fillRandom });
  let recentMatcher: Matcher | undefined;

  function matchesOf(name: string, matcher: Matcher) {
    // While this batch waited, another one may have met new protected domains, which this matcher does not know.
    const isCurrent = matcher === recentMatcher;
    if (isCurrent && recent.has(name)) return [];
    const matches = matcher.match(name);
    if (isCurrent && matches.length === 0) recent.add(name);
    return matches;
  }

  /** Yields the look-alikes among the names of a batch, with each name's matches at once. */
  async function* classify(batch: Batch): AsyncGenerator<Sighting[]> {
    const pace = yielder();
    const matcher = domains.matcher();
    if (recentMatcher !== matcher) recent.clear();
    recentMatcher = matcher;
    let checked = 0;
    for (const { name, seenAt, certificate } of candidatesOf(batch, matcher)) {
      if (++checked % namesPerCheck === 0 && pace.due()) await pace.pause();
      const matches = matchesOf(name, matcher);
      if (matches.length > 0)
        yield matches.map((match) => ({ domain: name, match, source, seenAt, certificate }));
    }
  }

  /** Returns the candidates, and those that were not known to be any when the names were screened. */
  function* candidatesOf(
    batch: Batch,
    matcher: Matcher,
  ): Generator<Omit<Candidate, "certificate"> & Partial<Candidate>> {
    yield* batch.candidates;
    if (batch.tablesVersion >= tables.versionOf(matcher)) return;
    const known = new Set(batch.candidates.map(({ name }) => name));
    const text = Buffer.from(batch.names.buffer, batch.names.byteOffset, batch.names.length);
    const { starts, ends, count } = rangesOfLines(batch.names);
    // Copied, because a caller may screen other names between two of these.
    const passed = matcher.screenNames({ bytes: batch.names, starts, ends }, 0, count).slice(0, count);
    for (let i = 0; i < count; i++) {
      if (passed[i] === 0) continue;
      const name = text.toString("latin1", starts[i], ends[i]);
      if (!known.has(name)) yield { name, seenAt: seenAtOf(batch, clock) };
    }
  }

  return {
    /**
     * Records a batch. `alongside` stores the progress, in the transaction that records the threats. When a batch has
     * more threats than fit into one transaction, the last one contains the progress: after a crash, the others are found
     * again and are known then.
     */
    async record(batch: Batch, alongside: (recorded: RecordedBatch) => void) {
      // Before the names are compared with the protected domains: a domain that is added later is compared with the archive.
      if (batch.names.length > 0) archive?.add(batch.names, { source, seenAt: seenAtOf(batch, clock) });
      await archive?.flush();
      let matched = 0;
      let created = 0;
      const record = (some: readonly Sighting[]) => {
        // A protected domain may have been deleted since the matcher was built.
        const wanted = some.filter(({ match }) => domains.find(match.protectedDomain) !== undefined);
        return threats.record(wanted).filter(({ outcome }) => outcome === "created").length;
      };
      // Recorded as they are found: a block of hostile certificates contains hundreds of thousands.
      const sightings: Sighting[] = [];
      for await (const found of classify(batch)) {
        matched++;
        sightings.push(...found);
        while (sightings.length > threatsPerTransactionMax) {
          const first = sightings.splice(0, threatsPerTransactionMax);
          created += await database.write(() => record(first), { patient: true });
        }
      }
      const work = () => {
        const recorded = { matched, created: created + record(sightings) };
        activity.add(certificateLogsOrigin, { names: batch.counts.names, invalid: 0, ...recorded });
        alongside(recorded);
      };
      // Without threats, a power failure only causes the entries to be read again. With them, an event may be delivered at
      // once, and its threat must not get another id.
      await database.write(work, { patient: true, relaxed: sightings.length === 0 });
    },
  };
}

function seenAtOf({ lastEntryAt }: Batch, clock: Pick<Clock, "now">): Instant {
  return Math.min(lastEntryAt ?? Infinity, clock.now());
}

/** Keeps the prefilter of the pipeline in step with the protected domains. */
export type ScreeningTables = ReturnType<typeof createScreeningTables>;

export function createScreeningTables(domains: Pick<ProtectedDomains, "matcher">) {
  let connection: PipelineConnection | undefined;
  let sent: Matcher | undefined;
  let version = 0;

  /** Returns the version of the tables of this matcher, which is the present one. */
  function versionOf(matcher: Matcher): number {
    if (matcher !== sent) {
      sent = matcher;
      version++;
      connection?.send({ do: "screen", version, tables: matcher.screeningTables() });
    }
    return version;
  }

  return {
    versionOf,

    /** Sends the tables again if the protected domains have changed. */
    update: () => void versionOf(domains.matcher()),

    /** Sends the present tables, and later ones when they change. */
    sendTo(to: PipelineConnection | undefined) {
      connection = to;
      sent = undefined;
      if (to !== undefined) versionOf(domains.matcher());
    },
  };
}
