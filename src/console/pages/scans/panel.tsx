import { spanText } from "../../../lib/durations.ts";
import { visible } from "../../../lib/safe-text.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import type { ScanProgress } from "../../../scans/progress.ts";
import { hasManyUnknown } from "../../../scans/unknown-share.ts";
import type { Scan } from "../../../scans/tables.ts";
import type { ScanStatus } from "../../../vocabulary/scans.ts";
import { Facts, Progress, Time } from "../../kit/components.tsx";
import { StateMark, type Tone } from "../../kit/marks.tsx";
import { formatDay } from "../../kit/fields.ts";
import { PostButton } from "../../kit/form.tsx";
import { Name } from "../../kit/name.tsx";
import { scanPath } from "../../kit/paths.ts";
import { createdPath, listPath } from "../../threat-kit/filters.ts";

const tones: Record<ScanStatus, Tone> = {
  running: "warn",
  completed: "good",
  failed: "bad",
  cancelled: "neutral",
};

export const triggers = { schedule: "schedule", console: "console", cli: "command line" } as const;

export function ScanState({ scan: { status, cancelRequested } }: { scan: Scan }) {
  const isStopping = status === "running" && cancelRequested;
  return <StateMark tone={tones[status]}>{isStopping ? "stopping" : status}</StateMark>;
}

/** Progress of a scan. Refreshes itself while the scan runs. */
export function ScanPanel({
  scan,
  progress,
  linked = false,
}: {
  scan: Scan;
  progress: ScanProgress | undefined;
  /** Whether the title links to the page of the scan. */
  linked?: boolean;
}) {
  const { id, status, candidates, planned, resolving, threatsFound, error } = scan;
  const running = status === "running";
  const title = running ? "A scan is running" : "Scan finished";
  const refresh = running ? { "data-refresh": `${scanPath(id)}/panel`, "data-refresh-ms": "700" } : {};
  return (
    <section class="card panel" id="scan-panel" aria-label="Scan progress" {...refresh}>
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
          ...(running ? [["Speed", speedText(progress)] as const] : []),
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
              {grouped(threatsFound)} found, <NewThreats scan={scan} />
              {threatsFound > 0 ? (
                <>
                  {" · "}
                  <a href={foundPath(scan)}>view threats</a>
                </>
              ) : null}
            </>,
          ],
          ...(error === null ? [] : [["Error", visible(error, 400)] as const]),
        ]}
      />
      {running && !scan.cancelRequested ? (
        <PostButton action={`${scanPath(id)}/cancel`} label="Cancel scan" variant="danger" />
      ) : null}
    </section>
  );
}

/** Number of look-alikes without a definite result, marked if it is so large that the scan may have missed some. */
export function UnknownCount({ scan }: { scan: Scan }) {
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
      {shown.map((domain, index) => (
        <>
          {index === 0 ? null : ", "}
          <Name name={domain} />
        </>
      ))}
      {more > 0 ? ` and ${grouped(more)} more` : null}
    </>
  );
}

export function scanDuration(scan: Scan): string {
  return scan.completedAt === null ? "–" : spanText(scan.completedAt - scan.startedAt);
}

/** Number of new threats, as a link to them. */
function NewThreats({ scan: { seq, threatsCreated } }: { scan: Scan }) {
  const text = <strong>{grouped(threatsCreated)} new</strong>;
  return threatsCreated === 0 ? text : <a href={createdPath({ scanSeq: seq })}>{text}</a>;
}

/** Returns the path of the list of threats that scans found on the days of this scan. */
function foundPath({ startedAt, completedAt, protectedDomains }: Scan): string {
  const query = new URLSearchParams({ source: "scan", status: "all", from: formatDay(startedAt) });
  if (completedAt !== null) query.set("to", formatDay(completedAt));
  if (protectedDomains.length === 1) query.set("domain", protectedDomains[0]!);
  return listPath(query);
}

export function ScanTimes({ scan }: { scan: Scan }) {
  return (
    <Facts
      facts={[
        ["Started", <Time at={scan.startedAt} />],
        ["Trigger", triggers[scan.trigger]],
        ["Finished", scan.completedAt === null ? "still running" : <Time at={scan.completedAt} />],
        ["Duration", scanDuration(scan)],
        ["ID", <code>{scan.id}</code>],
      ]}
    />
  );
}
