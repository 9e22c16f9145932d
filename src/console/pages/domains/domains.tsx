import type { ProtectedDomain } from "../../../domains/domains.ts";
import { grouped } from "../../../lib/wording.ts";
import { page, type PageResult } from "../../kit/page-result.ts";
import { addDomain, showNew } from "./domain-form.tsx";
import {
  askToRemove,
  changeDomain,
  isDeclared,
  removeDomain,
  showDomain,
  showLookAlikes,
  threatCounts,
} from "./domain-page.tsx";
import { Button, TextField } from "../../kit/form.tsx";
import { Badge, LinkButton, PageHead } from "../../kit/kit.tsx";
import { Name } from "../../kit/name.tsx";
import { domainPath, domainsPath, newDomainPath } from "../../kit/paths.ts";
import { listPath } from "../threats/threat-filters.ts";
import { pageGroup, type Context } from "../../shell/router.ts";
import { pageNumber, Pagination, Table, type Column } from "../../kit/table.tsx";

const perPage = 50;
/** Fewer than these are found at a glance. */
const searchFrom = 15;

/** Protected domains: what is guarded, adding, changing, taking away. */
export const domainPages = pageGroup({
  nav: { section: "main", label: "Protected domains", path: domainsPath },
  services: ["assessDomain", "domains", "threats"],
  routes: [
    { method: "GET", path: domainsPath, permission: "read", run: showAll },
    { method: "GET", path: newDomainPath, permission: "administer", run: showNew },
    { method: "POST", path: newDomainPath, permission: "administer", run: addDomain },
    { method: "GET", path: `${domainsPath}/:domain`, permission: "read", run: showDomain },
    { method: "POST", path: `${domainsPath}/:domain`, permission: "administer", run: changeDomain },
    { method: "GET", path: `${domainsPath}/:domain/look-alikes`, permission: "read", run: showLookAlikes },
    { method: "GET", path: `${domainsPath}/:domain/remove`, permission: "administer", run: askToRemove },
    { method: "POST", path: `${domainsPath}/:domain/remove`, permission: "administer", run: removeDomain },
  ],
});

type Row = ProtectedDomain & { counts: { all: number; active: number } };

const columns: Column<Row>[] = [
  {
    title: "Domain",
    look: "wide",
    cell: ({ domain }) => (
      <a href={domainPath(domain)}>
        <Name name={domain} />
      </a>
    ),
  },
  { title: "Keywords", cell: ({ keywords }) => shortList(keywords) },
  { title: "Your own names", look: "number", cell: ({ allow }) => grouped(allow.length) },
  {
    title: "Active threats",
    look: "number",
    cell: ({ domain, counts }) => (
      <a href={listPath(new URLSearchParams({ domain }))}>{grouped(counts.active)}</a>
    ),
  },
  { title: "In all", look: "number", cell: ({ counts }) => grouped(counts.all) },
  {
    title: "State",
    look: "tight",
    cell: (row) => (
      <>
        <Badge tone={row.enabled ? "good" : "neutral"}>{row.enabled ? "protected" : "disabled"}</Badge>{" "}
        {isDeclared(row) ? <Badge tone="neutral">configuration file</Badge> : null}
      </>
    ),
  },
];

const wordsShownMax = 3;

function shortList(words: readonly string[]): string {
  const shown = words.slice(0, wordsShownMax).join(", ");
  return words.length > wordsShownMax ? `${shown} and ${words.length - wordsShownMax} more` : shown;
}

function showAll({ services, query }: Context<"domains" | "threats">): PageResult {
  const all = services.domains.list();
  const wanted = (query.get("q") ?? "").trim().toLowerCase();
  const found = all.filter(
    ({ domain, keywords }) => domain.includes(wanted) || keywords.some((word) => word.includes(wanted)),
  );
  const shown = pageNumber(query);
  const rows = found
    .slice((shown - 1) * perPage, shown * perPage)
    .map((row) => ({ ...row, counts: threatCounts(services, row.domain) }));
  const declared = all.some(isDeclared);
  return page(
    "Protected domains",
    <>
      <PageHead
        title="Protected domains"
        lead={
          <>
            The domains whose imitations are looked for.
            {declared
              ? " Those of the configuration file are changed there: it is read again at every start."
              : null}
          </>
        }
      >
        <LinkButton path={newDomainPath} label="Protect a domain" />
      </PageHead>
      {all.length < searchFrom ? null : (
        <form method="get" action={domainsPath} class="filters" role="search">
          <TextField label="Domain or keyword" name="q" type="search" value={wanted} />
          <Button label="Search" variant="secondary" />
        </form>
      )}
      <Table
        caption="Protected domains"
        columns={columns}
        rows={rows}
        empty={
          all.length === 0 ? (
            <>
              Nothing is protected yet. <a href={newDomainPath}>Protect a domain</a> to begin.
            </>
          ) : (
            "No protected domain is of that name."
          )
        }
      />
      {found.length > perPage ? (
        <Pagination page={shown} perPage={perPage} total={found.length} path={domainsPath} query={query} />
      ) : null}
    </>,
  );
}
