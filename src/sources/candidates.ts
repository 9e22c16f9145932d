import type { Database } from "../database/database.ts";
import { normalizeName } from "../detection/name.ts";
import type { Match } from "../detection/types.ts";
import type { ProtectedDomains } from "../domains/domains.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import type { Pacer } from "../lib/pacer.ts";
import type { RecordedThreat, Sighting } from "../threats/record.ts";
import type { Threats } from "../threats/threats.ts";
import type { Source } from "../vocabulary/threats.ts";
import { textOf, type NameChunk, type Place } from "./lists/name-chunk.ts";

/** So many threats at most are written in one transaction: some 10 ms, in which nobody else can write. */
const sightingsPerTransaction = 64;
/** How often the time is looked at. */
const namesPerLook = 64;
/** Threats are written, and the place that was reached with them, after so much text and so much time at most. */
const recordedBytesMax = 1 << 24;
const recordedMsMax = 1_000;
const invalidShownMax = 5;
const invalidTextMax = 120;

export interface InvalidName {
  /** Line in the list, or number of the name in a submission, from 1. */
  line: number;
  text: string;
  why: string;
}

export interface Tally {
  received: number;
  invalid: number;
  /** The first few of the invalid ones. */
  firstInvalid: InvalidName[];
  /** Names that imitate at least one protected domain. */
  matched: number;
  /** Threats that were not on record before. */
  created: number;
}

export interface CandidateOptions {
  source: Source;
  /** When the source saw the names; absent: now. */
  observedAt?: Instant | undefined;
  /** Protected domains that the caller may see; empty or absent: all. */
  within?: readonly string[];
}

/** What became of the names that were handed in: those that matched, each once, in the order of first appearance. */
export interface Submission extends Tally {
  matches: { domain: string; threats: RecordedThreat[] }[];
}

export interface StreamOptions extends CandidateOptions {
  /** Stops at the next pause; what was recorded stays. */
  signal?: AbortSignal;
  /**
   * Called within each transaction that records threats: `done` is the place after the last name that was
   * dealt with, `tally` covers everything up to there.
   */
  onRecord?: (done: Place, tally: Readonly<Tally>) => void;
  /** Called at each pause and after each chunk: the next one may be long in coming. */
  onSlice?: (tally: Readonly<Tally>) => void;
}

/** Names from any source on their way through detection to the threats. */
export interface Candidates {
  /** Deals with names that were handed in. Bounded batches: a failure half-way leaves what was recorded before. */
  submit(names: Iterable<string>, options: CandidateOptions): Promise<Submission>;
  /** Deals with the chunks of a list, in constant memory. */
  process(chunks: AsyncIterable<NameChunk>, options: StreamOptions): Promise<Tally>;
}

export function createCandidates({
  database,
  domains,
  threats,
  clock,
  pacer,
}: {
  database: Database;
  domains: ProtectedDomains;
  threats: Threats;
  clock: Clock;
  /** Makes a pacer for one run of names. */
  pacer: () => Pacer;
}): Candidates {
  function createRun({ source, observedAt, within = [] }: CandidateOptions) {
    const tally: Tally = { received: 0, invalid: 0, firstInvalid: [], matched: 0, created: 0 };
    const pace = pacer();
    let matcher = domains.matcher();
    let pending: Sighting[] = [];

    function reject(line: number, text: string, why: string): void {
      tally.invalid++;
      if (tally.firstInvalid.length < invalidShownMax)
        tally.firstInvalid.push({ line, text: text.slice(0, invalidTextMax), why });
    }

    return {
      tally,
      pace,
      reject,
      pending: () => pending.length,
      harmless: ({ bytes, starts, ends }: NameChunk, i: number) =>
        !matcher.screen(bytes, starts[i]!, ends[i]!),

      /** Answers the name in canonical form and its matches, if there are any. */
      look(text: string, line: number): { name: string; matches: Match[] } | undefined {
        const normalized = normalizeName(text);
        if ("error" in normalized) {
          reject(line, text, normalized.error);
          return undefined;
        }
        const { name } = normalized;
        let matches = matcher.match(name);
        if (within.length > 0) matches = matches.filter((match) => within.includes(match.protectedDomain));
        if (matches.length === 0) return undefined;
        const seenAt = observedAt ?? clock.now();
        for (const match of matches) pending.push({ domain: name, match, source, seenAt });
        tally.matched++;
        return { name, matches };
      },

      /** Records what was found; `alongside` is called within the same transaction. */
      record(alongside: () => void = () => {}): RecordedThreat[] {
        const { created } = tally;
        try {
          return database.transaction(() => {
            // Somebody may have taken a protected domain away since the matcher was built.
            const wanted = pending.filter(({ match }) => domains.find(match.protectedDomain) !== undefined);
            const recorded = threats.record(wanted);
            tally.created += recorded.filter(({ outcome }) => outcome === "created").length;
            alongside();
            return recorded;
          });
        } catch (error) {
          tally.created = created;
          throw error;
        } finally {
          pending = [];
        }
      },

      async pause(): Promise<void> {
        await pace.pause();
        matcher = domains.matcher();
      },
    };
  }

  return {
    async submit(names, options) {
      const run = createRun(options);
      const matches = new Map<string, RecordedThreat[]>();
      const record = () => {
        for (const threat of run.record()) {
          const told = matches.get(threat.domain)!;
          // A name may be handed in twice, in one form or in several.
          if (!told.some(({ threatId }) => threatId === threat.threatId)) told.push(threat);
        }
      };
      for (const text of names) {
        const number = ++run.tally.received;
        const seen = run.look(text, number);
        if (seen !== undefined && !matches.has(seen.name)) matches.set(seen.name, []);
        if (run.pending() >= sightingsPerTransaction) record();
        if (number % namesPerLook === 0 && run.pace.due()) await run.pause();
      }
      record();
      return { ...run.tally, matches: [...matches].map(([domain, list]) => ({ domain, threats: list })) };
    },

    async process(chunks, { signal, onRecord, onSlice, ...options }) {
      const run = createRun(options);
      const { tally } = run;
      let done: Place | undefined;
      let recorded = { bytes: 0, at: clock.now() };
      const record = () => {
        if (done === undefined) return;
        const place = done;
        run.record(() => onRecord?.(place, tally));
        recorded = { bytes: place.position, at: clock.now() };
      };
      const iterator = chunks[Symbol.asyncIterator]();
      try {
        for (;;) {
          const { value: chunk, done: ended } = await next(iterator, record);
          if (ended === true) break;
          const text = textOf(chunk);
          tally.received += chunk.harmless;
          let stopped = false;
          for (let i = 0; i < chunk.count; i++) {
            const line = chunk.firstLine + chunk.lines[i]!;
            tally.received++;
            const fault = chunk.faults.size === 0 ? undefined : chunk.faults.get(i);
            if (fault !== undefined) run.reject(line, fault.text, fault.why);
            else if (!run.harmless(chunk, i)) run.look(text(i), line);
            const full = run.pending() >= sightingsPerTransaction;
            if (!full && (tally.received % namesPerLook !== 0 || !run.pace.due())) continue;
            done = {
              position: chunk.position + chunk.nexts[i]!,
              line: chunk.firstLine + chunk.nextLines[i]!,
            };
            if (full) record();
            onSlice?.(tally);
            stopped = signal?.aborted === true;
            if (stopped) break;
            await run.pause();
          }
          if (stopped) break;
          done = chunk.end;
          onSlice?.(tally);
          const late = clock.now() - recorded.at >= recordedMsMax;
          if (late || done.position - recorded.bytes >= recordedBytesMax) record();
          // Names that were screened out before took time, too, and none of the looks above.
          if (chunk.harmless === 0 || !run.pace.due()) continue;
          if (signal?.aborted === true) break;
          await run.pause();
        }
        record();
      } finally {
        await iterator.return?.(undefined);
      }
      return tally;
    },
  };
}

/** A list that breaks off is no reason to lose what was read of it. */
async function next<T>(iterator: AsyncIterator<T>, record: () => void): Promise<IteratorResult<T>> {
  try {
    return await iterator.next();
  } catch (error) {
    record();
    throw error;
  }
}
