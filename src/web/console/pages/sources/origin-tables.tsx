import { visible } from "../../../../platform/lib/safe-text.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { Card, Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { originPath } from "../../kit/paths.ts";
import { column, Table, type Column, Amount } from "../../kit/table.tsx";
import { listedDays, totalOf, type Origin } from "./origins.ts";
import { PauseButton } from "./pausing.tsx";
import { SourceState, titleOf } from "./source-parts.tsx";

/** Origins that are no source, such as API keys; those with the latest names come first. */
const othersShownMax = 30;
const locationCharactersMax = 70;

const source: Column<Origin> = column("Source", "wide title", (origin) => (
  <>
    <a class="ink" href={originPath(origin)}>
      <Text text={titleOf(origin)} charactersMax={120} />
    </a>
    {origin.watched === undefined || origin.watched.source.declaredAs === null ? null : (
      <p class="hide-s">{visible(origin.watched.status.location, locationCharactersMax)}</p>
    )}
  </>
));

const lastNames: Column<Origin> = column("Last names", "tight under", ({ lastAt }) =>
  lastAt === null ? <span class="faint">never</span> : <Time at={lastAt} relative />,
);

const amounts: Column<Origin>[] = [
  column(`Names a day, ${listedDays} days`, "hidden", ({ names }) => (
    <Sparkline label="Names per day" values={names} />
  )),
  column("Names", "number hidden", ({ names }) => <Amount count={totalOf(names)} unit="name" />),
  column("Matches", "number hidden", ({ matched }) => (
    <Amount count={totalOf(matched)} unit="match" units="matches" />
  )),
  column("New threats", "number end", ({ created }) => <Amount count={totalOf(created)} unit="new threat" />),
];

/** Sources that the configuration file declares, except for the certificate logs. */
export function Feeds({ origins, healthy }: { origins: readonly Origin[]; healthy: number }) {
  if (origins.length === 0) return null;
  const places = [...new Set(origins.map(({ watched }) => watched!.source.declaredAs))].join(", ");
  return (
    <Card
      title="Feeds"
      flush
      aside={
        <span class="s faint">
          {grouped(healthy)} of {grouped(origins.length)} healthy · declared as <code>{places}</code>
        </span>
      }
    >
      <Table<Origin>
        caption={`Feeds, with the numbers of the last ${listedDays} days`}
        columns={[
          source,
          column("State", "tight state", ({ watched }) => <SourceState watched={watched!} />),
          lastNames,
          ...amounts,
          column(<span class="vh">Actions</span>, "number hidden", ({ watched }) => (
            <PauseButton source={watched!.source} from="list" />
          )),
        ]}
        rows={origins}
        empty=""
      />
    </Card>
  );
}

/** Origins that are not declared: imports, submissions, scans, beacons. */
export function OtherOrigins({ origins }: { origins: readonly Origin[] }) {
  const more = origins.length - othersShownMax;
  return (
    <Card
      title="Imports, submissions and scans"
      flush
      aside={<span class="s faint">last {listedDays} days</span>}
    >
      <Table
        caption="Other origins of names, the one with the latest names first"
        columns={[source, { ...lastNames, fold: "state" }, ...amounts.map(asUnder)]}
        rows={origins.slice(0, othersShownMax)}
        empty="No names yet."
      />
      {more <= 0 ? null : <p class="remark">and {grouped(more)} more</p>}
    </Card>
  );
}

/** On phones the second line begins with the number of names, because there is no state. */
function asUnder(given: Column<Origin>): Column<Origin> {
  return given.title === "Names" ? { ...given, fold: "under" } : given;
}
