import { counted, grouped } from "../../../../platform/lib/wording.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { LinkButton, Time, Card } from "../../kit/components.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { keysPath, originPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { Text } from "../../kit/inline.tsx";
import { column, Table, type Column, Amount } from "../../kit/table.tsx";
import { DailySum, Problems, PauseButton, SourceState, titleOf } from "./source-parts.tsx";
import { CertificateLogsCard } from "./certificate-logs.tsx";
import {
  type DeclaredOrigin,
  isDeclared,
  healthOf,
  firstListedDay,
  listedDays,
  originsOf,
  sumOf,
  type Origin,
  totalOf,
} from "./origins.ts";
import { ImportForms } from "./import-form.tsx";
import { ImportList, ImportPanel } from "./imports.tsx";

const importsShown = 20;

export function listSources({
  services,
  now,
}: Context<"activity" | "certificateLogs" | "imports" | "sources">): PageResult {
  const { activity, certificateLogs, imports, sources } = services;
  const days = activity.since(firstListedDay(now));
  const origins = originsOf({ sources, days, totals: activity.totals(), now });
  const declared = origins.filter(isDeclared);
  const others = origins
    .filter((origin) => !isDeclared(origin))
    .filter(({ lastAt, watched }) => lastAt !== null || watched !== undefined)
    .sort((a, b) => (b.lastAt ?? 0) - (a.lastAt ?? 0));
  const feeds = declared.filter(({ kind }) => kind !== certificateLogs?.kind);
  const isHealthy = ({ watched: { source: from, status } }: DeclaredOrigin) =>
    healthOf(status, from.pausing?.current(), now).problem === null;
  const healthy = declared.filter(isHealthy).length;
  const running = imports.running();
  const forms = <ImportForms />;
  return page(
    {
      title: "Sources",
      lead: <Summary origins={origins} declared={declared.length} healthy={healthy} />,
      actions: (
        <>
          <a class="btn" href="/docs/sources">
            How to add sources
          </a>
          <LinkButton path="#import" label="Import names" variant="primary" />
        </>
      ),
    },
    <>
      {running === undefined ? null : <ImportPanel list={running} linked />}
      {declared.length === 0 ? (
        <>
          <FirstSource />
          {forms}
        </>
      ) : null}
      {origins.every(({ lastAt }) => lastAt === null) ? null : <Sums origins={origins} />}
      <Problems origins={declared} />
      {certificateLogs === undefined ? null : <CertificateLogsCard source={certificateLogs} />}
      <Feeds origins={feeds} healthy={feeds.filter(isHealthy).length} />
      <OtherOrigins origins={others} />
      {declared.length === 0 ? null : forms}
      <ImportList imports={imports.list(importsShown)} />
    </>,
  );
}

/** Says in one sentence whether names arrive. */
function Summary(props: { origins: readonly Origin[]; declared: number; healthy: number }) {
  const { origins, declared, healthy } = props;
  const lastAt = origins.reduce<number | null>(
    (last, origin) => (origin.lastAt === null ? last : Math.max(last ?? 0, origin.lastAt)),
    null,
  );
  const state =
    declared === 0
      ? null
      : healthy === declared
        ? `${declared === 1 ? "The declared source is" : `All ${grouped(declared)} declared sources are`} healthy.`
        : `${grouped(healthy)} of ${counted(declared, "declared source")} ${healthy === 1 ? "is" : "are"} healthy.`;
  return (
    <>
      Every domain name that phishwatch checks comes from one of these. {state}{" "}
      {lastAt === null ? null : (
        <>
          The last names arrived <Time at={lastAt} relative />.
        </>
      )}
    </>
  );
}

/** Shown while no source is declared; an appliance without internet access starts with lists. */
function FirstSource() {
  return (
    <section class="card stack">
      <h2>Add a source that delivers names automatically</h2>
      <p>Until then, names come only from scans, imports and submissions. Choose what fits:</p>
      <ul class="bulleted">
        <li>
          <strong>Without internet access:</strong> copy lists of names, such as newly registered domains,
          into a folder, and declare the folder as <code>[[feeds]]</code> with <code>path</code> in the
          configuration file. To check one list now, <a href="#import">import it</a>.
        </li>
        <li>
          <strong>With internet access:</strong> follow the public certificate logs with{" "}
          <code>[certificate_logs]</code>, or declare <code>[[feeds]]</code> with <code>url</code>.
        </li>
        <li>
          <strong>From your own programs:</strong> <a href={keysPath}>create an API key</a>, and submit names
          with <code>POST /v1/candidates</code>.
        </li>
      </ul>
      <p>
        <a href="/docs/sources">How to set up sources</a>
      </p>
    </section>
  );
}

function Sums({ origins }: { origins: readonly Origin[] }) {
  const { names, matched, created } = sumOf(origins);
  return (
    <section class="cols cols-3" aria-label={`All sources, last ${listedDays} days`}>
      <DailySum title="Names" values={names} />
      <DailySum title="Matches" values={matched} help="match" />
      <DailySum title="New threats" values={created} />
    </section>
  );
}

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
function Feeds({ origins, healthy }: { origins: readonly DeclaredOrigin[]; healthy: number }) {
  if (origins.length === 0) return null;
  const places = [...new Set(origins.map(({ watched }) => watched.source.declaredAs))].join(", ");
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
      <Table<DeclaredOrigin>
        caption={`Feeds, with the numbers of the last ${listedDays} days`}
        columns={[
          source,
          column("State", "tight state", ({ watched }) => <SourceState watched={watched} />),
          lastNames,
          ...amounts,
          column(<span class="vh">Actions</span>, "number hidden", ({ watched }) => (
            <PauseButton source={watched.source} from="list" />
          )),
        ]}
        rows={origins}
      />
    </Card>
  );
}

/** Origins that are not declared: imports, submissions, scans, beacons. */
function OtherOrigins({ origins }: { origins: readonly Origin[] }) {
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
