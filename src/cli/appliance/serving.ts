import type { App } from "../../app/app.ts";
import type { Config } from "../../platform/config/config.ts";
import { systemClock, type Timer } from "../../platform/lib/clock.ts";
import { type Log, logDropped } from "../../platform/lib/log.ts";
import type { ReloadOutcome } from "../../platform/reload/reload.ts";
import { removeServerState, usedWith, writeServerState } from "../../platform/reload/server-file.ts";
import { watchFiles } from "../../platform/reload/watch.ts";
import type { ServiceNotifier } from "../../platform/service/notify.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { isIPv6 } from "node:net";
import { buildInfo } from "../../platform/lib/build-info.ts";

/** While the file cannot be applied, it is tried again: what it lacks, such as a secret in another file, may have come. */
const retryMs = 60_000;

/**
 * Accepts requests for a reload (SIGHUP) from now on. Returns a function that sets their listener, and calls it if one
 * came before.
 */
export function acceptReloadRequests(
  terminal: Pick<Terminal, "onReloadRequest">,
): (listener: () => void) => void {
  let isRequested = false;
  let request: () => void = () => (isRequested = true);
  terminal.onReloadRequest?.(() => request());
  return (listener) => {
    request = listener;
    if (isRequested) listener();
  };
}

/**
 * Reloads the configuration of a running server on request (SIGHUP) and when one of its files has changed, and publishes
 * the outcome for `phishwatch reload` and `phishwatch check`.
 * @param onRequest calls its listener at each request
 */
export function serveReloads(
  { config, reload }: Pick<App, "config" | "reload">,
  log: Log,
  notifier: Pick<ServiceNotifier, "ready" | "reloading">,
  onRequest: (listener: () => void) => void,
): { stop(): void } {
  if (reload === undefined) return { stop() {} };
  const { path } = config.storage;
  const startedAt = systemClock.now();
  let retry: Timer | undefined;
  let stopped = false;

  function publish(lastReload: ReloadOutcome | null): void {
    const { source } = config;
    if (path === ":memory:" || source === undefined || stopped) return;
    try {
      writeServerState(path, { pid: process.pid, startedAt, uses: usedWith(source), lastReload });
    } catch (error) {
      logDropped(log, error, "server.state_not_written");
    }
  }

  reload.observe({
    began() {
      retry?.cancel();
      notifier.reloading();
    },
    ended(outcome) {
      notifier.ready();
      publish(outcome);
      if (outcome.result === "failed" && !stopped)
        retry = systemClock.after(retryMs, () => void reload.run("file"));
    },
  });
  const watch = watchFiles(
    systemClock,
    () => filesOf(config),
    () => void reload.run("file"),
  );
  publish(null);
  onRequest(() => void reload.run("request"));
  return {
    stop() {
      stopped = true;
      watch.stop();
      retry?.cancel();
      if (path !== ":memory:") removeServerState(path);
    },
  };
}

/** Returns the configuration file and the files that it refers to and that are read with it. */
function filesOf({ server, source }: Config): string[] {
  const tls = server.tls === null ? [] : [server.tls.certPath, server.tls.keyPath];
  return source === undefined ? tls : [source.path, ...source.files, ...tls];
}

/** Logs one line about the server that has started: which version it is, where it listens, and what it works on. */
export function logStarted(
  { domains, server, webhooks }: Pick<App, "domains" | "server" | "webhooks">,
  config: Config,
  log: Log,
): void {
  const { version, commit } = buildInfo;
  log.event("server.started", {
    version,
    commit,
    listen: addresses(server, config),
    url: server.publicUrl,
    configuration: config.source?.path,
    database: config.storage.path,
    domainCount: domains.list().filter(({ enabled }) => enabled).length,
    feedCount: config.feeds.length,
    endpointCount: webhooks.endpoints.list().filter(({ enabled }) => enabled).length,
  });
}

/**
 * Returns what to print once the server is ready: its URL, and where it listens if the URL does not say that, because a
 * proxy is in front or because it listens on all interfaces.
 */
export function readyText(server: App["server"], config: Config): string {
  const [listen] = addresses(server, config);
  const ready = `phishwatch is ready on ${server.publicUrl}\n`;
  return URL.parse(server.publicUrl)?.host === listen ? ready : `${ready}It listens on ${listen}.\n`;
}

/** Returns the addresses of the listeners: of the server, and of the traps if they have one of their own. */
function addresses(server: App["server"], { server: { host }, traps }: Config): string[] {
  const text = (name: string, port: number | undefined) =>
    `${isIPv6(name) ? `[${name}]` : name}:${port ?? "closed"}`;
  const main = text(host, server.port);
  return traps.listen === null ? [main] : [main, text(traps.listen.host, server.trapsPort)];
}
