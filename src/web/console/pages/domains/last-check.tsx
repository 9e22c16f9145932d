import type { Instant } from "../../../../platform/lib/clock.ts";
import { lazy } from "../../../../platform/lib/startup.ts";
import type { Scan } from "../../../../intake/scans/tables.ts";
import { Time } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import type { Context } from "../../shell/router.ts";

/** Number of latest scans among which that of a domain is searched. */
const scansSearchedMax = 50;

/** When a domain was last checked, by a scan or against the archive. */
export interface LastCheck {
  /** Null: not yet. */
  at: Instant | null;
  /** A check in progress; its done share in percent. */
  running: { what: string; percent: number } | undefined;
  /** The archive is about to be checked, or is checked again after an error. */
  waiting: "waiting" | "failed" | undefined;
}

/** Returns a function that finds the last check of a protected domain. */
export function readLastChecks({
  archiveChecks,
  scans,
}: Context<"archiveChecks" | "scans">["services"]): (domain: string) => LastCheck {
  const checks = new Map(archiveChecks.list().map((check) => [check.domain, check]));
  const known = knownScans(scans).map((scan) => ({
    scan,
    domains: lazy(() => new Set(scan.protectedDomains)),
  }));
  return (domain) => {
    const check = checks.get(domain);
    const scan = known.find(({ domains }) => domains().has(domain))?.scan;
    const ended = [check?.completedAt ?? null, scan?.completedAt ?? null].flatMap((at) => at ?? []);
    return {
      at: ended.length === 0 ? null : Math.max(...ended),
      running:
        check?.state === "running"
          ? { what: "names seen before", percent: percentOf(check.namesChecked, check.namesTotal) }
          : scan?.status === "running"
            ? { what: "scan", percent: percentOf(scan.candidates, scan.planned) }
            : undefined,
      waiting: check?.state === "waiting" || check?.state === "failed" ? check.state : undefined,
    };
  };
}

/** The last check of a domain, for a row. */
export function CheckState({ checked: { at, running, waiting } }: { checked: LastCheck }) {
  if (running !== undefined)
    return (
      <StateMark tone="live">
        {running.what} {running.percent} %
      </StateMark>
    );
  if (waiting !== undefined)
    return <StateMark tone={waiting === "failed" ? "warn" : "live"}>check {waiting}</StateMark>;
  return at === null ? <span class="faint">not yet</span> : <Time at={at} relative />;
}

function percentOf(done: number, total: number): number {
  return Math.floor((100 * Math.min(done, total)) / Math.max(total, 1));
}

/** Returns the latest scans, newest first; a running one is first, with its progress. */
export function knownScans(scans: Context<"scans">["services"]["scans"]): Scan[] {
  const current = scans.progress()?.scan;
  return [...(current === undefined ? [] : [current]), ...scans.list(scansSearchedMax)];
}
