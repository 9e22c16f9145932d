import type { Instant } from "../../../platform/lib/clock.ts";
import { locationOf, withQuery } from "../feeds/feed-url.ts";
import type { Czds } from "./czds.ts";
import { isDue, newDownload, type FetchFailure, type UrlFeedConfig } from "./download-state.ts";
import type { FeedDownload } from "./tables.ts";
import type { FeedUpdates, ListRequest } from "./update-list.ts";

/** Rows of a feed by part. */
export type ListRows = Map<string, FeedDownload>;

export interface FetchContext extends FeedUpdates {
  /** Hash of the settings of the requests. */
  requestHash: string;
  rows: ListRows;
  /** Called before the first request. */
  onActive: () => void;
  /** Fetches a list, and reads it before the next one. Returns the status of a response that was an error. */
  fetch: (request: ListRequest) => Promise<number | null>;
  /** Records why a list is not requested. */
  fail: (row: FeedDownload, failure: FetchFailure) => Promise<void>;
  signal: AbortSignal;
}

/** Fetches what is due of a feed. */
export type FetchDue = (context: FetchContext) => Promise<void>;

const notApproved = "The account may not download this zone: request access to it on czds.icann.org.";

/** Fetches the only list of a feed. */
export function createListFetcher(feed: UrlFeedConfig & { url: string }): FetchDue {
  const url = withQuery(feed.url, feed.query);
  return async ({ dependencies, fetch, requestHash, rows }) => {
    const row = rows.get("") ?? newDownload(feed.name, "", locationOf(url));
    if (isDue(row, requestHash, dependencies.clock.now()))
      await fetch({ row: { ...row, requestHash }, url, headers: feed.headers });
  };
}

/** Fetches the zones that an account of CZDS may download. */
export function createZoneFetcher(location: string, czds: Czds): FetchDue {
  return async (context) => {
    const { dependencies, fail, feed, requestHash, rows, signal } = context;
    const account = { ...(rows.get("") ?? newDownload(feed.name, "", location)), requestHash };
    const now = dependencies.clock.now();
    const renewal = { isUsed: false };
    if (!isDue(rows.get("") ?? account, requestHash, now)) {
      for (const row of retriesOf(rows, now))
        await fetchZone(context, czds, renewal, { row, url: row.location });
      return;
    }
    context.onActive();
    const approved = await czds.approvedZones(signal);
    if ("problem" in approved) return fail(account, approved);
    for (const zone of await planZones(context, account, approved)) {
      signal.throwIfAborted();
      await fetchZone(context, czds, renewal, zone);
    }
  };
}

type ZoneRequest = Pick<ListRequest, "row" | "url">;

/** Returns the zones whose last download failed and is due again. */
function retriesOf(rows: ListRows, now: Instant): FeedDownload[] {
  return [...rows.values()].filter(
    (row) => row.part !== "" && row.location !== "" && row.failures > 0 && isDue(row, row.requestHash, now),
  );
}

/** Stores which zones there are. Returns those to fetch. */
async function planZones(
  { dependencies, feed, records, rows, requestHash }: FetchContext,
  account: FeedDownload,
  approved: readonly { zone: string; url: string }[],
): Promise<ZoneRequest[]> {
  const { clock, files, log, store } = dependencies;
  const now = clock.now();
  const urls = new Map(approved.map(({ zone, url }) => [zone, url]));
  const wanted = new Set(feed.zones.length > 0 ? feed.zones : [...urls.keys(), ...knownZones(rows)]);
  const missing: FeedDownload[] = [];
  const due: ZoneRequest[] = [];
  for (const zone of wanted) {
    const url = urls.get(zone);
    const row = { ...(rows.get(zone) ?? newDownload(feed.name, zone, "")), requestHash };
    if (url === undefined) missing.push({ ...row, location: "", problem: notApproved, checkedAt: now });
    else if (row.failures === 0 || isDue(row, requestHash, now)) due.push({ row, url });
  }
  const dropped = knownZones(rows).filter((zone) => !wanted.has(zone));
  const checked = await records.succeeded(account, () => {
    for (const row of missing) store.save(row);
    for (const zone of dropped) {
      store.delete(feed.name, zone);
      files.delete(feed.name, zone);
    }
  });
  for (const row of [checked, ...missing]) rows.set(row.part, row);
  for (const zone of dropped) rows.delete(zone);
  const zones = missing.map(({ part }) => part).slice(0, 20);
  if (zones.length > 0) log.event("feed.zones_not_approved", { feed: feed.name, zones });
  return due;
}

function knownZones(rows: ListRows): string[] {
  return [...rows.keys()].filter((part) => part !== "");
}

/** Fetches a zone; authenticates again, once, if the token has become invalid. */
async function fetchZone(
  context: FetchContext,
  czds: Czds,
  renewal: { isUsed: boolean },
  { row, url }: ZoneRequest,
): Promise<void> {
  const access = await czds.token(context.signal);
  if ("problem" in access) return context.fail(row, access);
  const headers = { authorization: `Bearer ${access.token}` };
  const status = await context.fetch({ row, url, headers });
  if (status !== 401 || renewal.isUsed) return;
  renewal.isUsed = true;
  czds.forgetToken();
  await fetchZone(context, czds, renewal, { row: context.rows.get(row.part)!, url });
}
