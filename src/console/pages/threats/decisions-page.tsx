import { describeActor } from "../../../access/audit/actor.ts";
import { grouped } from "../../../lib/wording.ts";
import type { RecentDecision } from "../../../threats/triage/recent-decisions.ts";
import { PageHead, Time } from "../../kit/components.tsx";
import { PostButton } from "../../kit/form.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { decisionsPath, threatPath, threatsPath, undoTriagePath } from "../../kit/paths.ts";
import { type Column, PagedTable, pageNumber } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { compareNames, ComparedName } from "../../threat-kit/compared-name.tsx";
import { StatusMark } from "../../threat-kit/severity.tsx";

const perPage = 50;

/** The decisions of the last day, each with a button that undoes it. */
export function listDecisions({ services, query }: Context<"domains" | "threats">): PageResult {
  const { decisions, total } = services.threats.triage.recent({ page: pageNumber(query), perPage });
  const keywords = new Map(services.domains.list().map((domain) => [domain.domain, domain.keywords]));
  return page(
    "Recent decisions",
    <>
      <PageHead
        title="Recent decisions"
        crumbs={[{ label: "Threats", path: threatsPath }]}
        lead="A decision can be undone for one day. An undo leaves alone what somebody else has changed since."
      />
      <PagedTable
        caption="Recent decisions"
        columns={columns((domain) => keywords.get(domain) ?? [])}
        rowsIn={() => decisions}
        total={total}
        perPage={perPage}
        path={decisionsPath}
        query={query}
        empty="No decisions in the last day. Those made in the console appear here."
      />
    </>,
  );
}

function columns(keywordsOf: (protectedDomain: string) => readonly string[]): Column<RecentDecision>[] {
  return [
    {
      title: "Threats",
      layout: "wide",
      cell: ({ named, threats }) => (
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
          {threats > named.length ? ` and ${grouped(threats - named.length)} more` : null}
          {threats === 0 ? "Deleted since" : null}
        </>
      ),
    },
    { title: "Decision", cell: ({ status }) => <StatusMark status={status} /> },
    {
      title: "By",
      fold: "under",
      cell: ({ at, by }) => (
        <>
          <Time at={at} relative />
          <p>{by === null ? "unknown" : describeActor(by)}</p>
        </>
      ),
    },
    {
      title: <span class="vh">Undo</span>,
      fold: "end",
      cell: ({ batch, undoneAt }) =>
        undoneAt === null ? (
          <PostButton
            action={undoTriagePath}
            label="Undo"
            fields={{ act: String(batch), back: decisionsPath }}
            icon="undo"
            small
          />
        ) : (
          <span class="faint">
            Undone <Time at={undoneAt} relative />
          </span>
        ),
    },
  ];
}
