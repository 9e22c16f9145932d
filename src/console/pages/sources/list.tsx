import { channelNames } from "../../../access/audit/actor.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import type { ListImport } from "../../../sources/imports/tables.ts";
import { DeclaredMark, LinkButton, PageHead, Section, Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { page, type PageResult } from "../../kit/page-result.ts";
import { importPath, keysPath, originPath } from "../../kit/paths.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { Table, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { summaryOf } from "./certificate-logs.tsx";
import { healthOf } from "./health.ts";
import { ImportForms } from "./import-form.tsx";
import { CreatedLink, ImportPanel, ImportStateBadge, ListName } from "./import-panel.tsx";
import { firstListedDay, listedDays, originsOf, sumOf, totalOf, type Origin } from "./origins.ts";
import { PauseButton } from "./pausing.tsx";
import { SourceState, titleOf } from "./source-parts.tsx";

const importsShown = 20;
/** Origins that are no source, such as API keys; those with the latest names come first. */
const othersShownMax = 30;

const importColumns: Column<ListImport>[] = [
  {
    title: "Started",
    layout: "tight",
    cell: ({ seq, startedAt }) => (
      <a href={importPath(seq)}>
        <Time at={startedAt} />
      </a>
    ),
  },
  { title: "File", layout: "wide", cell: ({ name }) => <ListName name={name} /> },
  { title: "From", layout: "tight", cell: ({ channel }) => channelNames[channel] },
  { title: "State", layout: "tight", cell: ({ state }) => <ImportStateBadge state={state} /> },
  { title: "Names", layout: "number", cell: ({ received }) => grouped(received) },
  { title: "Rejected", layout: "number", cell: ({ invalid }) => grouped(invalid) },
  { title: "Matched", layout: "number", cell: ({ matched }) => grouped(matched) },
  { title: "New threats", layout: "number", cell: (list) => <CreatedLink list={list} /> },
];

export function listSources({
  services,
  now,
}: Context<"activity" | "certificateLogs" | "imports" | "sources">): PageResult {
  const { activity, certificateLogs, imports, sources } = services;
  const days = activity.since(firstListedDay(now));
  const origins = originsOf({ sources, days, totals: activity.totals(), now });
  const declared = origins.filter(({ watched }) => (watched?.source.declaredAs ?? null) !== null);
  const others = origins
    .filter((origin) => !declared.includes(origin))
    .filter(({ lastAt, watched }) => lastAt !== null || watched !== undefined)
    .sort((a, b) => (b.lastAt ?? 0) - (a.lastAt ?? 0));
  const running = imports.running();
  return page(
    "Sources",
    <>
      <PageHead title="Sources" lead="Every domain name that phishwatch checks comes from one of these.">
        <LinkButton path="#import" label="Import names" />
      </PageHead>
      {running === undefined ? null : <ImportPanel list={running} linked />}
      {declared.length === 0 ? <FirstSource /> : null}
      {origins.every(({ lastAt }) => lastAt === null) ? null : <Sums origins={origins} />}
      <Problems origins={declared} />
      {declared.length === 0 ? null : <DeclaredSources origins={declared} />}
      {certificateLogs === undefined ? null : (
        <Section title="Certificate logs">
          <p>
            {summaryOf(certificateLogs.logs())} <a href={originPath(certificateLogs)}>All logs</a>
          </p>
        </Section>
      )}
      <Section title="Other sources">
        <Table
          caption="Other origins of names, the one with the latest names first"
          columns={[originColumn, ...activityColumns]}
          rows={others.slice(0, othersShownMax)}
          empty="No names yet."
        />
        {others.length <= othersShownMax ? null : (
          <p class="hint">and {counted(others.length - othersShownMax, "more", "more")}</p>
        )}
      </Section>
      <Section title="Import names" id="import">
        <ImportForms />
      </Section>
      <Section title="Imports" id="imports">
        <Table
          caption="Imports, newest first"
          columns={importColumns}
          rows={imports.list(importsShown)}
          empty="No imports yet. To check a list of names now, import a file above."
        />
      </Section>
    </>,
  );
}

/** Shown while no source is declared; an appliance without internet access starts with lists. */
function FirstSource() {
  return (
    <section class="card panel">
      <h2>Add a source that delivers names automatically</h2>
      <p>Until then, names come only from scans, imports and submissions. Choose what fits:</p>
      <ul>
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
    <section class="cards sums" aria-label={`All sources, last ${listedDays} days`}>
      <Sum title="Names" values={names} />
      <Sum title="Matches" values={matched} />
      <Sum title="New threats" values={created} />
    </section>
  );
}

function Sum({ title, values }: { title: string; values: readonly number[] }) {
  return (
    <div class="card">
      <p>{title}</p>
      <strong>{grouped(totalOf(values))}</strong>{" "}
      <span class="hint">
        in {listedDays} days, {grouped(values.at(-1)!)} today (UTC)
      </span>
      <Sparkline label={`${title} per day`} values={values} />
    </div>
  );
}

/** Lists what is wrong with sources, and what to do. */
function Problems({ origins }: { origins: readonly Origin[] }) {
  const { now } = usePage();
  const problems = origins.flatMap((origin) => {
    const { source, status } = origin.watched!;
    const { tone, problem } = healthOf(status, source.pausing?.current(), now);
    return problem === null ? [] : [{ origin, tone, ...problem }];
  });
  if (problems.length === 0) return null;
  return (
    <Section title="Needs attention">
      <ul class="attention">
        {problems.map(({ origin, tone, what, advice }) => (
          <li class={tone === "bad" ? "bad" : undefined}>
            <strong>
              <a href={originPath(origin)}>
                <Text text={titleOf(origin)} charactersMax={120} />
              </a>
            </strong>{" "}
            <bdi>{what}</bdi> {advice === null ? null : <span class="hint">{advice}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const originColumn: Column<Origin> = {
  title: "Source",
  layout: "wide",
  cell: (origin) => (
    <a href={originPath(origin)}>
      <Text text={titleOf(origin)} charactersMax={120} />
    </a>
  ),
};

const activityColumns: Column<Origin>[] = [
  {
    title: "Last names",
    layout: "tight",
    cell: ({ lastAt }) => (lastAt === null ? "never" : <Time at={lastAt} relative />),
  },
  {
    title: `Names, ${listedDays} days`,
    layout: "tight",
    cell: ({ names }) => <Amounts label="Names per day" values={names} />,
  },
  {
    title: `Matches, ${listedDays} days`,
    layout: "tight",
    cell: ({ matched }) => <Amounts label="Matches per day" values={matched} />,
  },
  { title: "New threats", layout: "number", cell: ({ created }) => grouped(totalOf(created)) },
];

/** A sparkline with the sum; the page of the origin has all numbers. */
function Amounts({ label, values }: { label: string; values: readonly number[] }) {
  const sum = totalOf(values);
  return sum === 0 ? (
    "none"
  ) : (
    <span class="amounts">
      <Sparkline label={label} values={values} /> {grouped(sum)}
    </span>
  );
}

function DeclaredSources({ origins }: { origins: readonly Origin[] }) {
  const places = [...new Set(origins.map(({ watched }) => watched!.source.declaredAs))].join(", ");
  return (
    <Section title="Declared sources">
      <p>
        <DeclaredMark where={places} />
      </p>
      <Table
        caption="Declared sources"
        columns={[
          originColumn,
          { title: "State", layout: "tight", cell: ({ watched }) => <SourceState watched={watched!} /> },
          ...activityColumns,
          {
            title: <span class="vh">Actions</span>,
            layout: "tight",
            cell: ({ watched }) => <PauseButton source={watched!.source} from="list" />,
          },
        ]}
        rows={origins}
        empty=""
      />
    </Section>
  );
}
