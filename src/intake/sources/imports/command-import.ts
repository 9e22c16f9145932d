import type { Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { ListFormat } from "../../../platform/vocabulary/lists.ts";
import type { Tally } from "../tally.ts";
import type { Candidates, ProcessOptions } from "../candidates.ts";
import { NameListError } from "../name-file-bytes/byte-source.ts";
import type { Place } from "../name-file-formats/name-chunk.ts";
import type { NameBatch } from "../name-batch.ts";
import { importOrigin, interpretedMax, resultOf } from "./import-run.ts";
import { type ImportStore, ownProcess } from "./import-store.ts";
import type { ListImport } from "./tables.ts";

/** A list that a command has opened. */
export interface OpenedList {
  name: string;
  format: ListFormat;
  column: string;
  /** Size on disk; null for a pipe. */
  bytesTotal: number | null;
  batches: AsyncIterable<NameBatch<Place>>;
  /** Returns the number of bytes read so far. */
  bytes(): number;
}

export type ProcessList = (
  list: OpenedList,
  options: Omit<ProcessOptions<Place>, "importSeq"> & { by: Actor },
) => Promise<Tally>;

interface CommandImportDependencies extends Needs<"auditLog" | "clock" | "log"> {
  candidates: Candidates;
  domains: Pick<ProtectedDomains, "watchWidenings">;
  store: ImportStore;
}

/**
 * Returns a function that processes a list for a command and records it among the imports. The audit log gets an entry
 * once something was committed, even if reading fails later or is aborted.
 */
export function createCommandImport(dependencies: CommandImportDependencies): ProcessList {
  const { auditLog, candidates, clock, domains, log, store } = dependencies;
  return async ({ name, format, column, bytesTotal, batches, bytes }, { by, ...options }) => {
    const { source, signal } = options;
    const { seq } = store.begin({
      name,
      format,
      column,
      bytesTotal,
      source,
      channel: by.channel,
      process: ownProcess(),
      startedAt: clock.now(),
    });
    let tally: Readonly<Tally> | undefined;
    const checkAgain = domains.watchWidenings();
    const save = (values: Partial<ListImport>) =>
      store.save(seq, { ...(tally && resultOf(tally)), bytes: bytes(), ...values });
    const onCommit: typeof options.onCommit = (place, soFar, recorded) => {
      tally = soFar;
      // A server may have taken the import for one that was interrupted: it cannot always see this process.
      save({ lines: place.line - 1, state: "running", error: null, completedAt: null });
      options.onCommit?.(place, soFar, recorded);
    };
    const end = (outcome: Pick<ListImport, "state" | "error">) =>
      save({ ...outcome, completedAt: clock.now() });
    try {
      tally = await candidates.process(batches, {
        ...options,
        origin: importOrigin,
        importSeq: seq,
        interpret: { max: interpretedMax, hostNames: false },
        onCommit,
      });
      end({ state: signal?.aborted === true ? "cancelled" : "completed", error: null });
      return tally;
    } catch (error) {
      const problem = error instanceof NameListError ? error.problem : "could not be recorded";
      try {
        end({ state: "failed", error: problem });
      } catch (dropped) {
        // The command reports the first error.
        logDropped(log, dropped, "import.outcome_not_recorded");
      }
      throw error;
    } finally {
      // Threads drop names with the filter of the start, and the names of the last second were only in this process.
      checkAgain();
      if (tally !== undefined) {
        const { received, matched, created } = tally;
        auditLog.record(by, "feed.import", visible(name), {
          import: seq,
          source,
          received,
          matched,
          created,
        });
      }
    }
  };
}
