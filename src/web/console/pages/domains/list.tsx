import type { ComponentChildren } from "preact";
import type { ProtectedDomain } from "../../../../threats/domains/domains.ts";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { SplitBar, SplitNumbers, totalOf, type SeverityCounts } from "../../charts/split-bar.tsx";
import { LinkButton } from "../../kit/components.tsx";
import { formatDay } from "../../kit/fields.ts";
import { Button, FilterForm, TextField } from "../../kit/form.tsx";
import { StateMark, Name, Text } from "../../kit/inline.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { domainPath, domainsPath, newDomainPath } from "../../kit/paths.ts";
import { column, Amount, Empty, ListTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { listPath } from "../../threat-kit/filters.ts";
import { isDeclared } from "../../threat-kit/domains.ts";
import { CheckState, readLastChecks, type LastCheck } from "./checks.tsx";
import { firstNewDay, none, readNewThreats, type NewThreats } from "./numbers.ts";

/** The search form is shown from this number of domains on. */
const searchDomainsMin = 15;
const keywordsShownMax = 3;

interface Row {
  domain: ProtectedDomain;
  open: SeverityCounts;
  news: NewThreats;
  checked: LastCheck;
}

/** Orders of the list; the first one is the default. */
const orders = ["open", "new", "name", "checked"] as const;
type Order = (typeof orders)[number];

export async function listDomains({
  services,
  query,
  now,
}: Context<"archiveChecks" | "domains" | "scans" | "threatIndex">): Promise<PageResult> {
  const all = services.domains.list();
  const wanted = (query.get("q") ?? "").trim().toLowerCase();
  const found = all.filter(
    ({ domain, keywords }) => domain.includes(wanted) || keywords.some((word) => word.includes(wanted)),
  );
  const order = orders.find((one) => one === query.get("sort")) ?? orders[0];
  const rows = sorted(await readRows(services, found, now), order);
  const isAnyDeclared = all.some(isDeclared);
  return page(
    {
      title: "Protected domains",
      lead: `Domains whose look-alikes are detected.${isAnyDeclared ? " To change one from the configuration file, edit the file." : ""}`,
      actions: <LinkButton path={newDomainPath} label="Protect a domain" variant="primary" icon="plus" />,
    },
    <>
      {all.length < searchDomainsMin ? null : (
        <FilterForm action={domainsPath}>
          <TextField label="Domain or keyword" name="q" type="search" value={wanted} />
          <Button label="Search" />
        </FilterForm>
      )}
      <ListTable
        caption="Protected domains"
        columns={columnsOf(query, order, now)}
        rows={rows}
        empty={
          all.length === 0 ? (
            <Empty
              title="No protected domains"
              action={<LinkButton path={newDomainPath} label="Protect a domain" />}
            >
              Add the domain that your customers know. Its look-alikes are then detected.
            </Empty>
          ) : (
            "No protected domains match this search."
          )
        }
      />
    </>,
  );
}

async function readRows(
  { archiveChecks, scans, threatIndex }: Context<"archiveChecks" | "scans" | "threatIndex">["services"],
  domains: readonly ProtectedDomain[],
  now: Instant,
): Promise<Row[]> {
  const index = threatIndex();
  await index.prepare();
  const newThreats = await readNewThreats(index, now);
  const open = await index.openByDomain();
  const lastCheck = readLastChecks({ archiveChecks, scans });
  return domains.map((domain) => ({
    domain,
    open: open.get(domain.domain) ?? none,
    news: newThreats(domain.domain),
    checked: lastCheck(domain.domain),
  }));
}

function sorted(rows: Row[], order: Order): Row[] {
  const keys: Record<Exclude<Order, "name">, (row: Row) => number> = {
    open: ({ open }) => totalOf(open),
    new: ({ news }) => news.recent,
    checked: ({ checked }) => checked.at ?? 0,
  };
  // The domains come by name, and disabled ones are of interest last.
  const key = order === "name" ? () => 0 : keys[order];
  return rows.toSorted((a, b) => Number(b.domain.enabled) - Number(a.domain.enabled) || key(b) - key(a));
}

function columnsOf(query: URLSearchParams, order: Order, now: Instant): Column<Row>[] {
  const heading = (of: Order, label: string) => (
    <SortLink query={query} of={of} current={order}>
      {label}
    </SortLink>
  );
  const from = formatDay(firstNewDay(now));
  return [
    column(heading("name", "Domain"), "wide title", DomainCell),
    column(heading("open", "To decide"), "number state", ({ domain: { domain }, open }) => {
      const total = totalOf(open);
      return (
        <Amount
          count={total}
          unit="to decide"
          units="to decide"
          path={listPath(new URLSearchParams({ domain }))}
        />
      );
    }),
    column(<span class="vh">By severity</span>, "hidden", ({ open }) =>
      totalOf(open) === 0 ? null : (
        <div class="of-domain">
          <SplitBar counts={open} />
          <SplitNumbers counts={open} />
        </div>
      ),
    ),
    column(heading("new", "New in 7 days"), "number under", ({ domain: { domain }, news: { recent } }) => (
      <Amount
        count={recent}
        unit="new in 7 days"
        units="new in 7 days"
        path={listPath(new URLSearchParams({ status: "all", domain, from }))}
      />
    )),
    column("30 days", "hidden", ({ domain: { domain }, news }) => (
      <Sparkline label={`New threats of ${domain} per day`} values={news.days.map(totalOf)} />
    )),
    column(heading("checked", "Last checked"), "tight end", ({ domain, checked }) =>
      domain.enabled ? (
        <span class="faint">
          <CheckState checked={checked} />
        </span>
      ) : (
        <StateMark tone="neutral">Disabled</StateMark>
      ),
    ),
  ];
}

function DomainCell({ domain: row }: Row) {
  const { domain, keywords, enabled } = row;
  return (
    <>
      <a class={enabled ? "ink" : "faint"} href={domainPath(domain)}>
        <Name name={domain} />
      </a>
      {keywords.length === 0 && !isDeclared(row) ? null : (
        <p class="hide-s">
          {keywords.length === 0 ? null : <Text text={shortList(keywords)} />}
          {isDeclared(row) ? `${keywords.length === 0 ? "" : " · "}configuration file` : null}
        </p>
      )}
    </>
  );
}

function shortList(words: readonly string[]): string {
  const shown = words.slice(0, keywordsShownMax).join(", ");
  return words.length > keywordsShownMax ? `${shown} and ${words.length - keywordsShownMax} more` : shown;
}

function SortLink(props: { query: URLSearchParams; of: Order; current: Order; children: ComponentChildren }) {
  const { query, of, current, children } = props;
  if (of === current) return <span class="ink">{children}</span>;
  const next = new URLSearchParams(query);
  next.delete("page");
  next.set("sort", of);
  return <a href={`${domainsPath}?${next}`}>{children}</a>;
}
