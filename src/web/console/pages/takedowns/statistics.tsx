import type { TakedownFigures, TakedownStatistics } from "../../../../response/cases/takedowns/statistics.ts";
import { spanText } from "../../../../platform/lib/durations.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import { Facts, PageHead, Section, Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { takedownsPath } from "../../kit/paths.ts";
import { column, Table, type Column } from "../../kit/table.tsx";
import { SiteOf, ThreatName, type TakedownContext } from "./parts.tsx";

export function showStatistics({ services: { takedowns } }: TakedownContext): PageResult {
  const { hosters, protectedDomains, registrars, slowest, total } = takedowns.statistics();
  return page(
    "Time to down",
    <>
      <PageHead
        title="Time to down"
        lead="From the first report of a site that is up until it is seen down, blocked, parked or unregistered."
        crumbs={[{ label: "Takedowns", path: takedownsPath }]}
      />
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
  column("Registrar", "under", ({ registrar }) =>
    registrar === null ? "–" : <Text text={registrar} charactersMax={60} />,
  ),
  column("Hosting provider", "hidden", ({ hoster }) =>
    hoster === null ? "–" : <Text text={hoster} charactersMax={60} />,
  ),
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
