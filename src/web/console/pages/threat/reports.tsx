import type { ListedReport } from "../../../../response/cases/takedowns/lists.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import { Card, LinkButton, Time } from "../../kit/components.tsx";
import { newReportPath, takedownPath } from "../../kit/paths.ts";
import { DeliveryMark, NextMark, purposeLabels, RecipientName } from "../takedowns/parts.tsx";

/** Reports beyond these are folded, so that what follows stays in view. */
const shownMax = 5;

/** The reports of a threat, newest first, and the way to a new one. */
export function Reports({ reports, threatId }: { reports: readonly ListedReport[]; threatId: string }) {
  const newest = reports.toReversed();
  return (
    <Card
      title="Reports"
      id="report"
      aside={<LinkButton path={newReportPath([threatId])} label="Report" icon="send" small />}
    >
      {reports.length === 0 ? (
        <p class="quiet">
          Not reported yet. A report goes to the registrar, the hosting provider or others who can take the
          site down, with the evidence.
        </p>
      ) : (
        <>
          <ReportList reports={newest.slice(0, shownMax)} />
          {newest.length <= shownMax ? null : (
            <details class="more">
              <summary>{counted(newest.length - shownMax, "earlier report")}</summary>
              <ReportList reports={newest.slice(shownMax)} />
            </details>
          )}
        </>
      )}
    </Card>
  );
}

function ReportList({ reports }: { reports: readonly ListedReport[] }) {
  return (
    <ul class="stack gap-s">
      {reports.map(({ next, report }) => (
        <li>
          <div class="line">
            <span>
              <a href={takedownPath(report.seq)}>{purposeLabels[report.purpose]}</a> to{" "}
              <RecipientName recipient={report.recipient} />
            </span>
            <NextMark next={next} />
          </div>
          <p class="line s quiet">
            <Time at={report.createdAt} relative />
            <DeliveryMark report={report} />
          </p>
        </li>
      ))}
    </ul>
  );
}
