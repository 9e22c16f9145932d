import type { Config } from "../../platform/config/config.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { command } from "../terminal/command.ts";
import { configFlag, hostPort, toggle } from "../terminal/flags.ts";

/** Maximum time for requests, deliveries and feeds in progress to finish on shutdown. */
const graceMs = 10_000;

/** With this, a server in which everything is enabled stays below 300 MiB; see `scripts/bench everything`. */
const assumedBytes = 128 * 2 ** 20;

export const serveCommand = command({
  name: "serve",
  details: `Prints one line with its URL when it is ready. The first start also generates an API key and the console
password. On a terminal, it prints them once. Without a terminal, output usually goes to a log that others can read, so it
writes them to a file next to the database that only its owner can read, and prints the path. On SIGTERM or SIGINT, it stops accepting new work, finishes work in progress within ${graceMs / 1000} s, and closes
the database. A second signal stops it immediately; acknowledged requests are not lost.`,
  flags: {
    listen: hostPort("--listen <host:port>"),
    migrateOnly: toggle("--migrate-only"),
    printSecrets: toggle("--print-secrets"),
    config: configFlag,
  },
  endsStartup: true,
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env, { listen: options.listen });
    if (readsAllTheTime(config)) terminal.setRuntimeOption?.("assumedMemoryBytes", assumedBytes);
    // Loaded now, because the line above may start the process again.
    const { runServer } = await import("./run-server.ts");
    await runServer({ ...options, config, graceMs, terminal });
  },
});

/** Returns whether names arrive over the network. Then most memory is garbage; without it, a quick start is worth more. */
function readsAllTheTime({ certificateLogs, feeds }: Config): boolean {
  return certificateLogs.enabled || feeds.some(({ path }) => path === null);
}
