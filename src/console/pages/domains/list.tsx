import type { ProtectedDomain } from "../../../domains/domains.ts";
import { grouped } from "../../../lib/wording.ts";
import type { ArchiveCheckStatus } from "../../../sources/archive-checks/archive-checks.ts";
import { LinkButton, PageHead } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { Button, TextField } from "../../kit/form.tsx";
import { Name } from "../../kit/name.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { domainPath, domainsPath, newDomainPath } from "../../kit/paths.ts";
import { PagedTable, pagesOf, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { listPath } from "../../threat-kit/filters.ts";
import { CheckBadge } from "./checks.tsx";
import { isDeclared, threatCounts } from "./detail.tsx";

const perPage = 50;
/** The search form is shown from this number of domains on. */
const searchDomainsMin = 15;

type Row = ProtectedDomain & {
  counts: { all: number; active: number };
  check: ArchiveCheckStatus | undefined;
};

const columns: Column<Row>[] = [
  {
    title: "Domain",
    layout: "wide",
    cell: ({ domain }) => (
      <a href={domainPath(domain)}>
        <Name name={domain} />
      </a>
    ),
  },
  { title: "Keywords", cell: ({ keywords }) => shortList(keywords) },
  { title: "Allow list", layout: "number", cell: ({ allow }) => grouped(allow.length) },
  {
    title: "Active threats",
    layout: "number",
    cell: ({ domain, counts }) => (
      <a href={listPath(new URLSearchParams({ domain }))}>{grouped(counts.active)}</a>
    ),
  },
  { title: "Total", layout: "number", cell: ({ counts }) => grouped(counts.all) },
  {
    title: "State",
    layout: "tight",
    cell: (row) => (
      <>
        <StateMark tone={row.enabled ? "good" : "neutral"}>
          {row.enabled ? "protected" : "disabled"}
        </StateMark>{" "}
        {isDeclared(row) ? <StateMark tone="neutral">configuration file</StateMark> : null}{" "}
        <CheckBadge check={row.check} />
      </>
    ),
  },
];

const wordsShownMax = 3;

function shortList(words: readonly string[]): string {
  const shown = words.slice(0, wordsShownMax).join(", ");
  return words.length > wordsShownMax ? `${shown} and ${words.length - wordsShownMax} more` : shown;
}

export function listDomains({
  services,
  query,
}: Context<"archiveChecks" | "domains" | "threats">): PageResult {
  const all = services.domains.list();
  const checks = new Map(services.archiveChecks.list().map((check) => [check.domain, check]));
  const wanted = (query.get("q") ?? "").trim().toLowerCase();
  const found = all.filter(
    ({ domain, keywords }) => domain.includes(wanted) || keywords.some((word) => word.includes(wanted)),
  );
  const declared = all.some(isDeclared);
  return page(
    "Protected domains",
    <>
      <PageHead
        title="Protected domains"
        lead={
          <>
            Domains whose look-alikes are detected.
            {declared ? " To change a domain from the configuration file, edit the file and restart." : null}
          </>
        }
      >
        <LinkButton path={newDomainPath} label="Protect a domain" />
      </PageHead>
      {all.length < searchDomainsMin ? null : (
        <form method="get" action={domainsPath} class="line filters" role="search">
          <TextField label="Domain or keyword" name="q" type="search" value={wanted} />
          <Button label="Search" />
        </form>
      )}
      <PagedTable
        caption="Protected domains"
        columns={columns}
        rowsIn={(range) =>
          pagesOf(found)(range).map((row) => ({
            ...row,
            counts: threatCounts(services, row.domain),
            check: checks.get(row.domain),
          }))
        }
        total={found.length}
        perPage={perPage}
        path={domainsPath}
        query={query}
        empty={
          all.length === 0 ? (
            <>
              No protected domains yet. <a href={newDomainPath}>Protect a domain</a> to detect its
              look-alikes.
            </>
          ) : (
            "No protected domains match this search."
          )
        }
      />
    </>,
  );
}
