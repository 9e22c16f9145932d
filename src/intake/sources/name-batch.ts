import type { NameRanges } from "../../engines/detection/filter/encoded-text.ts";
import type { Matcher } from "../../engines/detection/match/matcher.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { CertificateSighting } from "../../threats/threats/record.ts";
import type { EntryForm } from "../../platform/vocabulary/lists.ts";
import type { ThreatSource } from "../../platform/vocabulary/threats.ts";

/**
 * Some names of a source, in the order in which they arrived. `Position` belongs to the source: the code that
 * processes the names passes positions back and never reads them.
 */
export interface NameBatch<Position> {
  /** Number of entries. */
  readonly count: number;
  /** Names between the entries that a prefilter has dropped. They are counted, and match nothing. */
  readonly dropped: number;
  /** Position after all entries. */
  readonly end: Position;
  /** The source that saw the names, and the day (UTC), if they differ from the options of the run. */
  readonly seen?: { source: ThreatSource; day: Instant };
  /** Returns an entry's name as it arrived. */
  name(index: number): string;
  /** Returns the link whose host the name is, as it arrived; undefined or absent: the name came without one. */
  link?(index: number): string | undefined;
  /** Returns in which form the name was found; undefined or absent: its text says it. */
  form?(index: number): EntryForm | undefined;
  /** Returns the certificate that contains the name; undefined or absent: none is known. */
  certificate?(index: number): CertificateSighting | undefined;
  /** Returns why an entry holds no name, with its text; undefined for an entry that may hold one. */
  error(index: number): InvalidEntry | undefined;
  /** Number that identifies an entry to people, such as its line in a list. From 1. */
  line(index: number): number;
  /** Prefilter: false only if the matcher finds nothing in the entry. */
  mayMatch(index: number, matcher: Pick<Matcher, "screenNames">): boolean;
  /**
   * Returns all names as they arrived, also those that the prefilter has dropped, each followed by a line feed: what the
   * archive stores. Other text may be among them. Valid until the next batch is requested. Null if the names need not
   * be stored.
   */
  names(): Uint8Array | null;
  /** Returns the position from which reading resumes once this entry and all before it are processed. */
  positionAfter(index: number): Position;
}

export interface InvalidEntry {
  text: string;
  why: string;
}

/** Returns `NameBatch.mayMatch` for the first `count` names: the first call screens all of them at once. */
export function screenOnce(names: NameRanges, count: number): NameBatch<unknown>["mayMatch"] {
  let screenedBy: Pick<Matcher, "screenNames"> | undefined;
  let passed: Uint8Array;
  return (index, matcher) => {
    if (matcher !== screenedBy) passed = matcher.screenNames(names, 0, count).slice(0, count);
    screenedBy = matcher;
    return passed[index] === 1;
  };
}
