import type { FirstStart } from "../../access/console/first-start.ts";
import { takeServeLock } from "../../database/lock.ts";
import { systemClock } from "../../lib/clock.ts";
import { endStartup } from "../../lib/startup.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { open, openLog } from "../appliance/with-appliance.ts";
import { command } from "../terminal/command.ts";
import { configFlag } from "../terminal/flags.ts";
import type { Output } from "../terminal/terminal.ts";

/** Maximum time for requests, deliveries and feeds in progress to finish on shutdown. */
const graceMs = 10_000;

export const serveCommand = command({
  name: "serve",
  summary: "run the appliance",
  details: `Prints one line with its URL when it is ready. On the first start, it also prints the generated secrets, which
are not shown again. On SIGTERM or SIGINT, it stops accepting new work, finishes work in progress within ${graceMs / 1000} s, and closes
the database. A second signal stops it immediately; acknowledged requests are not lost.`,
  flags: { config: configFlag },
  examples: [
    ["phishwatch serve", "run with ./phishwatch.toml"],
    ["phishwatch serve --config /etc/phishwatch/phishwatch.toml", "run with another configuration file"],
  ],
  endsStartup: true,
  async run({ options, terminal }) {
    const stop = terminal.interruption();
    const config = await loadConfiguration(options.config, terminal.env);
    const lock = takeServeLock(config.storage.path);
    try {
      const appliance = await open(config, terminal);
      try {
        const { url } = appliance.server.listen();
        appliance.start();
        terminal.out.write(`phishwatch is ready on ${url}\n`);
        const { trapsUrl } = appliance.server;
        if (config.traps.listen !== null)
          terminal.out.write(`beacons and honeytokens are served on ${trapsUrl}\n`);
        terminal.out.flush();
        announce(terminal.out, appliance.firstStart(), url);
        terminal.out.flush();
        endStartup();
        const log = await openLog(config, terminal);
        await aborted(stop);
        log.info("stopping");
        const late = systemClock.at(systemClock.now() + graceMs, () =>
          log.warn("shutdown timed out; aborting work in progress"),
        );
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

/** Prints generated secrets, which cannot be shown again. */
function announce(out: Output, { apiKey, consolePassword }: FirstStart, url: string): void {
  if (apiKey !== undefined)
    out.write(
      `\nAPI key (will not be shown again):\n\n  ${apiKey}\n\nTry it:\n\n  curl -H 'Authorization: Bearer ${apiKey}' ${url}/v1/threats\n`,
    );
  if (consolePassword !== undefined)
    out.write(`\nConsole password (will not be shown again):\n\n  ${consolePassword}\n`);
  if (apiKey !== undefined || consolePassword !== undefined) out.write("\n");
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
