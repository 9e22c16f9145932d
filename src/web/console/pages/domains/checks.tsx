import type { ComponentChildren, VNode } from "preact";
import { nextTime } from "../../../../platform/lib/schedule.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import type { Scan } from "../../../../intake/scans/tables.ts";
import type { ArchiveCheckStatus } from "../../../../intake/sources/archive-checks/archive-checks.ts";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { lazy } from "../../../../platform/lib/startup.ts";
import { Progress, Time } from "../../kit/components.tsx";
import { Icon, type IconName, StateMark } from "../../kit/inline.tsx";
import { domainPath, scanPath, sourcesPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { createdPath, listPath } from "../../threat-kit/filters.ts";
import { threatCounts } from "../../threat-kit/domains.ts";

/** Services that know what is in progress for a domain. */
export type CheckServices = "archiveChecks" | "config" | "scans" | "sources" | "threats";

/** Checks of one domain. */
export interface DomainChecks {
  domain: string;
  /** Undefined: the archive is disabled. */
  archive: ArchiveCheckStatus | undefined;
  /** The latest scan that included the domain. */
  scan: Scan | undefined;
  nextScan: Instant | null;
  /** Number of sources that deliver names, paused ones excluded, and when the latest did. */
  sources: { total: number; latestAt: Instant | null };
  /** Number of feeds, whose files can be read again. */
  feeds: number;
  /** Threats to the domain. */
  threats: { all: number; active: number };
}

export function readChecks(
  { services, now }: Pick<Context<CheckServices>, "services" | "now">,
  domain: string,
): DomainChecks {
  const { archiveChecks, config, scans, sources } = services;
  // Imports are read once, and are nothing to wait for.
  const declared = sources.filter(({ declaredAs }) => declaredAs !== null);
  const reading = declared.filter(({ pausing }) => (pausing?.current() ?? null) === null);
  const latest = reading.flatMap((source) => {
    const { lastReadAt, latest: newest } = source.status();
    return lastReadAt ?? newest?.at ?? [];
  });
  const { schedule } = config.scan;
  return {
    domain,
    archive: archiveChecks.find(domain),
    scan: knownScans(scans).find(({ protectedDomains }) => protectedDomains.includes(domain)),
    nextScan: schedule === null ? null : nextTime(schedule, now),
    sources: { total: reading.length, latestAt: latest.length === 0 ? null : Math.max(...latest) },
    feeds: sources.filter(({ kind }) => kind === "feed").length,
    threats: threatCounts(services, domain),
  };
}

/** Returns whether a check is running or about to run. */
export function isInProgress({ archive, scan }: DomainChecks): boolean {
  return (archive !== undefined && archive.state !== "completed") || scan?.status === "running";
}

/** Reports what is and was checked for a domain, and what was found. Refreshes itself while something is in progress. */
export function ChecksCard(props: {
  checks: DomainChecks;
  /** Whether it counts the threats, because the rest of the page does not follow the checks. */
  withThreats: boolean;
}): VNode {
  const { checks, withThreats } = props;
  const inProgress = isInProgress(checks);
  const refresh = inProgress
    ? { "data-refresh": `${domainPath(checks.domain)}/checks`, "data-refresh-ms": "1000" }
    : {};
  return (
    <section class="card flush" id="domain-checks" {...refresh}>
      <header>
        <h2>{inProgress ? "Checks in progress" : "What was checked"}</h2>
      </header>
      <ul class="todo">
        <ArchiveItem checks={checks} />
        <ScanItem checks={checks} />
        <SourcesItem checks={checks} />
        {withThreats && checks.threats.all > 0 ? <ThreatsItem checks={checks} /> : null}
      </ul>
    </section>
  );
}

function Item(props: {
  icon: IconName;
  tone?: "bad" | "warn";
  title: ComponentChildren;
  children: ComponentChildren;
}) {
  const { icon, tone, title, children } = props;
  return (
    <li class="check-item">
      <span class={tone}>
        <Icon name={icon} />
      </span>
      <div>
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  );
}

function ArchiveItem({ checks: { domain, archive, feeds } }: { checks: DomainChecks }) {
  const title = "Names seen before";
  if (archive === undefined)
    return (
      <Item icon="not" title={title}>
        <p>
          Not checked, because the archive is disabled (<code>archive.enabled</code>).
          {feeds === 0 ? null : (
            <>
              {" "}
              <a href={sourcesPath}>Read feed files again</a> to check their names for this domain.
            </>
          )}
        </p>
      </Item>
    );
  const { state, namesTotal, namesChecked, completedAt, error } = archive;
  if (state === "completed" && completedAt !== null)
    return (
      <Item icon="ok" title={title}>
        {namesTotal === 0 ? (
          <p>There were none. New names are checked as they arrive.</p>
        ) : (
          <p>
            {counted(namesChecked, "name")} checked <Time at={completedAt} relative />.{" "}
            <Found domain={domain} run={archive} />
          </p>
        )}
      </Item>
    );
  return (
    <Item
      icon={state === "failed" ? "warn" : "clock"}
      tone={state === "failed" ? "warn" : undefined}
      title={title}
    >
      <p>
        {state === "failed"
          ? `The check failed and is retried automatically. ${visible(error ?? "", 300)}`
          : state === "waiting"
            ? "The check of all names from feeds, certificate logs and imports begins in a moment."
            : null}
      </p>
      {namesTotal === 0 ? null : (
        <>
          <Progress done={namesChecked} total={namesTotal} label="names checked" />
          <p>
            <Found domain={domain} run={archive} soFar />
          </p>
        </>
      )}
    </Item>
  );
}

function ScanItem({ checks: { scan, nextScan } }: { checks: DomainChecks }) {
  const title = "Generated look-alikes";
  if (scan === undefined)
    return (
      <Item icon="not" title={title}>
        <p>
          Not scanned yet.{" "}
          {nextScan === null ? (
            "No scan is scheduled."
          ) : (
            <>
              The next scan starts <Time at={nextScan} relative="next" />.
            </>
          )}
        </p>
      </Item>
    );
  const { status, candidates, planned, resolving, unknown, error, protectedDomains } = scan;
  const others = protectedDomains.length - 1;
  const scope = others === 0 ? "" : ` with ${counted(others, "other domain")}`;
  if (status === "running")
    return (
      <Item icon="clock" title={title}>
        <Progress done={candidates} total={planned} label="look-alikes resolved" />
        <p>
          {grouped(resolving)} exist. <ScanFound scan={scan} soFar />{" "}
          <a href={scanPath(scan.id)}>Scan{scope}</a>
        </p>
      </Item>
    );
  return (
    <Item
      icon={status === "completed" ? "ok" : "warn"}
      tone={status === "completed" ? undefined : "warn"}
      title={title}
    >
      <p>
        <a href={scanPath(scan.id)}>
          Scan{scope} {status}
        </a>{" "}
        <Time at={scan.completedAt ?? scan.startedAt} relative />: {grouped(planned)} generated,{" "}
        {grouped(candidates)} resolved, {grouped(resolving)} exist
        {unknown === 0 ? "" : `, ${grouped(unknown)} unknown`}. <ScanFound scan={scan} />
        {status === "failed" && error !== null ? <> {visible(error, 300)}</> : null}
      </p>
    </Item>
  );
}

function ScanFound({ scan, soFar = false }: { scan: Scan; soFar?: boolean }) {
  const { threatsFound, threatsCreated } = scan;
  const text = `${counted(threatsFound, "threat")} found${soFar ? " so far" : ""}`;
  return (
    <>
      {text},{" "}
      {threatsCreated === 0 ? (
        "none new."
      ) : (
        <>
          <a href={createdPath({ scanSeq: scan.seq })}>{grouped(threatsCreated)} new</a>.
        </>
      )}
    </>
  );
}

function Found(props: {
  domain: string;
  run: Pick<ArchiveCheckStatus, "found" | "created">;
  soFar?: boolean;
}) {
  const { domain, run, soFar = false } = props;
  const { found, created } = run;
  const text = `${counted(found, "threat")} found${soFar ? " so far" : ""}, ${grouped(created)} new`;
  if (found === 0) return <>{text}.</>;
  return (
    <>
      <a href={listPath(new URLSearchParams({ status: "all", domain }))}>{text}</a>.
    </>
  );
}

function ThreatsItem({ checks: { domain, threats } }: { checks: DomainChecks }) {
  const ofDomain = new URLSearchParams({ domain });
  return (
    <Item icon="threat" title="Threats">
      <p>
        <a href={listPath(ofDomain)}>{grouped(threats.active)} to decide</a>,{" "}
        <a href={listPath(ofDomain, { status: "all" })}>{grouped(threats.all)} in total</a>
      </p>
    </Item>
  );
}

function SourcesItem({ checks: { sources } }: { checks: DomainChecks }) {
  const { total, latestAt } = sources;
  return (
    <Item icon={total === 0 ? "not" : "source"} title="New names">
      <p>
        {total === 0 ? (
          <>
            No source delivers names. <a href={sourcesPath}>Add one</a>
          </>
        ) : (
          <>
            Names from <a href={sourcesPath}>{counted(total, "source")}</a> are checked as they arrive
            {latestAt === null ? (
              "."
            ) : (
              <>
                ; the latest arrived <Time at={latestAt} relative />.
              </>
            )}
          </>
        )}
      </p>
    </Item>
  );
}

/** Number of latest scans that are searched for a domain. */
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
function knownScans(scans: Context<"scans">["services"]["scans"]): Scan[] {
  const current = scans.progress()?.scan;
  return [...(current === undefined ? [] : [current]), ...scans.list(scansSearchedMax)];
}
