import { toIsoTime } from "../../../../platform/lib/clock.ts";
import { Icon } from "../../kit/icons.tsx";
import { PageHead } from "../../kit/components.tsx";
import { Note } from "../../kit/marks.tsx";
import { usePage } from "../../kit/page-context.ts";
import { page, type PageResult } from "../../kit/page-result.ts";
import { systemPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { isAnyHostKnown, readActiveHosts, WhoHosts } from "../../threat-kit/hosts.tsx";
import { SetupCard } from "../first-run/setup-card.tsx";
import { concernsOf } from "./attention.ts";
import { takedownConcerns } from "./takedown-concerns.ts";
import { NewByDomain, readNews } from "./by-domain.tsx";
import {
  highView,
  NeedsAttention,
  readHighThreats,
  readWork,
  threatConcern,
  workConcerns,
} from "./needs-attention.tsx";
import { newestShownMax, NewestThreats } from "./newest.tsx";
import { readDecisionProgress, TimeToDecide } from "./progress.tsx";
import { RunningScan } from "./running-scan.tsx";
import { StatusLine } from "./status-line.tsx";
import { readStatus } from "./status.ts";

const dayAndTime = {
  weekday: "long",
  day: "numeric",
  month: "long",
  hour: "2-digit",
  minute: "2-digit",
} as const;

/** When the page was made, which is what its ages refer to. */
function Now() {
  const { now, reader } = usePage();
  const format = new Intl.DateTimeFormat("en-GB", { ...dayAndTime, timeZone: reader.timeZone });
  return (
    <time class="s faint hide-s" dateTime={toIsoTime(now)} title={reader.times.both(now)}>
      {format.format(now)}
    </time>
  );
}

type OverviewContext = Context<
  | "archive"
  | "auditLog"
  | "backups"
  | "certificateLogs"
  | "conditions"
  | "databaseStatus"
  | "lastReload"
  | "deliveries"
  | "domains"
  | "enrichment"
  | "keys"
  | "readiness"
  | "scans"
  | "setup"
  | "sources"
  | "storage"
  | "storeGrowth"
  | "takedowns"
  | "threatIndex"
  | "untrustedProxy"
>;

/** Shows what needs attention also if the rest of the page cannot be read: from a damaged database, for example. */
export async function showOverview(context: OverviewContext): Promise<PageResult> {
  try {
    return await fullOverview(context);
  } catch (error) {
    const { given, status } = await readStatus(context.services, context.now);
    const concerns = concernsOf(given);
    if (!concerns.some(({ path }) => path === systemPath)) throw error;
    return page(
      "Overview",
      <>
        <PageHead title="Overview">
          <Now />
        </PageHead>
        <StatusLine status={status} />
        <NeedsAttention threats={[]} concerns={concerns} />
        <Note tone="warn" title="The threats cannot be read">
          They are shown again when the problem is solved.
        </Note>
      </>,
    );
  }
}

async function fullOverview({ services, account, now, pause }: OverviewContext): Promise<PageResult> {
  const index = services.threatIndex();
  await index.prepare();
  const newestFirst = { key: "first_seen", descending: true } as const;
  const newest = await index.search(highView, newestFirst, { page: 1, perPage: newestShownMax });
  await pause();
  const hosts = await readActiveHosts(index);
  const capturedAt = services.enrichment.capturesOf(newest.threats.map(({ id }) => id));
  const high = await readHighThreats(index);
  const domains = services.domains.list().filter(({ enabled }) => enabled);
  const news = await readNews(
    index,
    domains.map(({ domain }) => domain),
    now,
  );
  await pause();
  const hasThreats = newest.lastSeq > 0;
  const isNew = !hasThreats || domains.length === 0;
  const { given, status } = await readStatus(services, now);
  const concerns = [...takedownConcerns(services.takedowns.attention()), ...concernsOf(given)];
  const work = workConcerns(await readWork(index, account.name, now), now);
  const toTriage = [...threatConcern(high, now), ...work];
  const isCalm = concerns.length === 0 && toTriage.length === 0;
  const keywords = new Map(domains.map((domain) => [domain.domain, domain.keywords]));
  return page(
    "Overview",
    <>
      <PageHead title="Overview">
        <Now />
      </PageHead>
      <SetupCard services={services} />
      <StatusLine status={status}>
        {isCalm && !isNew ? (
          <li>
            <Icon name="ok" />
            <b>Nothing needs attention.</b>
          </li>
        ) : null}
      </StatusLine>
      {isCalm ? null : <NeedsAttention threats={toTriage} concerns={concerns} />}
      <RunningScan scans={services.scans} />
      <NewestThreats
        threats={newest.threats}
        total={newest.total}
        lastSeq={newest.lastSeq}
        capturedAt={capturedAt}
        keywordsOf={(domain) => keywords.get(domain) ?? []}
      />
      {hasThreats ? (
        <>
          <NewByDomain news={news} />
          <div class={isAnyHostKnown(hosts) ? "cols cols-2" : "cols"}>
            <TimeToDecide progress={await readDecisionProgress(index, now)} />
            <WhoHosts hosts={hosts} />
          </div>
        </>
      ) : null}
    </>,
  );
}
