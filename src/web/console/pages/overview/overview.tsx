import type { VNode } from "preact";
import { toIsoTime, type Instant } from "../../../../platform/lib/clock.ts";
import { grouped, counted } from "../../../../platform/lib/wording.ts";
import type { SearchResult } from "../../../../threats/index/threat-index.ts";
import type { Scans } from "../../../../intake/scans/scans.ts";
import { Note } from "../../kit/components.tsx";
import { Icon, Name } from "../../kit/inline.tsx";
import { Section, Time, Progress } from "../../kit/components.tsx";
import { usePage } from "../../kit/page-context.ts";
import { page, type PageResult, fragment } from "../../kit/page-result.ts";
import { systemPath, threatPath, runningScanPath, scansPath, overviewPath } from "../../kit/paths.ts";
import type { Context, PageGroup } from "../../shell/router.ts";
import { isAnyHostKnown, readActiveHosts, WhoHosts } from "../../threat-kit/hosts.tsx";
import { ComparedName, keywordsReader, type KeywordsOf } from "../../threat-kit/compared-name.tsx";
import { listPath } from "../../threat-kit/filters.ts";
import { strongestEvidence } from "../../threat-kit/reasons.tsx";
import { SeverityMark, Thumbnail, Fresh } from "../../threat-kit/threat-marks.tsx";
import { SetupCard } from "../first-run/progress.tsx";
import { concernsOf, takedownConcerns } from "./attention.ts";
import { NewByDomain, readNews } from "./by-domain.tsx";
import {
  highView,
  NeedsAttention,
  readHighThreats,
  readWork,
  threatConcern,
  workConcerns,
} from "./needs-attention.tsx";
import { readDecisionProgress, TimeToDecide } from "./progress.tsx";
import { StatusLine, readStatus, type StatusServices } from "./status.tsx";

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

const head = { title: "Overview", actions: <Now /> };

type OverviewContext = Context<
  keyof StatusServices | "domains" | "enrichment" | "setup" | "storage" | "takedowns" | "threatIndex"
>;

/** Shows what needs attention also if the rest of the page cannot be read: from a damaged database, for example. */
async function showOverview(context: OverviewContext): Promise<PageResult> {
  try {
    return await fullOverview(context);
  } catch (error) {
    const { given, status } = await readStatus(context.services, context.now);
    const concerns = concernsOf(given);
    if (!concerns.some(({ path }) => path === systemPath)) throw error;
    return page(
      head,
      <>
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
  return page(
    head,
    <>
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
      <NewestThreats newest={newest} capturedAt={capturedAt} keywordsOf={keywordsReader(domains)} />
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

const newestShownMax = 5;

const view = new URLSearchParams({ severity: "high", sort: "first_seen" });

/** Screenshots of the newest high-severity threats, with marked names. */
function NewestThreats(props: {
  newest: SearchResult;
  /** When the screenshot of each was taken, by id. */
  capturedAt: ReadonlyMap<string, Instant | null>;
  keywordsOf: KeywordsOf;
}) {
  const { newest, capturedAt, keywordsOf } = props;
  const { threats, total, lastSeq } = newest;
  if (threats.length === 0) return null;
  // Five empty frames would say nothing, such as while screenshots are off.
  const hasScreenshots = threats.some(({ id }) => (capturedAt.get(id) ?? null) !== null);
  return (
    <Section
      title="Newest high-severity threats"
      aside={
        <a class="s" href={listPath(view)}>
          All {grouped(total)}
        </a>
      }
    >
      <Fresh query={view} since={lastSeq} count={0} />
      <div class="gallery">
        {threats.map((threat) => (
          <a href={threatPath(threat.id, view)}>
            {hasScreenshots ? (
              <Thumbnail threat={threat} capturedAt={capturedAt.get(threat.id) ?? null} />
            ) : null}
            <div>
              <div class="line tight">
                <SeverityMark {...threat} word={false} />
                <span class="cut">
                  <ComparedName {...threat} keywords={keywordsOf(threat.protectedDomain)} />
                </span>
              </div>
              <p class="cut">
                {strongestEvidence(threat.severityReasons)[0] ?? <Name name={threat.protectedDomain} />} ·{" "}
                <Time at={threat.firstSeen} relative="short" />
              </p>
            </div>
          </a>
        ))}
      </div>
    </Section>
  );
}

function showRunningScan({ services: { scans } }: Context<"scans">): PageResult {
  return fragment(<RunningScan scans={scans} />);
}

/** Progress of the running scan. Refreshes itself until the scan has finished. */
function RunningScan({ scans }: { scans: Scans }): VNode {
  const progress = scans.progress();
  if (progress === undefined) return <div id="scan-now" hidden />;
  const { scan, msLeft } = progress;
  const left =
    msLeft === null ? "" : `, about ${counted(Math.max(1, Math.ceil(msLeft / 60_000)), "minute")} left`;
  return (
    <div id="scan-now" class="card stack" data-refresh={runningScanPath} data-refresh-ms="2000">
      <p>
        <a href={scansPath}>A scan is running</a>: {counted(scan.threatsFound, "threat")} found,{" "}
        {grouped(scan.threatsCreated)} new{left}
      </p>
      <Progress done={scan.candidates} total={scan.planned} label="names checked" />
    </div>
  );
}

/** Start page: what needs attention and why, the newest threats, and whether things improve. */
export const overviewPages: PageGroup = {
  nav: { section: "main", label: "Overview", icon: "overview", keys: "g o", path: overviewPath },
  routes: [
    { method: "GET", path: overviewPath, permission: "read", run: showOverview },
    { method: "GET", path: runningScanPath, permission: "read", run: showRunningScan },
  ],
};
