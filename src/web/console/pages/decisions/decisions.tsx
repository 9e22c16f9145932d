import { grouped, counted } from "../../../../platform/lib/wording.ts";
import type {
  Decider,
  RecentDecision,
  DecidedThreat,
} from "../../../../threats/threats/triage/recent-decisions.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import {
  decisionPath,
  decisionsPath,
  undoTriagePath,
  pathWith,
  threatPath,
  threatsPath,
} from "../../kit/paths.ts";
import type { PageGroup, Context } from "../../shell/router.ts";
import { LinkButton, Time } from "../../kit/components.tsx";
import { FilterForm, PostButton, Select } from "../../kit/form.tsx";
import { Text, inWords } from "../../kit/inline.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { column, type Column, PagedTable, pageNumber } from "../../kit/table.tsx";
import { ComparedName, keywordsReader, type KeywordsOf } from "../../threat-kit/compared-name.tsx";
import { nameOfActor, undoFlash, endDecision } from "../../threat-kit/decisions.tsx";
import { StatusMark } from "../../threat-kit/threat-marks.tsx";
import { parseWholeNumber } from "../../kit/fields.ts";
import { ownPath } from "../../shell/visitors.ts";

/** Decisions of the last day, and their undo. */
export const decisionPages: PageGroup = {
  nav: { section: "main", label: "Decisions", icon: "undo", path: decisionsPath },
  routes: [
    { method: "GET", path: decisionsPath, permission: "read", run: listDecisions },
    { method: "GET", path: decisionPath(":batch"), permission: "read", run: showDecision },
    { method: "POST", path: undoTriagePath, permission: "decide", run: undoTriage },
  ],
};

const perPage = 50;
/** Longest text form of an IPv6 address. */
const addressCharactersMax = 45;

/** The decisions of the last day by everybody, each with a button that undoes it. */
function listDecisions({ services, query, by }: Context<"domains" | "threats">): PageResult {
  const { triage } = services.threats;
  const deciders = triage.deciders();
  const wanted = query.get("by") ?? "";
  const decider = deciders.find((one) => keyOf(one) === wanted);
  const { decisions, total } = triage.recent({ page: pageNumber(query), perPage, by: decider });
  const mine = keyOf(by);
  return page(
    {
      title: "Decisions",
      crumbs: [{ label: "Threats", path: threatsPath }],
      lead: "What the team and its programs decided in the last day. Each decision can be undone for one day. An undo leaves alone what somebody has changed since.",
    },
    <>
      <FilterForm action={decisionsPath}>
        <Select
          label="By"
          name="by"
          any="everybody"
          value={decider === undefined ? "" : wanted}
          choices={deciders.map((one) => ({ value: keyOf(one), label: nameOfActor(one) }))}
        />
        <button type="submit" class="btn">
          Filter
        </button>
        {wanted === mine || !deciders.some((one) => keyOf(one) === mine) ? null : (
          <LinkButton path={pathWith(decisionsPath, new URLSearchParams({ by: mine }))} label="Only mine" />
        )}
      </FilterForm>
      <PagedTable
        caption="Decisions of the last day"
        columns={columns(keywordsReader(services.domains.list()), query)}
        rowsIn={() => decisions}
        total={total}
        perPage={perPage}
        empty={
          wanted === ""
            ? "No decisions in the last day. Those made in the console, on the command line and over the API appear here."
            : "No decisions by this person or program in the last day."
        }
      />
    </>,
  );
}

/** Identifies a person or program in the address. */
function keyOf({ channel, name }: Decider): string {
  return name === null ? channel : `${channel}:${name}`;
}

function columns(keywordsOf: KeywordsOf, query: URLSearchParams): Column<RecentDecision>[] {
  return [
    column("Threats", "wide title", ({ batch, named, threats }) => (
      <>
        {named.map((threat, index) => (
          <>
            {index === 0 ? null : ", "}
            <a href={threatPath(threat.id)}>
              <ComparedName {...threat} keywords={keywordsOf(threat.protectedDomain)} />
            </a>
          </>
        ))}
        {threats > named.length ? (
          <>
            {" "}
            and <a href={decisionPath(batch)}>{grouped(threats - named.length)} more</a>
          </>
        ) : null}
        {threats === 0 ? "Deleted since" : null}
      </>
    )),
    column("Decision", "state", ({ batch, status }) => (
      <a href={decisionPath(batch)}>
        <StatusMark status={status} />
      </a>
    )),
    column("By", "under", ({ at, by }) => (
      <>
        {by === null ? "unknown" : nameOfActor(by)}
        <p>
          <Time at={at} relative />
          <Text text={by?.address} prefix=", " charactersMax={addressCharactersMax} />
        </p>
      </>
    )),
    column(<span class="vh">Undo</span>, "end", (decision) => (
      <UndoState decision={decision} back={pathWith(decisionsPath, query)} />
    )),
  ];
}

/** The button that undoes a decision, or who did. */
function UndoState({
  decision: { batch, undoneAt, undoneBy },
  back,
}: {
  decision: RecentDecision;
  /** Page to return to. */
  back: string;
}) {
  return undoneAt === null ? (
    <PostButton
      action={undoTriagePath}
      label="Undo"
      fields={{ act: String(batch), back }}
      icon="undo"
      small
    />
  ) : (
    <span class="faint">
      Undone <Time at={undoneAt} relative />
      {undoneBy === null ? null : ` by ${nameOfActor(undoneBy)}`}
    </span>
  );
}

const threatsPerPage = 100;

/** All threats of one decision, with the status that each had before and has now. */
function showDecision({ services, params, query }: Context<"domains" | "threats">): PageResult {
  const { triage } = services.threats;
  const decision = triage.decision(parseWholeNumber(params["batch"]) ?? 0);
  if (decision === undefined)
    throw notFound("There is no decision with this number. Decisions are listed for one day.");
  const { at, batch, by, status, threats } = decision;
  const path = decisionPath(batch);
  return page(
    {
      title: `${counted(threats, "threat")} decided: ${inWords(status)}`,
      crumbs: [{ label: "Decisions", path: decisionsPath }],
      lead: (
        <>
          By {by === null ? "unknown" : nameOfActor(by)}, <Time at={at} relative />.
        </>
      ),
      actions: <UndoState decision={decision} back={path} />,
    },
    <PagedTable
      caption="Threats of this decision"
      columns={threatColumns(keywordsReader(services.domains.list()))}
      rowsIn={() => triage.threatsOf(batch, { page: pageNumber(query), perPage: threatsPerPage })}
      total={threats}
      perPage={threatsPerPage}
      path={path}
      query={query}
      empty="The threats have been deleted since."
    />,
  );
}

function threatColumns(keywordsOf: KeywordsOf): Column<DecidedThreat>[] {
  return [
    column("Threat", "wide title", (threat) => (
      <a href={threatPath(threat.id)}>
        <ComparedName {...threat} keywords={keywordsOf(threat.protectedDomain)} />
      </a>
    )),
    column("Before", "state", ({ previousStatus }) => <StatusMark status={previousStatus} />),
    column("Now", "hidden", ({ status }) => <StatusMark status={status} />),
  ];
}

/** Undoes a decision, of one threat or of several; `latest` is the last one of the visitor. */
async function undoTriage({ services, request, form, by, now }: Context<"threats">): Promise<PageResult> {
  const { decisions, triage } = services.threats;
  const given = form.get("act");
  const to = ownPath(form.get("back"));
  const batch = given === "latest" ? triage.latest(by) : (parseWholeNumber(given) ?? 0);
  if (batch === undefined)
    return endDecision(request, { to, flash: { tone: "warning", text: "You have no decision to undo." } });
  const outcome = await decisions.undo(batch, { by });
  return endDecision(request, {
    to,
    flash: undoFlash(outcome, now),
    batch: outcome.outcome === "undone" ? batch : undefined,
  });
}
