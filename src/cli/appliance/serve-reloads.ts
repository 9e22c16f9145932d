import type { App } from "../../app/app.ts";
import type { Config } from "../../platform/config/config.ts";
import { systemClock, type Timer } from "../../platform/lib/clock.ts";
import { logDropped, type Log } from "../../platform/lib/log.ts";
import type { ReloadOutcome } from "../../platform/reload/reload.ts";
import { removeServerState, usedWith, writeServerState } from "../../platform/reload/server-file.ts";
import { watchFiles } from "../../platform/reload/watch.ts";
import type { ServiceNotifier } from "../../platform/service/notify.ts";
import type { Terminal } from "../terminal/terminal.ts";

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
 */
export function serveReloads({
  appliance: { reload },
  config,
  log,
  notifier,
  onRequest,
}: {
  appliance: Pick<App, "reload">;
  /** In effect. */
  config: Config;
  log: Log;
  notifier: Pick<ServiceNotifier, "ready" | "reloading">;
  /** Calls the listener at each request. */
  onRequest: (listener: () => void) => void;
}): { stop(): void } {
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
  const watch = watchFiles({
    clock: systemClock,
    files: () => filesOf(config),
    onChange: () => void reload.run("file"),
  });
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
