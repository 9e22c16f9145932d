import { notFound } from "../../../../platform/lib/errors.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import type { DecidedThreat } from "../../../../threats/threats/triage/recent-decisions.ts";
import { PageHead, Time } from "../../kit/components.tsx";
import { parseWholeNumber } from "../../kit/fields.ts";
import { inWords } from "../../kit/labels.ts";
import { page, type PageResult } from "../../kit/page-result.ts";
import { decisionPath, decisionsPath, threatPath } from "../../kit/paths.ts";
import { column, type Column, PagedTable, pageNumber } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { compareNames, ComparedName } from "../../threat-kit/compared-name.tsx";
import { nameOfActor } from "../../threat-kit/decisions.ts";
import { StatusMark } from "../../threat-kit/severity.tsx";
import { UndoState } from "./list.tsx";

const perPage = 100;

/** All threats of one decision, with the status that each had before and has now. */
export function showDecision({ services, params, query }: Context<"domains" | "threats">): PageResult {
  const { triage } = services.threats;
  const decision = triage.decision(parseWholeNumber(params["batch"]) ?? 0);
  if (decision === undefined)
    throw notFound("There is no decision with this number. Decisions are listed for one day.");
  const { at, batch, by, status, threats } = decision;
  const path = decisionPath(batch);
  const keywords = new Map(services.domains.list().map((domain) => [domain.domain, domain.keywords]));
  const title = `${counted(threats, "threat")} decided: ${inWords(status)}`;
  return page(
    title,
    <>
      <PageHead
        title={title}
        crumbs={[{ label: "Decisions", path: decisionsPath }]}
        lead={
          <>
            By {by === null ? "unknown" : nameOfActor(by)}, <Time at={at} relative />.
          </>
        }
      >
        <UndoState decision={decision} back={path} />
      </PageHead>
      <PagedTable
        caption="Threats of this decision"
        columns={columns((domain) => keywords.get(domain) ?? [])}
        rowsIn={() => triage.threatsOf(batch, { page: pageNumber(query), perPage })}
        total={threats}
        perPage={perPage}
        path={path}
        query={query}
        empty="The threats have been deleted since."
      />
    </>,
  );
}

function columns(keywordsOf: (protectedDomain: string) => readonly string[]): Column<DecidedThreat>[] {
  return [
    column("Threat", "wide title", ({ id, domain, protectedDomain }) => (
      <a href={threatPath(id)}>
        <ComparedName
          name={domain}
          comparison={compareNames(domain, protectedDomain, keywordsOf(protectedDomain))}
        />
      </a>
    )),
    column("Before", "state", ({ previousStatus }) => <StatusMark status={previousStatus} />),
    column("Now", "hidden", ({ status }) => <StatusMark status={status} />),
  ];
}
