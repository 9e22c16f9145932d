import { readdirSync } from "node:fs";
import { createSettings } from "../../src/access/settings/settings.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { createYielder } from "../../src/platform/lib/yielder.ts";
import type { ResolveHost } from "../../src/platform/network/resolve.ts";
import { createTurns } from "../../src/platform/network/turns.ts";
import { createCandidates } from "../../src/intake/sources/candidates.ts";
import { createFeeds, type Feeds } from "../../src/intake/sources/feeds/feeds.ts";
import { createSourcePauses } from "../../src/intake/sources/pauses/source-pauses.ts";
import type { UrlFeedConfig } from "../../src/intake/sources/url-feeds/download-state.ts";
import { createUrlFeeds } from "../../src/intake/sources/url-feeds/url-feeds.ts";
import { fillRandom } from "./appliance.ts";
import { analyst, openStores } from "./stores.ts";

const declared: UrlFeedConfig = {
  name: "nrd",
  url: null,
  type: "list",
  schedule: "0 */6 * * *",
  headers: {},
  query: null,
  username: null,
  password: null,
  zones: [],
  bytesMax: 1 << 30,
  allowPrivateNetworks: true,
  format: "auto",
  column: null,
  inspect: false,
};

interface LogLine {
  message: string;
  [field: string]: unknown;
}

/** One feed whose lists are fetched, over a real database file, with a clock that the test advances. */
export function openFeedWorld({
  resolveHost = () => Promise.reject(new Error("no names are resolved")),
}: { resolveHost?: ResolveHost } = {}) {
  const stores = openStores();
  const { auditLog, clock, database } = stores;
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "json", clock, write: (line) => void lines.push(line) });
  const yielder = () => createYielder({ sliceMs: 10, elapsedMs: () => performance.now() });
  let running: Feeds | undefined;

  const stop = async () => {
    for (const source of running?.sources ?? []) await source.stop();
  };
  const feed = () => running!.sources[0]!;

  return {
    stores,
    folder: `${stores.path}.feeds`,
    stop,
    /** Stops the feed, and starts it with these settings. Resolves when everything that is due was done. */
    async start(
      settings: Partial<UrlFeedConfig>,
      { wait = true, freeBytes = 2 ** 40 }: { wait?: boolean; freeBytes?: number } = {},
    ): Promise<void> {
      await stop();
      const pauses = createSourcePauses({ auditLog, database, clock });
      const candidates = createCandidates({ ...stores, yielder });
      const configured: UrlFeedConfig = { ...declared, ...settings };
      const open = createUrlFeeds({
        declared: () => [configured],
        database,
        settings: createSettings({ database, clock }),
        candidates,
        clock,
        log,
        fillRandom,
        inspectFeed: () => undefined,
        pauses,
        resolveHost,
        turns: createTurns(),
        yielder,
        userAgent: "phishwatch/test",
        freeBytes: () => freeBytes,
      });
      const watchers = [open(configured)];
      running = createFeeds({ auditLog, database, watchers: () => watchers });
      for (const source of running.sources) source.start();
      if (wait) await running.idle();
    },
    /** Lets time pass, and waits for what is due at its end. */
    async advance(ms: number): Promise<void> {
      clock.advance(ms);
      await running!.idle();
    },
    idle: () => running!.idle(),
    status: () => running!.status()[0]!,
    check: () => feed().check(),
    pause: () => feed().pausing!.pause({ by: analyst }),
    resume: () => feed().pausing!.resume({ by: analyst }),
    readAgain: (path: string) => running!.readAgain(feed().name, path, { by: analyst }),
    threats: () =>
      stores.threats
        .list({}, { page: 1, perPage: 100 })
        .threats.map(({ domain }) => domain)
        .sort(),
    logText: () => lines.join(""),
    messages: (message: string): LogLine[] =>
      lines.map((line) => JSON.parse(line) as LogLine).filter((line) => line.message === message),
    storedFiles: () => readdirSync(`${stores.path}.feeds`),
    async dispose(): Promise<void> {
      await stop();
      stores.dispose();
    },
  };
}

export type FeedWorld = ReturnType<typeof openFeedWorld>;
