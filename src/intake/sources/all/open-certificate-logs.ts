import {
  createLogListLoader,
  type LogListLoader,
} from "../../../engines/certificate-transparency/list-loading/log-list-loader.ts";
import type { CertificateLogsConfig } from "../../../platform/config/config.ts";
import { userAgentOf } from "../../../platform/lib/build-info.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { randomNumber } from "../../../platform/lib/ids.ts";
import { createSystemResolver } from "../../../platform/network/dns/resolve-with-system.ts";
import { connectHere, connectThread } from "../certificate-log-reading/connection.ts";
import { certificateLogsOrigin, createBatchRecorder } from "../certificate-logs/batch-recorder.ts";
import { createCertificateLogs, type CertificateLogs } from "../certificate-logs/certificate-logs.ts";
import { checkCertificateLogs } from "../certificate-logs/status.ts";
import { createFollowedLogs } from "../certificate-logs/followed-logs.ts";
import type { SourceNeeds } from "../needs.ts";

interface CertificateLogsDependencies
  extends
    Omit<Parameters<typeof createBatchRecorder>[0], "tables">,
    SourceNeeds<"log" | "pauses" | "startWorker"> {
  config: CertificateLogsConfig;
}

/** Constructs the source that follows the certificate logs. */
export function openCertificateLogs(dependencies: CertificateLogsDependencies): CertificateLogs {
  const { config, pauses, startWorker, ...shared } = dependencies;
  const { clock, fillRandom } = shared;
  const { catchUpMs, contact, firstStart, logList, namesOnly, rates } = config;
  const random = () => randomNumber(fillRandom);
  const setup = { settings: { catchUpMs, firstStart, namesOnly }, userAgent: userAgentOf(contact), rates };
  const pausing = pauses.of(certificateLogsOrigin);
  const loader = loaderOf({ clock, config });
  return createCertificateLogs({
    check: async (logs, list) => {
      const fileProblem = logList.kind === "file" ? await problemOfFile(loader(), logList.path) : null;
      return checkCertificateLogs(logs, list, { contact, fileProblem, namesOnly, now: clock.now() });
    },
    connect: (events) =>
      startWorker === undefined
        ? connectHere(setup, { ...events, clock, random })
        : connectThread(setup, { ...events, startWorker }),
    createRecorder: (tables) => createBatchRecorder({ ...shared, tables }),
    ...shared,
    followed: openFollowedLogs({ ...shared, config }),
    pausing,
  });
}

/** Opens the logs that the configuration and the log list select, also if they are not followed. Loads nothing. */
export function openFollowedLogs({
  fillRandom,
  ...given
}: Pick<Parameters<typeof openCertificateLogs>[0], "clock" | "config" | "database" | "fillRandom" | "log">) {
  return createFollowedLogs({ ...given, loader: loaderOf(given), random: () => randomNumber(fillRandom) });
}

function loaderOf({ clock, config }: { clock: Clock; config: CertificateLogsConfig }): () => LogListLoader {
  const { contact, logList: source } = config;
  const given = { source, clock, resolveHost: createSystemResolver({ clock }) };
  return () => createLogListLoader({ ...given, userAgent: userAgentOf(contact) });
}

/** Returns why a log list in a file cannot be used, or null. */
async function problemOfFile(loader: LogListLoader, path: string): Promise<string | null> {
  try {
    await loader.load(null, new AbortController().signal);
    return null;
  } catch (error) {
    return `${path}: ${messageOf(error)}`;
  } finally {
    loader.close();
  }
}
