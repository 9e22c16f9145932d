import type { AuditLog } from "../../../access/audit/audit-log.ts";
import { createSettings } from "../../../access/settings/settings.ts";
import type { Config, FeedConfig } from "../../../platform/config/config.ts";
import type { Inspections } from "../../../facts/inspection/inspections.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { userAgentOf } from "../../../platform/lib/build-info.ts";
import { createSystemResolver } from "../../../platform/network/dns/resolve-with-system.ts";
import type { Turns } from "../../../platform/network/turns.ts";
import type { Candidates } from "../candidates.ts";
import { createCertstreamFeeds, isStreamFeed } from "../certstream/certstream-feed.ts";
import { createFeeds, createFolderFeeds, isFolderFeed, type Feeds } from "../feeds/feeds.ts";
import type { SourcePauses } from "../pauses/source-pauses.ts";
import type { InspectFeed } from "../feeds/feed-reader.ts";
import { feedKind, type Source } from "../source.ts";
import { isUrlFeed } from "../url-feeds/url-feed-config.ts";
import { createUrlFeeds } from "../url-feeds/url-feeds.ts";
import { createDeclaredSources } from "./declared-sources.ts";

/** Everything that is declared as `[[feeds]]`. */
export interface OpenedFeeds extends Feeds {
  /** All of them, streams included. */
  all(): readonly Source[];
  /** Makes the feeds match what is declared. */
  update(declared: readonly FeedConfig[]): void;
  start(): void;
  stop(): Promise<void>;
}

interface FeedsDependencies extends Needs<"clock" | "database" | "fillRandom" | "log" | "yielder"> {
  auditLog: AuditLog;
  candidates: Candidates;
  config: Pick<Config, "certificateLogs" | "feeds">;
  inspections: Pick<Inspections, "enqueue">;
  pauses: SourcePauses;
  turns: Turns;
}

/** Constructs the feeds of all types. */
export function openFeeds({ auditLog, config, inspections, ...given }: FeedsDependencies): OpenedFeeds {
  const { clock, database } = given;
  const resolveHost = createSystemResolver({ clock });
  const userAgent = userAgentOf(config.certificateLogs.contact);
  const inspectFeed: InspectFeed = ({ inspect, name }, source) =>
    inspect
      ? (addresses) =>
          void inspections.enqueue(addresses, { priority: "feed", source, origin: { kind: feedKind, name } })
      : undefined;
  const shared = { ...given, inspectFeed, resolveHost, userAgent };
  const fetchedOf = () => config.feeds.filter(isUrlFeed);
  const settings = createSettings({ database, clock });
  const folders = createDeclaredSources({
    declared: config.feeds.filter(isFolderFeed),
    open: createFolderFeeds(shared),
  });
  const fetched = createDeclaredSources({
    declared: fetchedOf(),
    open: createUrlFeeds({ ...shared, declared: fetchedOf, settings }),
  });
  const streams = createDeclaredSources({
    declared: config.feeds.filter(isStreamFeed),
    open: createCertstreamFeeds(shared),
  });
  const groups = [folders, fetched, streams];
  const watchers = () => [...folders.list, ...fetched.list];
  const { idle, readAgain, status } = createFeeds({ auditLog, database, watchers });
  return {
    get sources() {
      return watchers();
    },
    idle,
    readAgain,
    status,
    all: () => groups.flatMap(({ list }): readonly Source[] => list),
    update(declared) {
      folders.update(declared.filter(isFolderFeed));
      fetched.update(declared.filter(isUrlFeed));
      streams.update(declared.filter(isStreamFeed));
    },
    start: () => groups.forEach((group) => group.start()),
    stop: async () => void (await Promise.all(groups.map((group) => group.stop()))),
  };
}
