import { dayMs, startOfDay, type Instant } from "../../../../platform/lib/clock.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import type { ThreatIndex } from "../../../../threats/index/threat-index.ts";
import { chartDaysMin, Sparkline } from "../../charts/sparkline.tsx";
import { HeatKey, HeatMap } from "../../charts/heat-map.tsx";
import {
  changeText,
  SeverityKey,
  SplitBar,
  SplitNumbers,
  sumOf,
  totalOf,
  type SeverityCounts,
} from "../../charts/split-bar.tsx";
import { formatDay } from "../../kit/fields.ts";
import { Name } from "../../kit/inline.tsx";
import { domainPath, domainsPath } from "../../kit/paths.ts";
import { shortDay } from "../../kit/times.ts";
import { listPath } from "../../threat-kit/filters.ts";
import { startOfWeek, weekMs } from "./progress.tsx";

/** Protected domains with a card; the rest is behind a link. */
const cardsMax = 9;
const sparklineDays = 30;
const heatWeeks = 16;
const recentDays = 7;
/** A heat map of fewer weeks says less than the cards. */
const heatWeeksMin = 2;

/** New and open threats of one protected domain. */
interface DomainNews {
  domain: string;
  /** New threats by day; the last one is today. */
  days: readonly SeverityCounts[];
  /** New threats by week; the last one is the present week. */
  weeks: readonly SeverityCounts[];
  toDecide: number;
}

export interface News {
  /** Those with cards, most new threats first; quiet ones have none. */
  domains: readonly DomainNews[];
  /** Number of protected domains without a card. */
  others: number;
  /** Number of days since the first threat that the counts contain. */
  daysOfData: number;
  firstDay: Instant;
  firstWeek: Instant;
}

const none: SeverityCounts = { high: 0, medium: 0, low: 0 };
const noDays = Array.from({ length: sparklineDays }, () => none);
const noWeeks = Array.from({ length: heatWeeks }, () => none);

/** @param domains names of the enabled protected domains */
export async function readNews(index: ThreatIndex, domains: readonly string[], now: Instant): Promise<News> {
  const firstDay = startOfDay(now) - (sparklineDays - 1) * dayMs;
  const firstWeek = startOfWeek(now) - (heatWeeks - 1) * weekMs;
  const byDay = await index.newByDomain({ from: firstDay, periodMs: dayMs, count: sparklineDays });
  const byWeek = await index.newByDomain({ from: firstWeek, periodMs: weekMs, count: heatWeeks });
  const open = await index.openByDomain();
  const all = domains
    .filter((domain) => byDay.has(domain) || byWeek.has(domain) || open.has(domain))
    .map((domain) => {
      const days = byDay.get(domain) ?? noDays;
      const weeks = byWeek.get(domain) ?? noWeeks;
      const fresh = totalOf(recent({ days }));
      return { domain, days, weeks, fresh, toDecide: totalOf(open.get(domain) ?? none) };
    })
    .sort((a, b) => b.fresh - a.fresh || b.toDecide - a.toDecide);
  const shown = all.slice(0, cardsMax);
  return {
    domains: shown,
    others: domains.length - shown.length,
    daysOfData: daysOfData(all),
    firstDay,
    firstWeek,
  };
}

function daysOfData(all: readonly DomainNews[]): number {
  const firstDay = all.map(({ days }) => days.findIndex((counts) => totalOf(counts) > 0));
  const days = sparklineDays - Math.min(sparklineDays, ...firstDay.filter((day) => day !== -1));
  const total = (of: "days" | "weeks") => all.reduce((sum, one) => sum + totalOf(sumOf(one[of])), 0);
  return total("weeks") > total("days") ? Math.max(days, sparklineDays) : days;
}

const recent = ({ days }: Pick<DomainNews, "days">) => sumOf(days.slice(-recentDays));

/** New threats by protected domain: a card for each, and the weeks as a heat map. */
export function NewByDomain({ news }: { news: News }) {
  const { domains, others } = news;
  if (domains.length === 0) return null;
  const columns = domains.length === 1 ? "" : domains.length === 2 ? " cols-2" : " cols-3";
  return (
    <section class="stack" aria-labelledby="news">
      <div class="card-head">
        <h2 id="news">New by protected domain</h2>
        <SeverityKey />
      </div>
      <div class={`cols${columns}`}>
        {domains.map((one) => (
          <DomainCard one={one} news={news} />
        ))}
      </div>
      {others === 0 ? null : (
        <p class="s">
          <a href={domainsPath}>
            {grouped(others)} more protected {others === 1 ? "domain" : "domains"}
          </a>
        </p>
      )}
      {news.daysOfData >= chartDaysMin ? <Weeks news={news} /> : null}
    </section>
  );
}

function DomainCard({ one, news }: { one: DomainNews; news: News }) {
  const { domain, days, toDecide } = one;
  const counts = recent(one);
  const total = totalOf(counts);
  const before = totalOf(sumOf(days.slice(-2 * recentDays, -recentDays)));
  const from = news.firstDay + (sparklineDays - recentDays) * dayMs;
  return (
    <article class="card stack">
      <header>
        <h3>
          <a class="ink" href={domainPath(domain)}>
            <Name name={domain} />
          </a>
        </h3>
        {toDecide === 0 ? (
          <span class="faint">none to decide</span>
        ) : (
          <a href={listPath(new URLSearchParams({ domain }))}>{grouped(toDecide)} to decide</a>
        )}
      </header>
      <div class="line">
        <a
          class="big ink"
          href={listPath(new URLSearchParams({ status: "all", domain, from: formatDay(from) }))}
        >
          {grouped(total)}
        </a>
        <span class="s faint">
          new in {recentDays} days
          {news.daysOfData <= recentDays ? null : (
            <>
              <br />
              {changeText(total, before, "the week before")}
            </>
          )}
        </span>
      </div>
      <Sparkline label={`New threats of ${domain} per day`} values={days.map(totalOf)} full />
      <div class="stack gap-s">
        {total === 0 ? null : <SplitBar counts={counts} />}
        <SplitNumbers counts={counts} />
      </div>
    </article>
  );
}

/** New threats by week and protected domain, from the first week that has any. */
function Weeks({ news: { domains, firstWeek } }: { news: News }) {
  const active = domains.filter(({ weeks }) => totalOf(sumOf(weeks)) > 0);
  const first = Math.min(...active.map(({ weeks }) => weeks.findIndex((counts) => totalOf(counts) > 0)));
  if (heatWeeks - first < heatWeeksMin) return null;
  const starts = Array.from({ length: heatWeeks - first }, (_, week) => firstWeek + (first + week) * weekMs);
  return (
    <section class="card">
      <header>
        <h3>New threats by week</h3>
        <HeatKey />
      </header>
      <HeatMap
        caption="New threats by protected domain and week (UTC, from Monday)"
        rowHeading="Protected domain"
        columns={starts.map(shortDay)}
        rows={active.map(({ domain, weeks }) => ({
          label: (
            <span class="cut">
              <Name name={domain} />
            </span>
          ),
          values: weeks.slice(first).map(totalOf),
          cell: (week) => {
            const start = starts[week]!;
            const period = { from: formatDay(start), to: formatDay(start + weekMs - 1) };
            return {
              path: listPath(new URLSearchParams({ status: "all", domain, ...period })),
              label: `${grouped(totalOf(weeks[first + week]!))} new for ${domain} in the week of ${shortDay(start)}`,
            };
          },
        }))}
      />
    </section>
  );
}
