import { notFound } from "../../../../platform/lib/errors.ts";
import type { Scan } from "../../../../intake/scans/tables.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import { Card, LinkButton, PageHead } from "../../kit/components.tsx";
import { fragment, page, redirect, type PageResult } from "../../kit/page-result.ts";
import { scanPath, scansPath } from "../../kit/paths.ts";
import { createdPath } from "../../threat-kit/filters.ts";
import type { Context } from "../../shell/router.ts";
import { ScannedDomains, ScanPanel, ScanProblem, ScanTimes } from "./panel.tsx";

function findScan({ services, params }: Context<"scans">): Scan {
  const scan = services.scans.get(params["id"]!);
  if (scan === undefined) throw notFound("There is no scan with this ID.");
  return scan;
}

/** Renders the live progress of a running scan: its row in the table lags behind. */
function panelOf(context: Context<"scans">) {
  const progress = context.services.scans.progress();
  const scan = findScan(context);
  const own = progress?.scan.id === scan.id ? progress : undefined;
  return <ScanPanel scan={own?.scan ?? scan} progress={own} />;
}

export function showScan(context: Context<"auditLog" | "scans">): PageResult {
  const scan = findScan(context);
  const by = context.services.auditLog.actorOf("scan.start", { subject: scan.id });
  return page(
    "Scan",
    <>
      <PageHead
        title={
          <>
            Scan of <ScannedDomains scan={scan} namesMax={3} />
          </>
        }
        crumbs={[{ label: "Scans", path: scansPath }]}
      >
        {scan.threatsCreated === 0 ? undefined : (
          <LinkButton
            path={createdPath({ scanSeq: scan.seq })}
            label={`Show ${counted(scan.threatsCreated, "new threat")}`}
            variant="primary"
          />
        )}
      </PageHead>
      <ScanProblem scan={scan} />
      {panelOf(context)}
      <Card title="Details">
        <ScanTimes scan={scan} by={by} />
      </Card>
    </>,
  );
}

export function showPanel(context: Context<"scans">): PageResult {
  return fragment(panelOf(context));
}

export async function cancelScan(context: Context<"scans">): Promise<PageResult> {
  const { id } = findScan(context);
  const { services, by } = context;
  if (!(await context.write(() => services.scans.cancel(id, { by }))))
    return redirect(scanPath(id), { tone: "warning", text: "The scan had already finished." });
  return redirect(scanPath(id), "The scan stops within a second. Its results are kept.");
}
