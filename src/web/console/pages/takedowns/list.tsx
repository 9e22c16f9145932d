import {
  reportViews,
  type ListedReport,
  type ReportView,
} from "../../../../response/cases/takedowns/lists.ts";
import type { Takedown } from "../../../../response/cases/takedowns/report.ts";
import type { TakedownFigures, TakedownStatistics } from "../../../../response/cases/takedowns/statistics.ts";
import { spanText } from "../../../../platform/lib/durations.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import { Card, LinkButton, Time, Facts, Section } from "../../kit/components.tsx";
import { Icon, Text } from "../../kit/inline.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import {
  newReportPath,
  takedownPath,
  takedownStatisticsPath,
  threatsPath,
  takedownsPath,
  draftFilePath,
  newTakedownPath,
} from "../../kit/paths.ts";
import { column, PagedTable, type Column, Table } from "../../kit/table.tsx";
import {
  DeliveryMark,
  NextMark,
  RecipientName,
  ThreatName,
  ThreatsOf,
  type TakedownContext,
  SiteOf,
} from "../../threat-kit/takedown-parts.tsx";
import type { PageGroup } from "../../shell/router.ts";
import {
  addResponse,
  closeReport,
  downloadFile,
  markBounced,
  postponeReport,
  sendAgain,
  showReport,
} from "./detail.tsx";
import { downloadDraftFile, newReport, sendReport } from "./compose.tsx";

const path = takedownPath(":seq");

export const takedownPages: PageGroup = {
  nav: {
    section: "main",
    label: "Takedowns",
    path: takedownsPath,
    icon: "takedown",
    keys: "g r",
    mark({ takedowns }) {
      const { cameBack, followUps, notDelivered } = takedowns.attention();
      const count = cameBack + followUps + notDelivered;
      return count === 0 ? undefined : { count };
    },
  },
  routes: [
    { method: "GET", path: takedownsPath, permission: "read", run: listReports },
    { method: "GET", path: takedownStatisticsPath, permission: "read", run: showStatistics },
    { method: "GET", path: newTakedownPath, permission: "report", run: newReport },
    { method: "POST", path: newTakedownPath, permission: "report", run: sendReport },
    { method: "GET", path: draftFilePath(":name"), permission: "read", run: downloadDraftFile },
    { method: "GET", path, permission: "read", run: showReport },
    { method: "GET", path: `${path}/files/:position`, permission: "read", run: downloadFile },
    { method: "POST", path: `${path}/responses`, permission: "report", run: addResponse },
    { method: "POST", path: `${path}/bounced`, permission: "report", run: markBounced },
    { method: "POST", path: `${path}/send-again`, permission: "report", run: sendAgain },
    { method: "POST", path: `${path}/postpone`, permission: "report", run: postponeReport },
    { method: "POST", path: `${path}/close`, permission: "report", run: closeReport },
  ],
};

const cameBackMax = 20;

const viewLabels: Record<ReportView, string> = {
  attention: "Needs attention",
  open: "Open",
  all: "All",
};

function listReports({ services: { takedowns }, query }: TakedownContext): PageResult {
  const view = reportViews.find((one) => one === query.get("show")) ?? "attention";
  const { total } = takedowns.list(view, { limit: 0, offset: 0 });
  return page(
    {
      title: "Takedowns",
      lead: "Reports to those who can take a site down, until it is down.",
      actions: <LinkButton path={takedownStatisticsPath} label="Time to down" icon="clock" />,
    },
    <>
      <nav class="tabs" aria-label="Views" tabIndex={0}>
        {reportViews.map((one) => (
          <a href={`${takedownsPath}?show=${one}`} aria-current={one === view ? "page" : undefined}>
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

/** Sites that were down after a report and are up again. They lead the list, because no recipient is working on them. */
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
                <Time at={takedown.downAt} prefix="Down " relative />
                <Time at={takedown.backAt} prefix=", up again " relative />
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

function showStatistics({ services: { takedowns } }: TakedownContext): PageResult {
  const { hosters, protectedDomains, registrars, slowest, total } = takedowns.statistics();
  return page(
    {
      title: "Time to down",
      lead: "From the first report of a site that is up until it is seen down, blocked, parked or unregistered.",
      crumbs: [{ label: "Takedowns", path: takedownsPath }],
    },
    <>
      <Facts
        facts={[
          ["Sites reported", grouped(total.reported)],
          ["Went down", grouped(total.down)],
          ["Median time to down", medianText(total)],
          ["Open", grouped(total.open)],
          ["Came back", grouped(total.cameBack)],
        ]}
      />
      <Section title="Slowest open">
        <Table
          caption="Slowest open takedowns"
          columns={slowestColumns}
          rows={slowest}
          empty="No reported site is up."
        />
      </Section>
      <Figures title="Registrars" rows={registrars} />
      <Figures title="Hosting providers" rows={hosters} />
      <Figures title="Protected domains" rows={protectedDomains} />
    </>,
  );
}

type Slowest = TakedownStatistics["slowest"][number];

const slowestColumns: readonly Column<Slowest>[] = [
  column("Threat", "wide title", (takedown) => <ThreatName takedown={takedown} />),
  column("Site", "state", (takedown) => <SiteOf takedown={takedown} />),
  column("Registrar", "under", ({ registrar }) => <Text text={registrar} charactersMax={60} none="–" />),
  column("Hosting provider", "hidden", ({ hoster }) => <Text text={hoster} charactersMax={60} none="–" />),
  column("Waiting since", "tight end", ({ waitingSince }) => <Time at={waitingSince} relative />),
];

function Figures({ title, rows }: { title: string; rows: readonly TakedownFigures[] }) {
  return (
    <Section title={title}>
      <Table caption={title} columns={figureColumns} rows={rows} empty="Nothing was reported yet." />
    </Section>
  );
}

const figureColumns: readonly Column<TakedownFigures>[] = [
  column("Name", "wide title", ({ name }) =>
    name === null ? <span class="faint">not known</span> : <Text text={name} charactersMax={80} />,
  ),
  column("Median time to down", "tight state", medianText),
  column("Reported", "number end", ({ reported }) => grouped(reported)),
  column("Went down", "number hidden", ({ down }) => grouped(down)),
  column("Open", "number hidden", ({ open }) => grouped(open)),
  column("Came back", "number hidden", ({ cameBack }) => grouped(cameBack)),
];

function medianText({ medianMs }: TakedownFigures): string {
  return medianMs === null ? "–" : spanText(medianMs);
}
