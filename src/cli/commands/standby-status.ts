import { systemClock } from "../../platform/lib/clock.ts";
import { newestState } from "../../operations/standby/standby-folder.ts";
import { readStatus, reportOf, type StandbyReport } from "../../operations/standby/status.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag, jsonFlag } from "../terminal/flags.ts";
import { printJson, renderFacts } from "../terminal/table.ts";
import { requireStandbyFolder } from "./standby-options.ts";

const failures: Record<Exclude<StandbyReport["condition"], "following">, string> = {
  empty: "the standby has no backup yet",
  failing: "the standby cannot follow the backups",
  stopped: "no standby is following; start 'phishwatch standby'",
};

export const statusCommand = command({
  name: "status",
  summary: "show what the standby has, and whether it follows",
  details:
    "Exits with 0 only if the standby follows and has a complete backup, so that a monitor can run it.",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch standby status", "show the backup that a promotion would start with"]],
  async run({ options, terminal }) {
    const standby = requireStandbyFolder(await loadConfiguration(options.config, terminal.env));
    const report = reportOf(await newestState(standby), await readStatus(standby), systemClock.now());
    const { condition, backup, version, changesUntil, lagSeconds, checkedAt, error } = report;
    if (options.json) printJson(terminal.out, report);
    else
      terminal.out.write(
        renderFacts([
          ["condition", condition],
          ["backup", backup],
          ["made by", version === null ? null : `phishwatch ${version}`],
          ["changes until", changesUntil],
          ["age", lagSeconds === null ? null : `${lagSeconds} s`],
          ["last check", checkedAt],
          ["error", error],
        ]),
      );
    if (condition !== "following") throw new FailedError(failures[condition]);
  },
});
