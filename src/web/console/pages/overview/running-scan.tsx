import type { VNode } from "preact";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import type { Scans } from "../../../../intake/scans/scans.ts";
import { Progress } from "../../kit/components.tsx";
import { fragment, type PageResult } from "../../kit/page-result.ts";
import { runningScanPath, scansPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";

export function showRunningScan({ services: { scans } }: Context<"scans">): PageResult {
  return fragment(<RunningScan scans={scans} />);
}

/** Progress of the running scan. Refreshes itself until the scan has finished. */
export function RunningScan({ scans }: { scans: Scans }): VNode {
  const progress = scans.progress();
  if (progress === undefined) return <div id="scan-now" hidden />;
  const { scan, msLeft } = progress;
  const left =
    msLeft === null ? "" : `, about ${counted(Math.max(1, Math.ceil(msLeft / 60_000)), "minute")} left`;
  return (
    <div id="scan-now" class="card stack" data-refresh={runningScanPath} data-refresh-ms="2000">
      <p>
        <a href={scansPath}>A scan is running</a>: {counted(scan.threatsFound, "threat")} found,{" "}
        {grouped(scan.threatsCreated)} new{left}
      </p>
      <Progress done={scan.candidates} total={scan.planned} label="names checked" />
    </div>
  );
}
