import type { Needs } from "../../access/audit/needs.ts";
import type { NetworkNeeds } from "../../platform/network/http/needs.ts";
import type { StartWorker } from "../../platform/vocabulary/threads.ts";
import type { ThreatSource } from "../../platform/vocabulary/threats.ts";
import type { ProtectedDomains } from "../../threats/domains/domains.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import type { CandidateOptions } from "./candidate-run.ts";
import type { Candidates } from "./candidates.ts";
import type { SourcePauses, SourcePausing } from "./pauses/source-pauses.ts";

/** Returns what queues the addresses of a feed for inspection; undefined if it does not want that. */
export type InspectFeed = (
  feed: { name: string; inspect: boolean },
  source: ThreatSource,
) => CandidateOptions["inspect"];

interface SourceDependencies
  extends
    Needs<"auditLog" | "clock" | "database" | "fillRandom" | "log" | "yielder">,
    NetworkNeeds<"client" | "resolveHost" | "turns" | "userAgent"> {
  candidates: Candidates;
  domains: ProtectedDomains;
  inspectFeed: InspectFeed;
  pauses: SourcePauses;
  /** Pauses of one source. */
  pausing: SourcePausing;
  /** Starts a thread; undefined: this thread does the work, between other work. */
  startWorker: StartWorker | undefined;
  threats: Threats;
}

/** Types of the dependencies that a source names. */
export type SourceNeeds<Name extends keyof SourceDependencies> = Pick<SourceDependencies, Name>;

/** Dependencies of the feeds of all types. */
export type FeedDependencies = Omit<
  SourceDependencies,
  "auditLog" | "client" | "domains" | "pausing" | "startWorker" | "threats"
>;
