import type { FeedConfig } from "../../../platform/config/config.ts";
import { randomNumber } from "../../../platform/lib/ids.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import type { ResolveHost } from "../../../platform/network/resolve.ts";
import type { Turns } from "../../../platform/network/turns.ts";
import { createWebSocketClient } from "../../../platform/network/websocket/websocket.ts";
import type { Candidates } from "../candidates.ts";
import type { InspectFeed } from "../feeds/feed-reader.ts";
import type { SourcePauses } from "../pauses/source-pauses.ts";
import type { Source } from "../source.ts";
import { certstreamKind, createCertstreamFeed } from "./certstream-feed.ts";

/** Returns a function that creates a source for a feed of the type `certstream`. */
export function createCertstreamFeeds({
  candidates,
  clock,
  fillRandom,
  inspectFeed,
  log,
  pauses,
  resolveHost,
  turns,
  userAgent,
}: Needs<"clock" | "fillRandom" | "log"> & {
  candidates: Candidates;
  inspectFeed: InspectFeed;
  pauses: SourcePauses;
  resolveHost: ResolveHost;
  turns: Turns;
  userAgent: string;
}): (feed: StreamFeedConfig) => Source {
  return (declared) => {
    const { name, url, headers, query, allowPrivateNetworks } = declared;
    const inspect = inspectFeed(declared, "certificate_transparency");
    const rules = { allowPrivateNetworks };
    return createCertstreamFeed({
      feed: { name, url, headers, query, inspect },
      candidates,
      client: createWebSocketClient({ clock, fillRandom, resolveHost, rules, turns }),
      clock,
      log,
      pausing: pauses.of({ kind: certstreamKind, name }),
      random: () => randomNumber(fillRandom),
      userAgent,
    });
  };
}

export type StreamFeedConfig = FeedConfig & { url: string };

/** Recognizes a feed that is read as a stream. */
export function isStreamFeed(feed: FeedConfig): feed is StreamFeedConfig {
  return feed.type === "certstream" && feed.url !== null;
}
