import type { Config } from "../../config/config.ts";
import { takeServeLock } from "../../database/lock.ts";
import { systemClock } from "../../lib/clock.ts";
import { logDropped } from "../../lib/log.ts";
import { endStartup } from "../../lib/startup.ts";
import { createServiceNotifier } from "../../service/notify.ts";
import { startWatchdog } from "../../service/watchdog.ts";
import { loadConfiguration, reloaderOf } from "../appliance/configuration.ts";
import { announceFirstStart } from "../appliance/first-secrets.ts";
import { serveReloads } from "../appliance/serve-reloads.ts";
import { logStarted, readyText } from "../appliance/startup-log.ts";
import { open, openLog } from "../appliance/with-appliance.ts";
import { command } from "../terminal/command.ts";
import { configFlag, hostPort, toggle } from "../terminal/flags.ts";

/** Maximum time for requests, deliveries and feeds in progress to finish on shutdown. */
const graceMs = 10_000;

/** With this, a server in which everything is enabled stays below 300 MiB; see `scripts/bench everything`. */
const assumedBytes = 128 * 2 ** 20;

export const serveCommand = command({
  name: "serve",
  summary: "run the appliance",
  details: `Prints one line with its URL when it is ready. The first start also generates an API key and the console
password. On a terminal, it prints them once. Without a terminal, output usually goes to a log that others can read, so it
writes them to a file next to the database that only its owner can read, and prints the path. On SIGTERM or SIGINT, it stops accepting new work, finishes work in progress within ${graceMs / 1000} s, and closes
the database. A second signal stops it immediately; acknowledged requests are not lost.`,
  flags: {
    listen: hostPort("--listen <host:port>", "listen here instead of at server.listen"),
    migrateOnly: toggle("--migrate-only", "migrate the database of an earlier version, report it, and exit"),
    printSecrets: toggle("--print-secrets", "print the secrets of the first start even without a terminal"),
    config: configFlag,
  },
  examples: [
    ["phishwatch serve", "run with ./phishwatch.toml"],
    ["phishwatch serve --config /etc/phishwatch/phishwatch.toml", "run with another configuration file"],
    ["phishwatch serve --migrate-only", "upgrade the database before the service is started again"],
    ["phishwatch serve --listen 127.0.0.1:9090", "listen on another port"],
  ],
  endsStartup: true,
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env, { listen: options.listen });
    if (readsAllTheTime(config)) terminal.assumeMemory?.(assumedBytes);
    const stop = terminal.interruption();
    const lock = takeServeLock(config.storage.path);
    try {
      if (options.migrateOnly) {
        const { migrateOnly } = await import("../appliance/migrate-only.ts");
        migrateOnly(config, terminal);
        return;
      }
      const log = openLog(config, terminal);
      const loadConfig = reloaderOf(config, terminal.env);
      const appliance = open(config, terminal, { loadConfig, log, isLocked: true });
      try {
        const { url } = appliance.server.listen();
        await appliance.start({ inTurns: true });
        terminal.out.write(readyText(appliance.server, config));
        const { trapsUrl } = appliance.server;
        if (config.traps.listen !== null)
          terminal.out.write(`beacons and honeytokens are served on ${trapsUrl}\n`);
        terminal.out.flush();
        await announceFirstStart({ appliance, config, out: terminal.out, url, print: options.printSecrets });
        endStartup();
        const notifier = createServiceNotifier({
          env: terminal.env,
          failed: (error) => logDropped(log, error, "service.manager_not_notified"),
        });
        const watchdog = startWatchdog({ notifier, database: appliance.database, clock: systemClock, log });
        notifier.ready();
        notifier.status(`ready on ${url}`);
        logStarted(appliance, config, log);
        // Loaded now, because nothing of it is needed until requests are accepted.
        (await import("../checks/access.ts")).logExposures(config, log, systemClock.now());
        const reloads = serveReloads({
          appliance,
          config: appliance.config,
          log,
          notifier,
          onRequest: (listener) => terminal.onReloadRequest?.(listener),
        });
        await aborted(stop);
        log.event("server.stopping");
        reloads.stop();
        watchdog.stop();
        notifier.stopping();
        const late = systemClock.after(graceMs, () => log.event("server.shutdown_timed_out"));
        await Promise.all([appliance.server.stop(graceMs), appliance.stop()]);
        late.cancel();
      } finally {
        appliance.close();
      }
    } finally {
      lock.release();
    }
  },
});

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Returns whether names arrive over the network. Then most memory is garbage; without it, a quick start is worth more. */
function readsAllTheTime({ certificateLogs, feeds }: Config): boolean {
  return certificateLogs.enabled || feeds.some(({ path }) => path === null);
}
