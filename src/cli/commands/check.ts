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
  flags: {
    ping: toggle("--ping"),
    offline: toggle("--offline"),
    strict: toggle("--strict"),
    running: toggle("--running"),
    url: text("--url <url>"),
    upgrade: toggle("--upgrade"),
    json: jsonFlag,
    config: configFlag,
  },
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
