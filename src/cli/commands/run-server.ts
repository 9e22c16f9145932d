import type { App } from "../../app/app.ts";
import { stopServices } from "../../app/lifecycle.ts";
import type { Config } from "../../platform/config/config.ts";
import { takeServeLock } from "../../platform/database/lock.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { type Log, logDropped } from "../../platform/lib/log.ts";
import { endStartup } from "../../platform/lib/startup.ts";
import { createServiceNotifier } from "../../platform/service/notify.ts";
import { startWatchdog } from "../../platform/service/watchdog.ts";
import { reloaderOf } from "../appliance/configuration.ts";
import { firstStartText } from "../appliance/first-secrets.ts";
import { migrateOnly as migrate } from "../appliance/migrate-only.ts";
import { acceptReloadRequests, logStarted, readyText, serveReloads } from "../appliance/serving.ts";
import { openLog } from "../appliance/open-log.ts";
import { open } from "../appliance/with-appliance.ts";
import { logExposures } from "../checks/access.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface RunOptions {
  config: Config;
  /** Maximum time for work in progress to finish on shutdown. */
  graceMs: number;
  migrateOnly: boolean;
  printSecrets: boolean;
  terminal: Terminal;
}

/** Runs the appliance until the process is to end, or only migrates its database. */
export async function runServer(options: RunOptions): Promise<void> {
  const { config, graceMs, migrateOnly, terminal } = options;
  // First: without a handler, a request that comes during the start, or in the moment it is reported, ends the process.
  const onReload = acceptReloadRequests(terminal);
  using _lock = takeServeLock(config.storage.path);
  if (migrateOnly) return migrate(config, terminal);
  const log = openLog(config, terminal);
  const loadConfig = reloaderOf(config, terminal.env);
  const appliance = open(config, terminal, { loadConfig, log, isLocked: true });
  try {
    // Not before: until now, SIGTERM ends the process, at once even on a busy machine and during a long migration.
    const interrupted = terminal.interruption();
    const { url } = appliance.server.listen();
    try {
      const started = await start(appliance, url, options, { log, onReload });
      await aborted(interrupted);
      log.event("server.stopping");
      started.stop();
    } finally {
      // After a failed start as well, because requests were accepted and background work runs.
      const late = systemClock.after(graceMs, () => log.event("server.shutdown_timed_out"));
      const stopped = stopServices([[{ stop: () => appliance.server.stop(graceMs) }, appliance]]);
      await stopped.finally(() => late.cancel());
    }
  } finally {
    appliance.close();
  }
}

/** Starts background work, and reports that the server is ready. */
async function start(
  appliance: App,
  url: string,
  { config, printSecrets, terminal }: RunOptions,
  { log, onReload }: { log: Log; onReload: (listener: () => void) => void },
): Promise<{ stop(): void }> {
  const { out } = terminal;
  await appliance.start({ inTurns: true });
  logStarted(appliance, config, log);
  logExposures(config, log, systemClock.now());
  // Created before the server is said to be ready, because that can fail, and printed after the lines of the log, where
  // people look.
  const secrets = await firstStartText(appliance, config, url, { out, print: printSecrets });
  out.write(readyText(appliance.server, config));
  const { trapsUrl } = appliance.server;
  if (config.traps.listen !== null) out.write(`beacons and honeytokens are served on ${trapsUrl}\n`);
  out.write(secrets);
  out.flush();
  endStartup();
  const notifier = createServiceNotifier({
    env: terminal.env,
    failed: (error) => logDropped(log, error, "service.manager_not_notified"),
  });
  const watchdog = startWatchdog({ notifier, database: appliance.database, clock: systemClock, log });
  notifier.ready();
  notifier.status(`ready on ${url}`);
  const reloads = serveReloads(appliance, log, notifier, onReload);
  return {
    stop() {
      reloads.stop();
      watchdog.stop();
      notifier.stopping();
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
