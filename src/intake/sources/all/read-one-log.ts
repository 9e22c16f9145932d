import { createEntryScanner } from "../../../engines/certificate-transparency/entries/entry-scanner.ts";
import type { LogReader } from "../../../engines/certificate-transparency/log.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { createLogFollower } from "../certificate-log-reading/follow-log.ts";
import type { LogReport } from "../certificate-log-reading/messages.ts";
import { createBlockScreen, passAll } from "../certificate-log-reading/screen-block.ts";
import { createBatchRecorder } from "../certificate-logs/batch-recorder.ts";

interface LogReadingDependencies extends Omit<Parameters<typeof createBatchRecorder>[0], "clock" | "tables"> {
  clock: Clock;
  reader: LogReader;
}

/**
 * Reads one log in this thread, and only when asked to. Starts at the end that the log has at the first call.
 *
 * @returns a function that reads what the log has published since the last call, and records the look-alikes. It throws
 * `LogError` if the log cannot be read or contradicts itself.
 */
export function createLogReading(given: LogReadingDependencies): () => Promise<void> {
  const { clock, reader, ...dependencies } = given;
  const recorder = createBatchRecorder({ ...dependencies, clock, tables: { versionOf: () => 0 } });
  const follower = createLogFollower({
    reader,
    progress: null,
    settings: { catchUpMs: Number.MAX_SAFE_INTEGER, firstStart: "end", namesOnly: false },
    clock,
    // The recorder checks every name, so nothing depends on the version of a prefilter.
    screen: createBlockScreen({ scanner: createEntryScanner(), current: () => passAll }),
    buffered: { count: 0 },
    pollMs: () => 0,
    send: async (report: LogReport) => {
      if (report.report === "batch") await recorder.record(report.batch, () => {});
    },
    signal: new AbortController().signal,
  });
  return async () => void (await follower.round());
}
