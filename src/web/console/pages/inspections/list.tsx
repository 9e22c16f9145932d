import { threatSources, type Status } from "../../../../platform/vocabulary/threats.ts";
import type {
  Inspection,
  InspectionStatus,
  RequestProgress,
  Inspections,
} from "../../../../facts/inspection/inspections.ts";
import { counted, grouped, sentence } from "../../../../platform/lib/wording.ts";
import { optionalIsoTime, toIsoTime } from "../../../../platform/lib/clock.ts";
import { csvCell } from "../../../../response/outputs/exports/csv.ts";
import { downloadStream, type FileSource } from "../../../http/download.ts";
import { LinkButton, Time, Note, Separated } from "../../kit/components.tsx";
import { inWords, Text } from "../../kit/inline.tsx";
import { withoutEmpty } from "../../kit/fields.ts";
import { choicesOf, Button, FilterForm, Select, TextField } from "../../kit/form.tsx";
import { fragment, page, redirect, refreshing, type PageResult, download } from "../../kit/page-result.ts";
import {
  inspectionExportPath,
  inspectionsPath,
  pathWith,
  inspectionPath,
  inspectionRowsPath,
  threatPath,
} from "../../kit/paths.ts";
import { pageNumber, column, PagedTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import {
  fixedLimits,
  inspectionFilterIn,
  outcomes,
  requestIn,
  inspectionsFrom,
} from "../../inspection-kit/request-query.ts";
import { StatusMark } from "../../threat-kit/threat-marks.tsx";
import { Address, scoreText } from "../../inspection-kit/verdict.tsx";
import { InspectForm, RequestSummary, requestedName, type RequestedAddresses } from "./request-form.tsx";
import { OutcomeMark, OutcomeReason, requesterOf, resultOf } from "./outcome.tsx";

type InspectionsContext = Context<"domains" | "inspections" | "threats">;

export function listInspections(context: InspectionsContext): PageResult {
  const { query, services } = context;
  const short = withoutEmpty(query);
  if (short !== undefined) return redirect(pathWith(inspectionsPath, short));
  const requested = context.takeOnce<RequestedAddresses>(requestedName);
  const status = services.inspections.status();
  return page(
    {
      title: "Inspections",
      lead: "Pages that phishwatch opened and compared with your sites, whatever their names.",
      actions: <LinkButton path={pathWith(inspectionExportPath, query)} label="Download CSV" />,
    },
    <>
      <QueueNote status={status} />
      {requested === undefined ? null : (
        <RequestSummary requested={requested} find={services.inspections.get} />
      )}
      {fixedLimits(query).length === 0 ? (
        <InspectForm disabled={status.disabled} />
      ) : (
        <p class="line">
          <LinkButton path={inspectionsPath} label="Show all inspections" small />
        </p>
      )}
      <FilterForm action={inspectionsPath}>
        {fixedLimits(query).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <Select
          label="Result"
          name="outcome"
          any="any result"
          choices={Object.entries(outcomes).map(([value, { label }]) => ({ value, label }))}
        />
        <Select
          label="Protected domain"
          name="domain"
          any="any domain"
          choices={choicesOf(services.domains.list().map(({ domain }) => domain))}
        />
        <Select label="Source" name="source" any="any source" choices={choicesOf(threatSources, inWords)} />
        <TextField label="Part of the address" name="q" type="search" maxLength={300} />
        <Button label="Filter" icon="filter" />
      </FilterForm>
      {rowsOf(context)}
    </>,
  );
}

/** Serves the rows while something is being inspected. */
export function showRows(context: InspectionsContext): PageResult {
  return fragment(rowsOf(context));
}

const perPage = 50;
const refreshMs = 2_000;
const addressCharactersMax = 120;
const requesterCharactersMax = 40;

/** Inspections as a table that refreshes itself while one of them waits or runs. */
function rowsOf({ query, services: { inspections, threats } }: InspectionsContext) {
  const status = inspections.status();
  const request = requestIn(query);
  const progress = request && inspections.progress(request);
  const found = inspections.list(inspectionFilterIn(query), { page: pageNumber(query), perPage });
  const isWaited = progress !== undefined && progress.waiting > 0;
  const isChanging =
    isWaited || found.inspections.some(({ state }) => state === "queued" || state === "running");
  return (
    <section
      id="inspections"
      class="stack gap-s"
      aria-label="Inspections"
      {...refreshing(isChanging, pathWith(inspectionRowsPath, query), refreshMs)}
    >
      {progress === undefined ? null : <ProgressLine progress={progress} query={query} />}
      <QueueLine status={status} />
      <PagedTable
        caption="Inspections, the newest request first"
        columns={columnsOf({
          isDisabled: status.disabled !== null,
          statusOf: (id) => threats.get(id)?.status,
        })}
        rowsIn={() => found.inspections}
        total={found.total}
        perPage={perPage}
        path={inspectionsPath}
        query={query}
        empty={
          query.size === 0
            ? "No page has been inspected yet. Enter addresses above, or set inspect = true for a feed."
            : "No inspection matches these filters."
        }
      />
    </section>
  );
}

/** How far a request is, with the results as links that limit the list to them. */
function ProgressLine({ progress, query }: { progress: RequestProgress; query: URLSearchParams }) {
  const { all, failed, harmless, imitating, skipped, waiting } = progress;
  const parts = [
    { outcome: "imitation", count: imitating, words: imitating === 1 ? "imitates" : "imitate" },
    { outcome: "none", count: harmless, words: "no imitation" },
    { outcome: "failed", count: failed, words: "could not be opened" },
    { outcome: "skipped", count: skipped, words: "not opened" },
    { outcome: "waiting", count: waiting, words: waiting === 1 ? "waits" : "wait" },
  ].filter(({ count }) => count > 0);
  return (
    <p>
      Of {counted(all, "address", "addresses")}:{" "}
      <Separated items={parts}>
        {({ outcome, count, words }) => (
          <a href={pathWith(inspectionsPath, withOutcome(query, outcome))}>
            {grouped(count)} {words}
          </a>
        )}
      </Separated>
      .
    </p>
  );
}

function withOutcome(query: URLSearchParams, outcome: string): URLSearchParams {
  const limited = new URLSearchParams(query);
  limited.delete("page");
  limited.set("outcome", outcome);
  return limited;
}

function columnsOf(given: {
  /** Whether no page is fetched at present. */
  isDisabled: boolean;
  /** Status of a threat; undefined: there is none. */
  statusOf: (threatId: string) => Status | undefined;
}): Column<Inspection>[] {
  const { isDisabled, statusOf } = given;
  return [
    column("Address", "wide title", ({ id, address }) => (
      <a href={inspectionPath(id)}>
        <Address address={address} charactersMax={addressCharactersMax} />
      </a>
    )),
    column("Result", "under", (inspection) => (
      <>
        <OutcomeMark inspection={inspection} />
        {inspection.reason === null ? null : (
          <p>
            <OutcomeReason inspection={inspection} isDisabled={isDisabled} />
          </p>
        )}
      </>
    )),
    column("Score", "number state", ({ score, imitates }) =>
      score === null || imitates === null ? "" : scoreText(score),
    ),
    column("Requested", "end", ({ requestedAt, origin, source }) => (
      <>
        <Time at={requestedAt} relative />
        <div class="s wide-only">
          <a href={inspectionsFrom(origin)}>
            <Text text={requesterOf({ origin, source })} charactersMax={requesterCharactersMax} />
          </a>
        </div>
      </>
    )),
    column("Threat", "tight hidden", ({ threatId }) => {
      const status = threatId === null ? undefined : statusOf(threatId);
      if (threatId === null || status === undefined) return "";
      return (
        <a href={threatPath(threatId)}>
          <StatusMark status={status} />
        </a>
      );
    }),
  ];
}

/** Says that nothing is fetched, or that the budget of the day is used up. */
function QueueNote({ status: { disabled, waiting, budget } }: { status: InspectionStatus }) {
  if (disabled !== null)
    return (
      <Note tone="warn" title="Pages are not inspected">
        {sentence(disabled)} Names are still checked. To inspect pages, set{" "}
        <code>lookups.enabled = true</code> in the configuration file.
      </Note>
    );
  const unattended = waiting.submission + waiting.feed;
  if (budget.day.used < budget.day.max || unattended === 0) return null;
  return (
    <Note tone="warn" title="The budget of today is used up">
      {counted(unattended, "address", "addresses")} of feeds, programs and long lists wait until{" "}
      <Time at={budget.day.endsAt} />. The first addresses that a person enters do not wait for it. To inspect
      more per day, raise <code>inspection.per_day</code>.
    </Note>
  );
}

/** States in one line what waits, and how much is opened. */
function QueueLine({ status }: { status: InspectionStatus }) {
  const { disabled, waiting, running, budget, oldestAt } = status;
  const total = waiting.person + waiting.submission + waiting.feed;
  if (disabled !== null) return null;
  return (
    <p class="s quiet">
      {total === 0 ? "Nothing waits." : <Waiting status={status} />}
      {running === 0 ? "" : ` ${counted(running, "page is", "pages are")} being inspected.`}{" "}
      {grouped(budget.day.used)} of {grouped(budget.day.max)} today (UTC), at most{" "}
      {grouped(budget.minute.max)} per minute.
      {total === 0 || oldestAt === null ? null : (
        <>
          {" "}
          The longest wait began <Time at={oldestAt} relative />.
        </>
      )}
    </p>
  );
}

function Waiting({ status: { waiting } }: { status: InspectionStatus }) {
  const { person, submission, feed } = waiting;
  const kinds = [
    { count: person, words: "entered by people" },
    { count: submission, words: "of programs and long lists" },
    { count: feed, words: "of feeds" },
  ].filter(({ count }) => count > 0);
  const [only] = kinds;
  const total = person + submission + feed;
  const wait = total === 1 ? "waits" : "wait";
  if (kinds.length === 1 && only !== undefined)
    return <>{`${counted(total, "address", "addresses")} ${only.words} ${wait}.`}</>;
  const parts = kinds.map(({ count, words }) => `${grouped(count)} ${words}`);
  return <>{`${counted(total, "address", "addresses")} ${wait}: ${parts.join(", then ")}.`}</>;
}

/** Number of inspections in a piece of the file: a few milliseconds of work. */
const perPiece = 50;

const columns: readonly [name: string, read: (inspection: Inspection) => string | number | null][] = [
  ["address", ({ address }) => address],
  ["domain", ({ host }) => host],
  ["result", resultOf],
  ["protected_domain", ({ protectedDomain }) => protectedDomain],
  ["score", ({ score }) => score],
  ["reason", ({ reason }) => reason],
  ["final_url", (one) => one.page?.finalUrl ?? null],
  ["title", (one) => one.page?.title ?? null],
  ["threat_id", ({ threatId }) => threatId],
  ["requested_by", requesterOf],
  ["requested_at", ({ requestedAt }) => toIsoTime(requestedAt)],
  ["finished_at", ({ finishedAt }) => optionalIsoTime(finishedAt)],
  ["id", ({ id }) => id],
];

/** Sends the inspections of a list, the newest request first, as CSV (RFC 4180). */
export function exportInspections({ services, query, request }: Context<"inspections">): PageResult {
  // A response to HEAD has no body that would be read to its end.
  if (request.method === "HEAD") return new Response(null);
  const { inspections } = services;
  const pieces = piecesOf(inspections, inspections.ids(inspectionFilterIn(query)));
  const file: FileSource = {
    fileName: "inspections.csv",
    type: "text/csv; charset=utf-8; header=present",
    next: async () => (await pieces.next()).value ?? undefined,
    close: () => void pieces.return(),
  };
  return download(file.fileName, file.type, downloadStream(file, request.signal));
}

async function* piecesOf(
  inspections: Pick<Inspections, "get">,
  ids: readonly string[],
): AsyncGenerator<string, void> {
  yield lineOf(columns.map(([name]) => name));
  for (let done = 0; done < ids.length; done += perPiece) {
    // Other requests are served between the pieces.
    await new Promise((resolve) => setImmediate(resolve));
    const piece = ids.slice(done, done + perPiece).flatMap((id) => inspections.get(id) ?? []);
    yield piece.map((one) => lineOf(columns.map(([, read]) => csvCell(read(one))))).join("");
  }
}

function lineOf(cells: readonly string[]): string {
  return `${cells.join(",")}\r\n`;
}
