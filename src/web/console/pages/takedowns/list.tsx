import {
  reportViews,
  type ListedReport,
  type ReportView,
} from "../../../../response/cases/takedowns/lists.ts";
import { Card, LinkButton, PageHead, Time } from "../../kit/components.tsx";
import { Icon } from "../../kit/icons.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import {
  newReportPath,
  takedownPath,
  takedownsPath as path,
  takedownStatisticsPath,
  threatsPath,
} from "../../kit/paths.ts";
import { column, PagedTable, type Column } from "../../kit/table.tsx";
import {
  DeliveryMark,
  NextMark,
  RecipientName,
  ThreatName,
  ThreatsOf,
  type TakedownContext,
} from "./parts.tsx";
import type { Takedown } from "../../../../response/cases/takedowns/report.ts";

const perPage = 50;
const cameBackMax = 20;

const viewLabels: Record<ReportView, string> = {
  attention: "Needs attention",
  open: "Open",
  all: "All",
};

export function listReports({ services: { takedowns }, query }: TakedownContext): PageResult {
  const view = reportViews.find((one) => one === query.get("show")) ?? "attention";
  const { total } = takedowns.list(view, { limit: 0, offset: 0 });
  return page(
    "Takedowns",
    <>
      <PageHead title="Takedowns" lead="Reports to those who can take a site down, until it is down.">
        <LinkButton path={takedownStatisticsPath} label="Time to down" icon="clock" />
      </PageHead>
      <nav class="tabs" aria-label="Views" tabIndex={0}>
        {reportViews.map((one) => (
          <a href={`${path}?show=${one}`} aria-current={one === view ? "page" : undefined}>
            {viewLabels[one]}
            {one === view ? <span>{total}</span> : null}
          </a>
        ))}
      </nav>
      {view === "attention" ? <CameBack takedowns={takedowns.cameBack(cameBackMax)} /> : null}
      <PagedTable
        caption="Reports"
        columns={columns}
        rowsIn={(range) => takedowns.list(view, range).reports}
        total={total}
        perPage={perPage}
        path={path}
        query={new URLSearchParams({ ...Object.fromEntries(query), show: view })}
        empty={<Nothing view={view} />}
      />
    </>,
  );
}

function Nothing({ view }: { view: ReportView }) {
  if (view === "attention")
    return (
      <>Nothing needs attention. Reports appear here when a follow-up is due or an email was not delivered.</>
    );
  return (
    <>
      {view === "open" ? "No report is open." : "No reports yet."} To report a site, open its{" "}
      <a href={threatsPath}>threat</a> and choose Report.
    </>
  );
}

/** Sites that were down after a report and are up again. They lead the list: nobody is waiting for them. */
function CameBack({ takedowns }: { takedowns: readonly Takedown[] }) {
  if (takedowns.length === 0) return null;
  return (
    <Card title="Came back after a takedown" flush>
      <ul class="todo">
        {takedowns.map((takedown) => (
          <li>
            <span class="bad">
              <Icon name="site-back" />
            </span>
            <div>
              <ThreatName takedown={takedown} />
              <p>
                {takedown.downAt === null ? null : (
                  <>
                    Down <Time at={takedown.downAt} relative />
                  </>
                )}
                {takedown.backAt === null ? null : (
                  <>
                    , up again <Time at={takedown.backAt} relative />
                  </>
                )}
              </p>
            </div>
            {takedown.threatId === null ? null : (
              <LinkButton
                path={newReportPath([takedown.threatId], { purpose: "again" })}
                label="Report again"
                small
              />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const columns: readonly Column<ListedReport>[] = [
  column("Threat", "wide title", ({ report, takedowns }) => (
    <a href={takedownPath(report.seq)}>
      <ThreatsOf takedowns={takedowns} />
    </a>
  )),
  column("Next step", "tight state", ({ next }) => <NextMark next={next} />),
  column("Recipient", "under", ({ report }) => <RecipientName recipient={report.recipient} />),
  column(
    "Sites down",
    "number hidden",
    ({ takedowns }) =>
      `${takedowns.filter(({ outcome }) => outcome === "down").length} of ${takedowns.length}`,
  ),
  column("Delivery", "hidden", ({ report }) => <DeliveryMark report={report} />),
  column("Reported", "tight end", ({ report }) => <Time at={report.createdAt} relative />),
];
