import type { Instant } from "../../platform/lib/clock.ts";
import { spanText } from "../../platform/lib/durations.ts";
import type { SourcePausing } from "./pauses/source-pauses.ts";

/**
 * An origin of domain names that runs inside the appliance: a watched folder, an upload, a certificate log.
 *
 * To add one, write a folder below `sources/` and add its sources to the list in `all/open-sources.ts`. A source passes
 * its names to `Candidates.process()`, and stores the position that it gets back in its own table, in the transaction
 * that records the threats. Nothing else knows what a position is. The list of sources in the console, `phishwatch check`,
 * startup and shutdown use this interface only.
 */
export interface Source {
  /** Unique among the sources of its kind. */
  readonly name: string;
  readonly kind: SourceKind;
  /** How it is declared in the configuration file, such as `[[feeds]]`; null if it is not declared there. */
  readonly declaredAs: string | null;
  /** Pauses and resumes it; null if there is nothing to pause. A paused source has the state `paused`. */
  readonly pausing: SourcePausing | null;
  status(): SourceStatus;
  /** Tests whether names can be read, without recording any; null if there is nothing to test. */
  check(): Promise<SourceCheck | null>;
  start(): void;
  /** Stops at the next yield. Everything up to the last recorded position is kept. */
  stop(): Promise<void>;
}

/** Kind of a source, as text for people: `feed`, `import`. */
export type SourceKind = string;

/** Returns what a source is called in a sentence: `feed nrd`. The only source of its kind may be called like the kind. */
export function nameOfSource({ kind, name }: Pick<Source, "kind" | "name">): string {
  return kind === name ? kind : `${kind} ${name}`;
}

/** Kind of everything that is declared as `[[feeds]]`. */
export const feedKind: SourceKind = "feed";

export interface SourceStatus {
  name: string;
  /** Where the names come from: a path or URL. */
  location: string;
  /** `waiting`: not checked yet. `unavailable`: nothing can be read at the location. */
  state: "waiting" | "watching" | "reading" | "unavailable" | "paused";
  /** Why nothing can be read, or what is wrong with the part that was read last. */
  problem: string | null;
  /** Set if nothing new has arrived for much longer than usual. */
  overdue: Overdue | null;
  /** The newest part (file, batch) that has arrived. */
  latest: { name: string; at: Instant } | null;
  /** When a part was last read to its end; null if never, or if a long silence is normal. */
  lastReadAt: Instant | null;
  /** Amounts read so far, such as 3 files and 1,200 lines. The unit is a singular noun. */
  amounts: readonly { count: number; unit: string }[];
  invalid: number;
  matched: number;
  /** Threats that were not on record before. */
  created: number;
}

/** Returns whether a source reads less than it should: it has a problem, is overdue or paused. */
export function needsAttention({ state, problem, overdue }: SourceStatus): boolean {
  return state === "unavailable" || state === "paused" || problem !== null || overdue !== null;
}

/** Result of a check: `warning` works but deserves attention. */
export interface SourceCheck {
  level: "ok" | "warning" | "error";
  detail: string;
}

/** A source from which something new should have arrived long ago. */
export interface Overdue {
  /** Usual time between arrivals. */
  usualMs: number;
  /** Time since the last arrival. */
  sinceMs: number;
}

export function describeOverdue({ usualMs, sinceMs }: Overdue): string {
  return `nothing new for ${spanText(sinceMs)}; usually something arrives every ${spanText(usualMs)}`;
}
