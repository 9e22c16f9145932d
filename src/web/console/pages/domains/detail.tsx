import type { ProtectedDomain } from "../../../../threats/domains/domains.ts";
import { dayMs } from "../../../../platform/lib/clock.ts";
import { spanText } from "../../../../platform/lib/durations.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import type { FoundThreat } from "../../../../threats/index/threat-index.ts";
import { severities } from "../../../../platform/vocabulary/threats.ts";
import { Bars } from "../../charts/bars.tsx";
import { DaysChart } from "../../charts/days-chart.tsx";
import { hasEnoughDays } from "../../charts/sparkline.tsx";
import { changeText, SplitBar, SplitNumbers, totalOf } from "../../charts/split-bar.tsx";
import { Card, LinkButton, PageHead, Time, Note } from "../../kit/components.tsx";
import { Menu, MenuLink } from "../../kit/disclosure.tsx";
import { formatDay } from "../../kit/fields.ts";
import { PostButton } from "../../kit/form.tsx";
import { Icon, Name } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import { fragment, page, type PageResult } from "../../kit/page-result.ts";
import {
  domainPath,
  domainsPath,
  newDomainPath,
  originalsPath,
  startScanPath,
  threatPath,
} from "../../kit/paths.ts";
import { column, Table, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { ComparedName } from "../../threat-kit/compared-name.tsx";
import { listPath } from "../../threat-kit/filters.ts";
import { readActiveHosts, WhoHosts, type ActiveHosts } from "../../threat-kit/hosts.tsx";
import { SeverityMark, TypeName } from "../../threat-kit/threat-marks.tsx";
import { findDomain, isDeclared } from "../../threat-kit/domains.ts";
import { ChecksCard, isInProgress, readChecks, type CheckServices, type DomainChecks } from "./checks.tsx";
import { formOf } from "./form.tsx";
import {
  chartDays,
  firstChartDay,
  firstNewDay,
  newDays,
  readNumbers,
  type DomainNumbers,
} from "./numbers.ts";
import { OwnPagesCard, readOwnPages, type OwnPages } from "./own-pages.tsx";

const threatsShownMax = 6;

type DetailServices = CheckServices | "domains" | "enrichment" | "originals" | "threatIndex" | "traps";

/** Everything that the page shows. */
interface DomainPageProps {
  domain: ProtectedDomain;
  numbers: DomainNumbers;
  hosts: ActiveHosts;
  /** Active threats, most severe first. */
  worst: readonly FoundThreat[];
  checks: DomainChecks;
  own: OwnPages;
}

export async function showDomain(context: Context<DetailServices>): Promise<PageResult> {
  const domain = findDomain(context);
  const { domain: name } = domain;
  const index = context.services.threatIndex();
  await index.prepare();
  const order = { key: "severity", descending: true } as const;
  const active = { protectedDomain: name, status: "active" } as const;
  const { threats: worst } = await index.search(active, order, { page: 1, perPage: threatsShownMax });
  const props: DomainPageProps = {
    domain,
    numbers: await readNumbers(index, name, context.now),
    hosts: await readActiveHosts(index, name),
    worst,
    checks: readChecks(context, name),
    own: await readOwnPages(context, domain),
  };
  return page(name, <DomainPage {...props} />);
}

export function showChecks(context: Context<CheckServices | "domains">): PageResult {
  const { domain } = findDomain(context);
  return fragment(<ChecksCard checks={readChecks(context, domain)} withThreats />);
}

function DomainPage({ domain, numbers, hosts, worst, checks, own }: DomainPageProps) {
  const { enabled } = domain;
  const isBusy = enabled && isInProgress(checks);
  const checksCard = enabled ? <ChecksCard checks={checks} withThreats={isBusy} /> : null;
  return (
    <>
      <Head domain={domain} hasThreats={numbers.all > 0} />
      {enabled ? null : (
        <Note tone="warn" title="This domain is no longer protected">
          New look-alikes are not detected. Its threats are kept.
        </Note>
      )}
      {isBusy ? checksCard : null}
      <div class="cols cols-main">
        <div class="stack">
          {numbers.all === 0 ? <NothingFound domain={domain.domain} isBusy={isBusy} /> : null}
          {numbers.all === 0 ? null : <Figures domain={domain.domain} numbers={numbers} />}
          <NewByDay domain={domain.domain} numbers={numbers} />
          <Worst domain={domain} numbers={numbers} threats={worst} />
          <Types domain={domain.domain} numbers={numbers} />
          <WhoHosts hosts={hosts} />
        </div>
        <div class="stack">
          {isBusy ? null : checksCard}
          <OwnPagesCard own={own} />
        </div>
      </div>
    </>
  );
}

function Head({ domain: row, hasThreats }: { domain: ProtectedDomain; hasThreats: boolean }) {
  const { may } = usePage();
  const { domain, enabled } = row;
  const path = domainPath(domain);
  const canRemove = enabled && !isDeclared(row) && may("administer");
  return (
    <PageHead title={<Name name={domain} />} crumbs={[{ label: "Protected domains", path: domainsPath }]}>
      {hasThreats ? (
        <LinkButton
          path={listPath(new URLSearchParams({ domain }))}
          label="View threats"
          variant={enabled ? "primary" : undefined}
        />
      ) : null}
      {enabled ? (
        <PostButton
          action={startScanPath}
          label="Scan now"
          icon="scan"
          fields={{ domain }}
          variant={hasThreats ? undefined : "primary"}
        />
      ) : (
        <PostButton
          action={newDomainPath}
          label="Protect again"
          fields={{ ...Object.fromEntries(formOf(row)), step: "add" }}
          variant="primary"
        />
      )}
      <Menu>
        {canRemove ? (
          <MenuLink path={`${path}/edit`} icon="note" label="Edit keywords and allowed names" />
        ) : null}
        <MenuLink path={originalsPath(domain)} icon="image" label="Original pages and logos" />
        <MenuLink path={`${path}/look-alikes`} icon="grid" label="Possible look-alikes" />
        {canRemove ? <MenuLink path={`${path}/remove`} icon="x" label="Stop protecting" danger /> : null}
      </Menu>
    </PageHead>
  );
}

function NothingFound({ domain, isBusy }: { domain: string; isBusy: boolean }) {
  return (
    <Card>
      <div class="empty">
        <Icon name={isBusy ? "clock" : "ok"} />
        <h2>{isBusy ? "Nothing found so far" : "No threats found"}</h2>
        <p>
          {isBusy
            ? "What the checks find is counted above."
            : "New look-alikes appear here when a scan or a source finds them."}
        </p>
        <LinkButton path={`${domainPath(domain)}/look-alikes`} label="See possible look-alikes" />
      </div>
    </Card>
  );
}

function Figures({ domain, numbers }: { domain: string; numbers: DomainNumbers }) {
  const { now } = usePage();
  const { open, news, decided, medianMs } = numbers;
  const from = formatDay(firstNewDay(now));
  return (
    <div class="cols cols-3">
      <div class="card stat">
        <a class="big ink" href={listPath(new URLSearchParams({ domain }))}>
          {grouped(totalOf(open))}
        </a>
        <span class="s">to decide</span>
        <SplitBar counts={open} />
        <SplitNumbers counts={open} />
      </div>
      <div class="card stat">
        <a class="big ink" href={listPath(new URLSearchParams({ status: "all", domain, from }))}>
          {grouped(news.recent)}
        </a>
        <span class="s">new in {newDays} days</span>
        <span class="xs faint">{changeText(news.recent, news.before, "the week before")}</span>
      </div>
      <div class="card stat">
        <span class="big">{medianMs === null ? "–" : spanText(medianMs)}</span>
        <span class="s">median time to decide</span>
        <span class="xs faint">
          {decided === 0 ? "nothing decided" : `${grouped(decided)} decided`} in {chartDays} days
        </span>
      </div>
    </div>
  );
}

const layers = severities.map((key) => ({ key, label: key, color: key }));

function NewByDay({ domain, numbers: { news } }: { domain: string; numbers: DomainNumbers }) {
  const { now } = usePage();
  if (!hasEnoughDays(news.days.map(totalOf))) return null;
  const first = firstChartDay(now);
  return (
    <Card title="New threats by day" aside={<span class="faint">last {chartDays} days (UTC)</span>}>
      <DaysChart
        caption={`New threats of ${domain} by day`}
        days={news.days.map((counts, index) => ({ day: first + index * dayMs, ...counts }))}
        layers={layers}
      />
    </Card>
  );
}

function Worst(props: { domain: ProtectedDomain; numbers: DomainNumbers; threats: readonly FoundThreat[] }) {
  const { numbers, threats } = props;
  const { domain, keywords } = props.domain;
  if (threats.length === 0) return null;
  const view = new URLSearchParams({ domain });
  const columns: Column<FoundThreat>[] = [
    column("Look-alike", "wide title", ({ id, domain: name }) => (
      <a class="ink" href={threatPath(id, view)}>
        <ComparedName domain={name} protectedDomain={domain} keywords={keywords} />
      </a>
    )),
    column("Severity", "tight state", ({ severity, verified }) => (
      <SeverityMark severity={severity} verified={verified} />
    )),
    column("Type", "tight under", ({ type }) => <TypeName type={type} />),
    column("First seen", "number end", ({ firstSeen }) => <Time at={firstSeen} relative="short" />),
  ];
  return (
    <section class="section" aria-labelledby="to-decide">
      <header class="card-head">
        <h2 id="to-decide">To decide</h2>
        <a class="s" href={listPath(view)}>
          All {grouped(totalOf(numbers.open))}
        </a>
      </header>
      <Table caption="Threats to decide, most severe first" columns={columns} rows={threats} empty="" />
    </section>
  );
}

function Types({ domain, numbers: { types } }: { domain: string; numbers: DomainNumbers }) {
  if (types.length === 0) return null;
  const active = types.reduce((sum, { total }) => sum + total, 0);
  return (
    <Card title="How they deceive" aside={<span class="faint">{counted(active, "active threat")}</span>}>
      <Bars
        caption="Active threats by type"
        rows={types.map(({ type, total }) => ({
          label: <TypeName type={type} />,
          value: total,
          path: listPath(new URLSearchParams({ domain, type })),
        }))}
      />
    </Card>
  );
}
