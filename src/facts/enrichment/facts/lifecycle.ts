import type { Instant } from "../../../platform/lib/clock.ts";
import type { Origins } from "../../../threats/threats/store/origins.ts";
import type { Threat } from "../../../threats/threats/store/queries.ts";
import type { DatedChange } from "../../../threats/threats/triage/history.ts";
import { severities } from "../../../platform/vocabulary/threats.ts";
import { mailServersOf, type Facts } from "./facts.ts";

export type LifecycleEvent =
  | "registered"
  | "certificate"
  | "first_seen"
  | "page_up"
  | "mail_server"
  | "severity_raised"
  | "reported"
  | "reported_again"
  | "decided"
  | "down"
  | "back";

export interface LifecycleStep {
  event: LifecycleEvent;
  at: Instant;
}

/** The life of a threat as far as it is on record, in the order of time. Events without a known time are left out. */
export interface Lifecycle {
  steps: LifecycleStep[];
  /** The page is up and the threat active, so it is yet to go down. */
  isOpen: boolean;
}

/** First digit of the status of a page that was served, as `changesBetween` records it. */
const servedPage = /^[23]/;

interface LifecycleOfOptions {
  threat: Pick<Threat, "firstSeen" | "status" | "statusChangedAt" | "decidedAt">;
  facts: Facts | undefined;
  /** Newest first. */
  history: readonly DatedChange[];
  origins: Pick<Origins, "certificates">;
  /** Times of the reports to those who can take it down, oldest first. The first and the last one are shown. */
  reportedAt: readonly Instant[];
}

export function lifecycleOf({ threat, facts, history, origins, reportedAt }: LifecycleOfOptions): Lifecycle {
  const oldestFirst = history.toReversed();
  const firstChange = (field: string, is: (change: DatedChange) => boolean) =>
    oldestFirst.find((change) => change.field === field && is(change))?.at;
  const site = facts?.site;
  const pageUp = earliest([
    site?.upAt,
    firstChange("page", ({ after }) => after !== null && servedPage.test(after)),
  ]);
  const hasMail = facts !== undefined && mailServersOf(facts).length > 0;
  const decided = threat.status === "active" ? undefined : threat.statusChangedAt;
  const found: [LifecycleEvent, Instant | undefined][] = [
    ["registered", instantOf(facts?.registration?.created_at)],
    ["certificate", firstCertificate(facts, origins)],
    ["first_seen", threat.firstSeen],
    ["page_up", pageUp],
    [
      "mail_server",
      hasMail
        ? firstChange("mail servers", ({ before, after }) => before === null && after !== null)
        : undefined,
    ],
    ["severity_raised", history.find(isRise)?.at],
    ["reported", reportedAt[0]],
    ["reported_again", reportedAt.length > 1 ? reportedAt.at(-1) : undefined],
    ["decided", decided],
    ["down", site?.downAt],
    ["back", site?.backAt],
  ];
  const steps = found.flatMap(([event, at]) => (at === undefined ? [] : [{ event, at }]));
  const isDown = site?.downAt !== undefined && site.backAt === undefined;
  return {
    // Stable: events of the same moment keep the order above.
    steps: steps.toSorted((a, b) => a.at - b.at),
    isOpen: threat.status === "active" && facts?.page !== undefined && pageUp !== undefined && !isDown,
  };
}

function isRise({ field, before, after }: DatedChange): boolean {
  const rank = (text: string | null) => severities.findIndex((severity) => severity === text);
  // From the most severe one on.
  return field === "severity" && rank(after) !== -1 && rank(after) < rank(before);
}

/** Returns when the first known certificate of the name became valid. */
function firstCertificate(facts: Facts | undefined, { certificates }: Pick<Origins, "certificates">) {
  return earliest([
    ...certificates.map(({ notBefore, seenAt }) => notBefore ?? seenAt),
    instantOf(facts?.page?.certificate?.notBefore),
  ]);
}

function earliest(times: readonly (Instant | undefined)[]): Instant | undefined {
  const known = times.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Registries and servers write what they want. */
function instantOf(isoTime: string | undefined): Instant | undefined {
  const at = isoTime === undefined ? Number.NaN : Date.parse(isoTime);
  return Number.isNaN(at) ? undefined : at;
}
