import { channelNames } from "../../../access/audit/actor.ts";
import { grouped } from "../../../lib/wording.ts";
import type { ListImport } from "../../../sources/imports/tables.ts";
import type { Source, SourceStatus } from "../../../sources/source.ts";
import { DeclaredMark, Facts, PageHead, Section, Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { feedPath, importPath } from "../../kit/paths.ts";
import { Empty, Table, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { ImportForms } from "./import-form.tsx";
import { CreatedLink, ImportPanel, ImportStateBadge, ListName } from "./import-panel.tsx";
import { sourceFacts, SourceState } from "./source-parts.tsx";

const importsShown = 20;
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

export function listSources({ services }: Context<"imports" | "sources">): PageResult {
  const watched = services.sources.filter(({ declaredAs }) => declaredAs !== null);
  const running = services.imports.running();
  return page(
    "Feeds",
    <>
      <PageHead
        title="Feeds"
        lead="Lists of domain names to check for look-alikes: watched files and folders, and lists that you import."
      />
      {running === undefined ? null : <ImportPanel list={running} linked />}
      <ImportForms />
      <Section title="Declared sources">
        {watched.length === 0 ? (
          <Empty>
            No feeds yet. A feed checks new files automatically, such as a daily list of newly registered
            domains. To add one, declare <code>[[feeds]]</code> in the configuration file.
          </Empty>
        ) : (
          <>
            <p>
              <DeclaredMark where={[...new Set(watched.map(({ declaredAs }) => declaredAs))].join(", ")} />
            </p>
            <div class="cards">
              {watched.map((source) => (
                <SourceCard status={source.status()} path={pathOf(source)} />
              ))}
            </div>
          </>
        )}
      </Section>
      <Section title="Imports">
        <Table
          caption="Imports, newest first"
          columns={importColumns}
          rows={services.imports.list(importsShown)}
          empty="No imports yet. To check a list of names now, import a file above."
        />
      </Section>
    </>,
  );
}

/** Returns the page of a feed; other sources have none. */
function pathOf({ kind, name }: Pick<Source, "kind" | "name">): string | undefined {
  return kind === "feed" ? feedPath(name) : undefined;
}

function SourceCard({ status, path }: { status: SourceStatus; path: string | undefined }) {
  return (
    <section class="card panel">
      <div class="page-title">
        <h3>
          {path === undefined ? (
            <Text text={status.name} charactersMax={120} />
          ) : (
            <a href={path}>{status.name}</a>
          )}
        </h3>
        <SourceState status={status} />
      </div>
      <Facts facts={sourceFacts(status)} />
    </section>
  );
}
