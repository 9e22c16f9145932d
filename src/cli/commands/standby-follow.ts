import { tryLock } from "../../platform/database/lock.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { formatDuration } from "../../platform/lib/durations.ts";
import { follow } from "../../operations/standby/follow.ts";
import { newestState } from "../../operations/standby/standby-folder.ts";
import { openStandbyStatus } from "../../operations/standby/status.ts";
import { fromFlag } from "../appliance/backup-place.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { openLog } from "../appliance/open-log.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag, duration, hostPort } from "../terminal/flags.ts";
import { openPrimary, requireStandbyFolder } from "./standby-options.ts";

const pollMsDefault = 60_000;
const pollMsMin = 1_000;

export const followCommand = command({
  name: "follow",
  summary: "follow the backups of a primary until it is interrupted",
  details: `Checks for a newer backup at every interval, fetches what has changed, and assembles and checks a complete copy of the
appliance in the folder standby next to the database. The last good copy stays until the next one is complete. It runs no scans, reads
no sources and sends nothing. Does not need an appliance, and does not change one.`,
  flags: {
    from: fromFlag,
    every: duration(
      "--every <duration>",
      `time between two checks (default: ${formatDuration(pollMsDefault)})`,
    ),
    listen: hostPort("--listen <host:port>", "serve /readyz and /metrics here"),
    config: configFlag,
  },
  examples: [
    ["phishwatch standby", "follow the backups that [backup] of the configuration names"],
    ["phishwatch standby --from s3://backups/main --every 30s", "follow those of a bucket"],
    ["phishwatch standby --listen 127.0.0.1:8081", "also serve /readyz and /metrics"],
  ],
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const pollMs = Math.max(pollMsMin, options.every ?? pollMsDefault);
    const standby = requireStandbyFolder(config);
    const signal = terminal.interruption();
    const primary = openPrimary({ config, from: options.from, signal });
    const lock = tryLock(config.storage.path, "standby");
    if (lock === undefined) throw new FailedError(`another standby already follows in ${standby}`);
    const log = openLog(config, terminal);
    const server =
      options.listen === undefined
        ? undefined
        : openStandbyStatus({ standby, listen: options.listen, clock: systemClock });
    try {
      const backup = (await newestState(standby))?.manifest.id;
      log.event("standby.started", {
        store: primary.name,
        pollMs,
        ...(backup === undefined ? {} : { backup }),
      });
      await follow({ standby, ...primary, pollMs, clock: systemClock, log, signal });
    } finally {
      await server?.stop();
      lock.release();
    }
  },
});
