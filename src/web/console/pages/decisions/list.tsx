import { grouped } from "../../../../platform/lib/wording.ts";
import type { Decider, RecentDecision } from "../../../../threats/threats/triage/recent-decisions.ts";
import { LinkButton, PageHead, Time } from "../../kit/components.tsx";
import { PostButton, Select } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import {
  decisionPath,
  decisionsPath,
  pathWith,
  threatPath,
  threatsPath,
  undoTriagePath,
} from "../../kit/paths.ts";
import { column, type Column, PagedTable, pageNumber } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { compareNames, ComparedName } from "../../threat-kit/compared-name.tsx";
import { nameOfActor } from "../../threat-kit/decisions.ts";
import { StatusMark } from "../../threat-kit/severity.tsx";

const perPage = 50;
/** Longest text form of an IPv6 address. */
const addressCharactersMax = 45;

/** The decisions of the last day by everybody, each with a button that undoes it. */
export function listDecisions({ services, query, by }: Context<"domains" | "threats">): PageResult {
  const { triage } = services.threats;
  const deciders = triage.deciders();
  const wanted = query.get("by") ?? "";
  const decider = deciders.find((one) => keyOf(one) === wanted);
  const { decisions, total } = triage.recent({ page: pageNumber(query), perPage, by: decider });
  const keywords = new Map(services.domains.list().map((domain) => [domain.domain, domain.keywords]));
  const mine = keyOf(by);
  return page(
    "Decisions",
    <>
      <PageHead
        title="Decisions"
        crumbs={[{ label: "Threats", path: threatsPath }]}
        lead="What the team and its programs decided in the last day. Each decision can be undone for one day. An undo leaves alone what somebody has changed since."
      />
      <form class="line filters" method="get" action={decisionsPath} role="search">
        <Select
          label="By"
          name="by"
          value={decider === undefined ? "" : wanted}
          choices={[
            { value: "", label: "everybody" },
            ...deciders.map((one) => ({ value: keyOf(one), label: nameOfActor(one) })),
          ]}
        />
        <button type="submit" class="btn">
          Filter
        </button>
        {wanted === mine || !deciders.some((one) => keyOf(one) === mine) ? null : (
          <LinkButton path={pathWith(decisionsPath, new URLSearchParams({ by: mine }))} label="Only mine" />
        )}
      </form>
      <PagedTable
        caption="Decisions of the last day"
        columns={columns((domain) => keywords.get(domain) ?? [], query)}
        rowsIn={() => decisions}
        total={total}
        perPage={perPage}
        path={decisionsPath}
        query={query}
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

function columns(
  keywordsOf: (protectedDomain: string) => readonly string[],
  query: URLSearchParams,
): Column<RecentDecision>[] {
  return [
    column("Threats", "wide title", ({ batch, named, threats }) => (
      <>
        {named.map(({ id, domain, protectedDomain }, index) => (
          <>
            {index === 0 ? null : ", "}
            <a href={threatPath(id)}>
              <ComparedName
                name={domain}
                comparison={compareNames(domain, protectedDomain, keywordsOf(protectedDomain))}
              />
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
          {by === null || by.address === null ? null : (
            <>
              , <Text text={by.address} charactersMax={addressCharactersMax} />
            </>
          )}
        </p>
      </>
    )),
    column(<span class="vh">Undo</span>, "end", (decision) => (
      <UndoState decision={decision} back={pathWith(decisionsPath, query)} />
    )),
  ];
}

/** The button that undoes a decision, or who did. */
export function UndoState({
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
