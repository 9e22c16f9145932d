import { describeActor, type Actor } from "../../../../access/audit/actor.ts";
import { spanText } from "../../../../platform/lib/durations.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { capitalized, counted, grouped, sentence } from "../../../../platform/lib/wording.ts";
import { type ScanProgress, hasManyUnknown } from "../../../../intake/scans/progress.ts";
import type { Scan } from "../../../../intake/scans/tables.ts";
import type { ScanStatus } from "../../../../platform/vocabulary/scans.ts";
import { Facts, Progress, Time, Note, Separated } from "../../kit/components.tsx";
import { StateMark, type Tone, Name, Text } from "../../kit/inline.tsx";
import { formatDay } from "../../kit/fields.ts";
import { PostButton } from "../../kit/form.tsx";
import { refreshing } from "../../kit/page-result.ts";
import { scanPath } from "../../kit/paths.ts";
import { createdPath, listPath } from "../../threat-kit/filters.ts";

const marks: Record<ScanStatus, { tone: Tone; label: string }> = {
  running: { tone: "live", label: "Running" },
  completed: { tone: "good", label: "Finished" },
  failed: { tone: "bad", label: "Failed" },
  cancelled: { tone: "neutral", label: "Cancelled" },
};

const errorCharactersMax = 400;

export const triggers = { schedule: "schedule", console: "console", cli: "command line" } as const;

export function ScanState({ scan }: { scan: Scan }) {
  const { status, cancelRequested } = scan;
  if (status === "running" && cancelRequested) return <StateMark tone="live">Stopping</StateMark>;
  const { tone, label } = marks[status];
  return <StateMark tone={status === "completed" && hasManyUnknown(scan) ? "warn" : tone}>{label}</StateMark>;
}

/** Why a scan found less than it should have, in a few words; undefined if it did not. */
export function scanCause(scan: Scan): string | undefined {
  const { status, error, candidates, planned } = scan;
  if (error !== null) return visible(capitalized(error), errorCharactersMax);
  if (status === "cancelled") return `${grouped(candidates)} of ${grouped(planned)} look-alikes checked`;
  return status === "completed" && hasManyUnknown(scan)
    ? `${Math.round((scan.unknown / candidates) * 100)}% without a usable DNS response`
    : undefined;
}

/** Says why a scan may have missed look-alikes, and what to do. */
export function ScanProblem({ scan }: { scan: Scan }) {
  const cause = scanCause(scan);
  if (cause === undefined || scan.status === "cancelled") return null;
  const isFailed = scan.status === "failed";
  return (
    <Note
      tone={isFailed ? "bad" : "warn"}
      title={isFailed ? "The scan failed" : "The scan may have missed look-alikes"}
    >
      {sentence(cause)} Check <code>scan.resolvers</code> in the configuration file, then start the scan
      again. <a href="/docs/sources#scans">Manual</a>
    </Note>
  );
}

/** Progress of a scan. Refreshes itself while the scan runs. */
export function ScanPanel(props: {
  scan: Scan;
  progress: ScanProgress | undefined;
  /** Whether the title links to the page of the scan. */
  linked?: boolean;
}) {
  const { scan, progress, linked = false } = props;
  const { id, status, candidates, planned, resolving, threatsFound } = scan;
  const running = status === "running";
  const title = running ? "A scan is running" : `Scan ${marks[status].label.toLowerCase()}`;
  return (
    <section
      class="card stack"
      id="scan-panel"
      aria-label="Scan progress"
      {...refreshing(running, `${scanPath(id)}/panel`, 700)}
    >
      <div class="card-head">
        <h2>{linked ? <a href={scanPath(id)}>{title}</a> : title}</h2>
        <ScanState scan={scan} />
      </div>
      {planned > 0 ? (
        <Progress done={candidates} total={planned} label="look-alikes checked" />
      ) : running ? (
        <p>Generating look-alikes and checking the resolvers.</p>
      ) : null}
      <Facts
        facts={[
          ["Domains", <ScannedDomains scan={scan} namesMax={20} />],
          running && ["Speed", speedText(progress)],
          ["Exist", counted(resolving, "look-alike")],
          [
            "Unknown",
            <>
              <UnknownCount scan={scan} /> without a usable DNS response
            </>,
          ],
          [
            "Threats",
            <>
              {threatsFound === 0 ? "none" : <a href={foundPath(scan)}>{grouped(threatsFound)} found</a>}
              {", "}
              <NewThreats scan={scan} />
            </>,
          ],
        ]}
      />
      {running && !scan.cancelRequested ? (
        <PostButton action={`${scanPath(id)}/cancel`} label="Cancel scan" variant="danger" />
      ) : null}
    </section>
  );
}

/** Number of look-alikes without a definite result, marked if it is so large that the scan may have missed some. */
function UnknownCount({ scan }: { scan: Scan }) {
  const count = grouped(scan.unknown);
  return hasManyUnknown(scan) ? <StateMark tone="warn">{count}</StateMark> : <>{count}</>;
}

function speedText(progress: ScanProgress | undefined): string {
  if (progress === undefined || progress.perSecond === null || progress.msLeft === null) return "measuring";
  return `${grouped(progress.perSecond)} a second, ${spanText(progress.msLeft)} left`;
}

export function ScannedDomains({ scan, namesMax }: { scan: Scan; namesMax: number }) {
  const { protectedDomains } = scan;
  const shown = protectedDomains.slice(0, namesMax);
  const more = protectedDomains.length - shown.length;
  return (
    <>
      <Separated items={shown}>{(domain) => <Name name={domain} />}</Separated>
      {more > 0 ? ` and ${grouped(more)} more` : null}
    </>
  );
}

export function scanDuration(scan: Scan): string {
  return scan.completedAt === null ? "–" : spanText(scan.completedAt - scan.startedAt);
}

/** Number of new threats, as a link to them. A table names the unit in the heading of the column. */
export function NewThreats(props: { scan: Scan; inTable?: boolean }) {
  const { scan, inTable = false } = props;
  const { seq, threatsCreated } = scan;
  const text = (
    <>
      {grouped(threatsCreated)}
      {inTable ? <span class="unit"> new</span> : " new"}
    </>
  );
  return threatsCreated === 0 ? (
    <span class="faint">{text}</span>
  ) : (
    <a href={createdPath({ scanSeq: seq })}>{text}</a>
  );
}

/** Returns the path of the list of threats that scans found on the days of this scan. */
function foundPath({ startedAt, completedAt, protectedDomains }: Scan): string {
  const query = new URLSearchParams({ source: "scan", status: "all", from: formatDay(startedAt) });
  if (completedAt !== null) query.set("to", formatDay(completedAt));
  if (protectedDomains.length === 1) query.set("domain", protectedDomains[0]!);
  return listPath(query);
}

/** @param by who started it; undefined if it is not known, or for a scheduled scan */
export function ScanTimes({ scan, by }: { scan: Scan; by: Actor | undefined }) {
  return (
    <Facts
      facts={[
        ["Started", <Time at={scan.startedAt} />],
        ["Trigger", triggers[scan.trigger]],
        by !== undefined && ["Started by", <Text text={describeActor(by)} />],
        ["Finished", scan.completedAt === null ? "still running" : <Time at={scan.completedAt} />],
        ["Duration", scanDuration(scan)],
        ["ID", <code>{scan.id}</code>],
      ]}
    />
  );
}
