import type { ComponentChildren } from "preact";
import { notFound } from "../../../lib/errors.ts";
import { visible } from "../../../lib/safe-text.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import type { Hit, HitCount } from "../../../traps/hits.ts";
import type { HitClass } from "../../../vocabulary/traps.ts";
import { page, type PageResult } from "../../kit/page-result.ts";
import { wholeNumber } from "../../kit/fields.ts";
import { Badge, Facts, PageHead, Section, Time } from "../../kit/kit.tsx";
import { Name, Text } from "../../kit/name.tsx";
import { beaconPath, threatPath, visitPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { pageNumber, Pagination, Table, type Column } from "../../kit/table.tsx";
import { isAlarming, timelineSince, TrapTimeline } from "./trap-timeline.tsx";
import { inWords } from "../../kit/labels.ts";

/** What pages of beacons and of honeytokens have in common: their visits. */

const perPage = 25;
const dayMs = 86_400_000;

const classHints: Record<HitClass, string> = {
  foreign: "on a host of somebody else's",
  own: "on your own hosts",
  unknown: "asked for by a style sheet that did not say from where",
  translation_proxy: "through a translation service",
  web_archive: "in a web archive",
  search_cache: "in a search engine's cache",
  local_file: "a saved copy, opened from a disk",
  no_host: "shown from no host at all, as in data: or about:",
  local_network: "on localhost, a private address, or a name that only one network knows",
  visit: "by whoever it was",
  link_preview: "by a program that draws previews of links",
  mail_scanner: "by a mail filter",
};

export function ClassBadge({ hit }: { hit: { class: HitClass } }) {
  return <Badge tone={isAlarming(hit.class) ? "bad" : "neutral"}>{inWords(hit.class)}</Badge>;
}

function alarmingFirst(counts: readonly HitCount[]): HitCount[] {
  return counts.toSorted((a, b) => Number(isAlarming(b.class)) - Number(isAlarming(a.class)));
}

/** Such as `3 foreign, 120 own` or `6 visits`. */
export function shortCounts(counts: readonly HitCount[]): string {
  return (
    alarmingFirst(counts)
      .map(({ class: of, total }) => counted(total, inWords(of), of === "visit" ? "visits" : inWords(of)))
      .join(", ") || "none yet"
  );
}

export function StateOf({ enabled, expired = false }: { enabled: boolean; expired?: boolean }) {
  if (!enabled) return <Badge tone="neutral">disabled</Badge>;
  return expired ? <Badge tone="neutral">expired</Badge> : <Badge tone="good">enabled</Badge>;
}

const trapsPerPage = 50;

/** All beacons, or all honeytokens. */
export function TrapList<Trap>({
  caption,
  columns,
  traps,
  empty,
  path,
  query,
}: {
  caption: string;
  columns: readonly Column<Trap>[];
  traps: readonly Trap[];
  empty: ComponentChildren;
  path: string;
  query: URLSearchParams;
}) {
  const shown = pageNumber(query);
  const rows = traps.slice((shown - 1) * trapsPerPage, shown * trapsPerPage);
  return (
    <>
      <Table caption={caption} columns={columns} rows={rows} empty={empty} />
      {traps.length <= trapsPerPage ? null : (
        <Pagination page={shown} perPage={trapsPerPage} total={traps.length} path={path} query={query} />
      )}
    </>
  );
}

/** The visits of one trap: their numbers, a time line, and a list with pages. */
export function Visits({
  context,
  trap,
  path,
  columns,
}: {
  context: Context<"traps">;
  trap: { id: string };
  /** Of the trap's page. */
  path: string;
  columns: readonly Column<Hit>[];
}) {
  const { services, query, now } = context;
  const { hits } = services.traps;
  const counts = alarmingFirst(hits.counts(trap.id));
  const total = hits.rows(trap.id);
  const shown = pageNumber(query);
  const rows = hits.list(trap.id, { limit: perPage, offset: (shown - 1) * perPage });
  const first: Column<Hit> = {
    title: "First at",
    look: "tight",
    cell: ({ seq, firstAt }) => (
      <a href={visitPath(path, seq)}>
        <Time at={firstAt} />
      </a>
    ),
  };
  const times: Column<Hit> = {
    title: "Times",
    look: "number",
    cell: ({ count }) => grouped(count),
  };
  return (
    <Section title="Visits">
      {counts.length === 0 ? null : (
        <Facts
          facts={counts.map((row) => [
            inWords(row.class),
            <>
              {counted(row.total, "time")}, {classHints[row.class]}; last <Time at={row.lastAt} relative />
            </>,
          ])}
        />
      )}
      {total === 0 ? null : <TrapTimeline rows={hits.timeline(trap.id, timelineSince(now) - 1, dayMs)} />}
      <Table
        caption="Visits"
        columns={[first, times, ...columns]}
        rows={rows}
        empty={counts.length === 0 ? "Nobody came yet." : "Nobody came of whom more than the number is kept."}
      />
      {total > perPage ? (
        <Pagination page={shown} perPage={perPage} total={total} path={path} query={query} />
      ) : null}
    </Section>
  );
}

/** Where beacons saw a threat; nothing where none did. */
export function SeenAt({ visits }: { visits: readonly Hit[] }) {
  if (visits.length === 0) return null;
  const columns: Column<Hit>[] = [
    {
      title: "First at",
      look: "tight",
      cell: ({ trapId, seq, firstAt }) => (
        <a href={visitPath(beaconPath(trapId), seq)}>
          <Time at={firstAt} />
        </a>
      ),
    },
    { title: "Times", look: "number", cell: ({ count }) => grouped(count) },
    { title: "Page", look: "wide", cell: ({ url }) => <Text text={url} charactersMax={200} /> },
    { title: "Visitor", look: "tight", cell: ({ ipAddress }) => ipAddress ?? "–" },
  ];
  return (
    <Section title="Shown to visitors">
      <p>A beacon in the page told of these, the newest first.</p>
      <Table caption="Visits that a beacon told of" columns={columns} rows={visits} empty="None." />
    </Section>
  );
}

/** One visit, with all that is kept of it. */
export function visitPage(
  { services, params }: Context<"traps">,
  trap: { id: string; name: string },
  path: string,
): PageResult {
  const seq = wholeNumber(params["seq"]);
  const hit = seq === undefined ? undefined : services.traps.hits.get(trap.id, seq);
  if (hit === undefined) throw notFound("There is no such visit; old ones are deleted.");
  const long = (text: string | null) => (text === null ? "–" : <Text text={text} charactersMax={2_500} />);
  const facts: [string, ComponentChildren][] = [
    ["Class", <ClassBadge hit={hit} />],
    ["First at", <Time at={hit.firstAt} />],
    ["Last at", <Time at={hit.lastAt} />],
    ["Times", grouped(hit.count)],
    ["Client", hit.ipAddress ?? "not known"],
    ["User agent", long(hit.userAgent)],
    [
      hit.method === null ? "Page" : "Asked for",
      long(hit.method === null ? hit.url : `${hit.method} ${hit.url}`),
    ],
    ["Page before", long(hit.referrer)],
    ...(hit.host === null ? [] : [["Host", <Name name={hit.host} />] as [string, ComponentChildren]]),
    ...(hit.claimedUrl === null
      ? []
      : [["The script said", long(hit.claimedUrl)] as [string, ComponentChildren]]),
    ["Threat", hit.threatId === null ? "none" : <a href={threatPath(hit.threatId)}>{hit.threatId}</a>],
    ["Event", hit.eventId === null ? "none was sent" : <code>{hit.eventId}</code>],
  ];
  return page(
    `Visit to ${trap.name}`,
    <>
      <PageHead title="A visit" back={{ label: trap.name, path }} />
      <Facts facts={facts} />
      {hit.headers.length === 0 ? null : (
        <Section title="Headers">
          <Facts
            facts={hit.headers.map(([name, value]) => [
              visible(name, 100),
              <Text text={value} charactersMax={4_100} />,
            ])}
          />
        </Section>
      )}
    </>,
  );
}

export function UserAgent({ hit }: { hit: Hit }) {
  return hit.userAgent === null ? <>–</> : <Text text={hit.userAgent} charactersMax={120} />;
}

/** Says what keeps the traps from being reached. */
export function PlainHttpNote({ publicUrl }: { publicUrl: string }) {
  if (publicUrl.startsWith("https:")) return null;
  return (
    <p class="hint">
      Visitors would be sent to <code>{publicUrl}</code>. Pages over HTTPS load nothing from there: set{" "}
      <code>traps.public_url</code> to an https:// address that visitors reach.
    </p>
  );
}
