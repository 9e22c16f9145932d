import type { VNode } from "preact";
import { nextTime } from "../../../lib/schedule.ts";
import { visible } from "../../../lib/safe-text.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import type { Scan } from "../../../scans/tables.ts";
import type { ArchiveCheckStatus } from "../../../sources/archive-checks/archive-checks.ts";
import { Facts, Progress, Time } from "../../kit/components.tsx";
import { StateMark, type Tone } from "../../kit/marks.tsx";
import { domainPath, scanPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { listPath } from "../../threat-kit/filters.ts";

/** Services that know what is in progress for a domain. */
export type CheckServices = "archiveChecks" | "config" | "scans";

/** Number of latest scans among which that of a domain is searched. */
const scansSearchedMax = 50;

const tones: Record<ArchiveCheckStatus["state"], Tone> = {
  waiting: "neutral",
  running: "warn",
  completed: "good",
  failed: "bad",
};

export interface ThreatCounts {
  all: number;
  active: number;
}

/** Reports what is checked for a domain, and what was found. Refreshes itself while something is in progress. */
export function ChecksPanel({
  context: { services, now },
  domain,
  counts,
}: {
  context: Pick<Context<CheckServices>, "services" | "now">;
  domain: string;
  counts: ThreatCounts;
}): VNode {
  const check = services.archiveChecks.find(domain);
  const scan = latestScan(services, domain);
  const isActive = isInProgress(check) || scan?.status === "running";
  const refresh = isActive
    ? { "data-refresh": `${domainPath(domain)}/checks`, "data-refresh-ms": "1000" }
    : {};
  return (
    <section class="card panel" id="domain-checks" aria-label="Checks" {...refresh}>
      <Facts
        facts={[
          ["Names seen before", <ArchiveCheck check={check} />],
          ["Generated look-alikes", <LookAlikeScan scan={scan} services={services} now={now} />],
          // Here, because a check that is in progress changes them.
          ["Threats", <ThreatLinks domain={domain} counts={counts} />],
        ]}
      />
    </section>
  );
}

/** Numbers of threats of a domain, with links to them. */
export function ThreatLinks({ domain, counts }: { domain: string; counts: ThreatCounts }) {
  const ofDomain = new URLSearchParams({ domain });
  return (
    <>
      <a href={listPath(ofDomain)}>{grouped(counts.active)} active</a>,{" "}
      <a href={listPath(ofDomain, { status: "all" })}>{grouped(counts.all)} total</a>
    </>
  );
}

/** Says in the list of domains that names seen before are still being checked. */
export function CheckBadge({ check }: { check: ArchiveCheckStatus | undefined }) {
  if (!isInProgress(check)) return null;
  const { namesChecked, namesTotal, state } = check;
  if (state !== "running") return <StateMark tone={tones[state]}>check {state}</StateMark>;
  const percent = Math.floor((100 * Math.min(namesChecked, namesTotal)) / Math.max(namesTotal, 1));
  return <StateMark tone="warn">checking names seen before: {percent} %</StateMark>;
}

function isInProgress(check: ArchiveCheckStatus | undefined): check is ArchiveCheckStatus {
  return check !== undefined && check.state !== "completed";
}

function latestScan({ scans }: Context<"scans">["services"], domain: string): Scan | undefined {
  const current = scans.progress()?.scan;
  const all = current === undefined ? [] : [current];
  return [...all, ...scans.list(scansSearchedMax)].find(({ protectedDomains }) =>
    protectedDomains.includes(domain),
  );
}

function ArchiveCheck({ check }: { check: ArchiveCheckStatus | undefined }) {
  if (check === undefined)
    return (
      <>
        not checked, because the archive is disabled (<code>archive.enabled</code>)
      </>
    );
  const { state, namesTotal, namesChecked, completedAt, error } = check;
  if (state === "completed" && completedAt !== null)
    return namesTotal === 0 ? (
      <>none; new names are checked as they arrive</>
    ) : (
      <>
        {counted(namesChecked, "name")} checked <Time at={completedAt} relative />: {foundText(check)}
      </>
    );
  return (
    <>
      <StateMark tone={tones[state]}>{state}</StateMark>{" "}
      {state === "failed" ? <>It is retried automatically. {visible(error ?? "", 300)}</> : null}
      {namesTotal > 0 ? (
        <>
          <Progress done={namesChecked} total={namesTotal} label="names checked" />
          {foundText(check)} so far
        </>
      ) : null}
    </>
  );
}

function foundText({ found, created }: ArchiveCheckStatus): string {
  return `${counted(found, "threat")} found, ${grouped(created)} new`;
}

function LookAlikeScan({
  scan,
  services,
  now,
}: {
  scan: Scan | undefined;
  services: Context<"config">["services"];
  now: number;
}) {
  if (scan === undefined) {
    const { schedule } = services.config.scan;
    const next = schedule === null ? null : nextTime(schedule, now);
    if (next === null) return <>not scanned yet; no scan is scheduled</>;
    return (
      <>
        not scanned yet; the next scan starts <Time at={next} relative="next" />
      </>
    );
  }
  const { status, candidates, planned, completedAt, protectedDomains, threatsFound, threatsCreated } = scan;
  const found = `${counted(threatsFound, "threat")} found, ${grouped(threatsCreated)} new`;
  const others = protectedDomains.length - 1;
  const scope = others === 0 ? "" : ` with ${counted(others, "other domain")}`;
  return (
    <>
      <a href={scanPath(scan.id)}>scan{scope}</a>{" "}
      {status === "running" ? (
        <>
          <StateMark tone="warn">running</StateMark>
          <Progress done={candidates} total={planned} label="look-alikes checked" />
          {found} so far
        </>
      ) : (
        <>
          {status} <Time at={completedAt ?? scan.startedAt} relative />: {found}
        </>
      )}
    </>
  );
}
