/** Messages between the server's thread and the thread that reads the logs. */
import type {
  CertificateLog,
  CompactRange,
  TreeHead,
} from "../../../engines/certificate-transparency/log.ts";
import type { FilterTables } from "../../../engines/detection/filter/filter-tables.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { CertificateSighting } from "../../../threats/threats/record.ts";

/** How logs are read. The same for all of them. */
export interface FollowSettings {
  catchUpMs: number;
  firstStart: "end" | "beginning";
  namesOnly: boolean;
}

/** How far a log was read. */
export interface LogProgress {
  /** Index of the next entry. */
  position: number;
  /** Range of the entries before `position`; null: they include entries that cannot be verified. */
  range: CompactRange | null;
  /** Range of the entries that agree with a signed tree head; null if there are none. */
  verified: CompactRange | null;
  /** The latest tree head that was seen. */
  head: TreeHead;
  /** A tree whose entries were not all read when its tree head was seen, and a time before which they were not published. */
  backlog: { size: number; since: Instant } | null;
  /** Entries before this index are read however old they are. */
  exemptBefore: number;
}

/** A name that passed the prefilter, with the certificate that contains it. */
export interface Candidate {
  name: string;
  /** Time that the log gave to the entry. */
  seenAt: Instant;
  certificate: CertificateSighting;
}

/** Consecutive entries of a log, and the progress after them. */
export interface Batch {
  progress: LogProgress;
  candidates: Candidate[];
  /** All names in the entries, each followed by a line feed. */
  names: Uint8Array<ArrayBuffer>;
  /** Version of the tables with which the names were screened. */
  tablesVersion: number;
  counts: BatchCounts;
  /** Time that the log gave to the last entry; null if there is none. */
  lastEntryAt: Instant | null;
}

export interface BatchCounts {
  entries: number;
  names: number;
  malformed: number;
  skipped: number;
  bytes: number;
}

export type Instruction =
  /** Sent first, and whenever the protected domains change. */
  | { do: "screen"; version: number; tables: FilterTables }
  /** Starts to follow a log from `progress`, or starts it again; null: it was never followed. */
  | { do: "follow"; log: CertificateLog; generation: number; progress: LogProgress | null }
  | { do: "unfollow"; logId: string }
  /** The oldest unacknowledged report of this log is stored. */
  | { do: "acknowledge"; logId: string; generation: number };

/** Reports of a log are stored and acknowledged in their order. */
export type LogReport =
  | { report: "batch"; batch: Batch }
  /** A tree head, for the log's lag. Not acknowledged. */
  | { report: "head"; size: number; at: Instant }
  /** Everything was read that the log has published. Not acknowledged. */
  | { report: "success" }
  /** Reading failed and is retried. Not acknowledged. */
  | { report: "failure"; message: string }
  /** The log contradicts what it signed. It is read again from the last verified position, in `progress`, after a wait. */
  | { report: "mismatch"; message: string; progress: LogProgress; retryMs: number }
  /** The log is read to its end and grows no more. Not acknowledged. */
  | { report: "end" };

export type Report = LogReport & { logId: string; generation: number };
