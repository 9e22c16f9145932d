import { basename } from "node:path";
import { notFound } from "../../../lib/errors.ts";
import { visible } from "../../../lib/safe-text.ts";
import type { FeedStatus } from "../../../sources/feeds/feed-status.ts";
import type { FeedFile } from "../../../sources/feeds/tables.ts";
import type { ListImport } from "../../../sources/imports/tables.ts";
import { describeOverdue, type Source, type SourceStatus } from "../../../sources/source.ts";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { PostButton } from "../../kit/form.tsx";
import { ImportForms, ImportPanel, ImportStateBadge, ListName } from "./import-panel.tsx";
import { importRoutes } from "./imports.tsx";
import { Badge, DeclaredMark, Facts, PageHead, Section, Time, type Tone } from "../../kit/kit.tsx";
import { Text } from "../../kit/name.tsx";
import { feedPath, feedsPath, importPath } from "../../kit/paths.ts";
import { pageGroup, type Context } from "../../shell/router.ts";
import { bytesText } from "../../../lib/durations.ts";
import { counted, grouped, sentence } from "../../../lib/wording.ts";
import { Empty, pageNumber, Pagination, Table, type Column } from "../../kit/table.tsx";

const filesPerPage = 50;
const importsShown = 20;
/** Feeds and imports: where names come from. */
export const feedPages = pageGroup({
  nav: { section: "main", label: "Feeds", path: feedsPath },
  services: ["auditLog", "database", "feeds", "imports", "sources"],
  routes: [
    { method: "GET", path: feedsPath, permission: "read", run: showAll },
    { method: "GET", path: `${feedsPath}/:feed`, permission: "read", run: showFeed },
    { method: "POST", path: `${feedsPath}/:feed/read-again`, permission: "import", run: readAgain },
    ...importRoutes,
  ],
});

const importColumns: Column<ListImport>[] = [
  {
    title: "When",
    look: "tight",
    cell: ({ seq, startedAt }) => (
      <a href={importPath(seq)}>
        <Time at={startedAt} />
      </a>
    ),
  },
  { title: "List", look: "wide", cell: ({ name }) => <ListName name={name} /> },
  { title: "State", look: "tight", cell: ({ state }) => <ImportStateBadge state={state} /> },
  { title: "Names", look: "number", cell: ({ received }) => grouped(received) },
  { title: "Refused", look: "number", cell: ({ invalid }) => grouped(invalid) },
  { title: "Matched", look: "number", cell: ({ matched }) => grouped(matched) },
  { title: "New threats", look: "number", cell: ({ created }) => grouped(created) },
];

function showAll({ services }: Context<"imports" | "sources">): PageResult {
  const watched = services.sources.filter((source) => source !== services.imports);
  const running = services.imports.running();
  return page(
    "Feeds",
    <>
      <PageHead
        title="Feeds"
        lead="Lists of names that are checked for imitations: files and folders that are watched, and lists that you hand over."
      />
      {running === undefined ? null : <ImportPanel list={running} />}
      <ImportForms />
      <Section title="Watched files and folders">
        {watched.length === 0 ? (
          <Empty>
            None is declared. Add <code>[[feeds]]</code> to the configuration file: newly registered domains
            of every day, say.
          </Empty>
        ) : (
          <>
            <p>
              <DeclaredMark where="[[feeds]]" />
            </p>
            <div class="cards">
              {watched.map((source) => (
                <SourceCard status={source.status()} path={pathOf(source)} />
              ))}
            </div>
          </>
        )}
      </Section>
      <Section title="Lists that were handed over">
        <Table
          caption="Imports, newest first"
          columns={importColumns}
          rows={services.imports.list(importsShown)}
          empty="None yet."
        />
      </Section>
    </>,
  );
}

const stateTones: Record<SourceStatus["state"], Tone> = {
  waiting: "neutral",
  watching: "good",
  reading: "warn",
  missing: "bad",
};

function SourceState({ status: { state, overdue } }: { status: SourceStatus }) {
  if (state !== "missing" && state !== "reading" && overdue !== null)
    return <Badge tone="bad">stopped?</Badge>;
  return <Badge tone={stateTones[state]}>{state}</Badge>;
}

/** Feeds have a page of their own. */
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
      <Facts facts={factsOf(status)} />
    </section>
  );
}

function factsOf(status: SourceStatus) {
  const { location, state, problem, overdue, latest, amounts, invalid, matched, created } = status;
  return [
    ["From", <code>{visible(location, 300)}</code>],
    [
      "Last file",
      latest === null ? (
        "none yet"
      ) : (
        <>
          <Text text={latest.name} charactersMax={120} /> <Time at={latest.at} relative />
        </>
      ),
    ],
    ...(overdue === null ? [] : [["Overdue", sentence(describeOverdue(overdue))] as const]),
    ...(problem === null
      ? []
      : [[state === "missing" ? "Cannot be read" : "Fault", visible(problem, 400)] as const]),
    [
      "Read",
      `${amounts.map(({ count, unit }) => counted(count, unit)).join(", ")}, ${grouped(invalid)} refused`,
    ],
    ["Found", `${grouped(matched)} matched, ${counted(created, "new threat")}`],
  ] as const;
}

function fileColumns(feed: string): Column<FeedFile>[] {
  return [
    { title: "File", look: "wide", cell: ({ path }) => <Text text={basename(path)} charactersMax={120} /> },
    { title: "Written", look: "tight", cell: ({ modifiedAt }) => <Time at={modifiedAt} relative /> },
    { title: "State", cell: fileState },
    { title: "Size", look: "number", cell: ({ bytes }) => bytesText(bytes) },
    { title: "Lines", look: "number", cell: ({ lines }) => grouped(lines) },
    { title: "Refused", look: "number", cell: ({ invalid }) => grouped(invalid) },
    { title: "Matched", look: "number", cell: ({ matched }) => grouped(matched) },
    { title: "New threats", look: "number", cell: ({ created }) => grouped(created) },
    {
      title: <span class="unseen">Actions</span>,
      look: "tight",
      cell: ({ path }) => (
        <PostButton
          action={`${feedPath(feed)}/read-again`}
          label="Read again"
          fields={{ path }}
          variant="outline"
        />
      ),
    },
  ];
}

function fileState({ error, completedAt }: FeedFile) {
  if (error !== null)
    return (
      <>
        <Badge tone="bad">faulty</Badge> {visible(error, 200)}
      </>
    );
  return (
    <Badge tone={completedAt === null ? "warn" : "good"}>{completedAt === null ? "reading" : "read"}</Badge>
  );
}

function findFeed({ services, params }: Context<"feeds">): FeedStatus {
  const feed = services.feeds.status().find(({ name }) => name === params["feed"]);
  if (feed === undefined) throw notFound("There is no feed of this name.");
  return feed;
}

function showFeed(context: Context<"feeds">): PageResult {
  const feed = findFeed(context);
  const { query } = context;
  const shown = pageNumber(query);
  const files = feed.files.toSorted((a, b) => b.modifiedAt - a.modifiedAt);
  const total = files.length;
  return page(
    `Feed ${feed.name}`,
    <>
      <PageHead
        title={
          <>
            Feed {feed.name} <SourceState status={feed} />
          </>
        }
        back={{ label: "Feeds", path: feedsPath }}
      />
      <Facts facts={[...factsOf(feed), ["Declared", <DeclaredMark />]]} />
      <Section title="Files">
        <Table
          caption="Files, newest first"
          columns={fileColumns(feed.name)}
          rows={files.slice((shown - 1) * filesPerPage, shown * filesPerPage)}
          empty="No file was read yet."
        />
        {total > filesPerPage ? (
          <Pagination
            page={shown}
            perPage={filesPerPage}
            total={total}
            path={feedPath(feed.name)}
            query={query}
          />
        ) : null}
      </Section>
    </>,
  );
}

function readAgain(context: Context<"auditLog" | "database" | "feeds">): PageResult {
  const { name } = findFeed(context);
  const { services, form, by } = context;
  const path = form.get("path") ?? "";
  services.database.transaction(() => {
    services.feeds.readAgain(name, path);
    services.auditLog.record(by, "feed.read_again", name, { path });
  });
  return redirect(feedPath(name), "The file is read again; threats on record are not made a second time.");
}
