import type {
  Inspection,
  InspectionStatus,
  RequestProgress,
} from "../../../../facts/inspection/inspections.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import { Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import {
  inspectionPath,
  inspectionRowsPath,
  inspectionsPath,
  pathWith,
  threatPath,
} from "../../kit/paths.ts";
import type { Status } from "../../../../platform/vocabulary/threats.ts";
import { column, PagedTable, type Column } from "../../kit/table.tsx";
import { QueueLine } from "./queue-state.tsx";
import { OutcomeMark, OutcomeReason } from "./outcome.tsx";
import { inspectionsFrom } from "./request-query.ts";
import { requesterOf } from "./requester.ts";
import { StatusMark } from "../../threat-kit/severity.tsx";
import { Address, scoreText } from "../../inspection-kit/verdict.tsx";

export const perPage = 50;
const refreshMs = 2_000;
const addressCharactersMax = 120;
const requesterCharactersMax = 40;

/** Inspections as a table that refreshes itself while one of them waits or runs. */
export function InspectionRows(props: {
  inspections: readonly Inspection[];
  /** Number of inspections on all pages. */
  total: number;
  query: URLSearchParams;
  status: InspectionStatus;
  /** If the list is limited to what a person requested at once: how far that is. */
  progress?: RequestProgress | undefined;
  statusOf: (threatId: string) => Status | undefined;
}) {
  const { inspections, total, query, status, progress, statusOf } = props;
  const isWaited = progress !== undefined && progress.waiting > 0;
  const isChanging = isWaited || inspections.some(({ state }) => state === "queued" || state === "running");
  const refresh = isChanging
    ? { "data-refresh": pathWith(inspectionRowsPath, query), "data-refresh-ms": String(refreshMs) }
    : {};
  return (
    <section id="inspections" class="stack gap-s" aria-label="Inspections" {...refresh}>
      {progress === undefined ? null : <ProgressLine progress={progress} query={query} />}
      <QueueLine status={status} />
      <PagedTable
        caption="Inspections, the newest request first"
        columns={columnsOf({ isDisabled: status.disabled !== null, statusOf })}
        rowsIn={() => inspections}
        total={total}
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
      {parts.map(({ outcome, count, words }, index) => (
        <>
          {index === 0 ? "" : ", "}
          <a href={pathWith(inspectionsPath, withOutcome(query, outcome))}>
            {grouped(count)} {words}
          </a>
        </>
      ))}
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
    {
      title: "Threat",
      layout: "tight",
      fold: "hidden",
      cell({ threatId }) {
        const status = threatId === null ? undefined : statusOf(threatId);
        if (threatId === null || status === undefined) return "";
        return (
          <a href={threatPath(threatId)}>
            <StatusMark status={status} />
          </a>
        );
      },
    },
  ];
}
