import { systemClock } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted } from "../../platform/lib/wording.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { reportReadiness } from "../appliance/readiness.ts";
import { createResultPrinter } from "../checks/print-results.ts";
import { runChecks } from "../checks/run-checks.ts";
import { placesIn } from "../checks/setting-place.ts";
import { command, FailedError, UsageError } from "../terminal/command.ts";
import { configFlag, jsonFlag, text, toggle } from "../terminal/flags.ts";

export const checkCommand = command({
  name: "check",
  summary: "check the setup, machine, database, detection, sources, lookups and deliveries",
  details: `Prints one line for each result, and below each warning and error the line to change. Changes nothing: it creates no file
and leaves the database as it is. It works while the server runs and while it does not. 'phishwatch help check' explains each check.

Exits with code 0 if everything works, with 1 if there is an error, and with 2 if the configuration is invalid. Warnings
do not change the code, except with --strict. With --offline, it sends no packet: resolvers, URLs, endpoints and the mail server are
skipped, and it says so.`,
  flags: {
    ping: toggle("--ping", "send a webhook.ping to each endpoint"),
    offline: toggle("--offline", "send nothing over any network"),
    strict: toggle("--strict", "exit with code 1 also if there are only warnings"),
    running: toggle(
      "--running",
      "only ask the running appliance whether it is ready (exit code 0) or not (1)",
    ),
    url: text("--url <url>", "with --running: its address (default: that of server.listen)"),
    upgrade: toggle("--upgrade", "only report in advance what this version will do to the database"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch check", "run all checks, for example before a restart"],
    ["phishwatch check --ping", "also check that endpoints respond"],
    ["phishwatch check --running", "ask whether the running appliance is ready, for example in a container"],
    ["phishwatch check --upgrade", "with the new executable: what an upgrade will do"],
    ["phishwatch check --offline --strict", "fail on any warning, without using the network"],
  ],
  async run({ options, terminal }) {
    const { json, offline, ping, running, strict, url } = options;
    if (running) {
      if (ping || offline || strict)
        throw new UsageError("--running only goes with --url, --json and --config");
      const load = () => loadConfiguration(options.config, terminal.env);
      return reportReadiness({ url: readUrl(url), config: load, json, out: terminal.out });
    }
    if (url !== undefined) throw new UsageError("--url only goes with --running");
    const config = await loadConfiguration(options.config, terminal.env);
    const printer = createResultPrinter({ out: terminal.out, json, placeOf: placesIn(config.source) });
    if (options.upgrade) (await import("../checks/upgrade.ts")).checkUpgrade(config, printer.print);
    else await runChecks({ config, terminal, clock: systemClock, offline, ping, report: printer.print });
    const { error, warning, ok, skipped } = printer.finish();
    const total = error + warning + ok + skipped;
    if (error > 0) throw new FailedError(`${error} of ${total} checks failed`);
    if (strict && warning > 0) throw new FailedError(`${counted(warning, "warning")} of ${total} checks`);
  },
});

/** @throws UsageError if it is not an address of an appliance */
function readUrl(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const url = URL.parse(given);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "")
    return `${url.origin}${url.pathname}`;
  throw new UsageError(
    `--url must be an address such as http://127.0.0.1:8080, not "${visible(given, 200)}"`,
  );
}
