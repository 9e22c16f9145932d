import type { Archive } from "../../src/engines/archive/archive.ts";
import type { CertificateLog } from "../../src/engines/certificate-transparency/log.ts";
import { createLogReaders } from "../../src/engines/certificate-transparency/reading/log-readers.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { createYielder } from "../../src/platform/lib/yielder.ts";
import {
  connectHere,
  type PipelineEvents,
} from "../../src/intake/sources/certificate-log-reading/connection.ts";
import type { FollowSettings } from "../../src/intake/sources/certificate-log-reading/messages.ts";
import {
  certificateLogsOrigin,
  createBatchRecorder,
} from "../../src/intake/sources/certificate-logs/batch-recorder.ts";
import {
  createCertificateLogs,
  type CertificateLogs,
} from "../../src/intake/sources/certificate-logs/certificate-logs.ts";
import { certificateLogs } from "../../src/intake/sources/certificate-logs/tables.ts";
import { threatCertificates } from "../../src/threats/threats/store/tables.ts";
import { fillRandom } from "./appliance.ts";
import { startLogServer } from "./log-server.ts";
import { openStores } from "./stores.ts";
import { until } from "./until.ts";

const stepMs = 5_000;

/** The source over a real database, with real readers of logs on loopback. Its time passes only while a test waits. */
export function openLogWorld() {
  const server = startLogServer();
  const stores = openStores();
  const { clock, database } = stores;
  const lines: { message: string; [field: string]: unknown }[] = [];
  const archived: string[] = [];
  const archive: Pick<Archive, "add" | "flush"> = {
    add: (names) => void archived.push(...new TextDecoder().decode(names).split("\n").slice(0, -1)),
    flush: () => Promise.resolve(),
  };
  let followed: CertificateLog[] = [];
  let running: CertificateLogs | undefined;
  let reconcile = () => {};
  let crash = () => {};
  let refusals = 0;

  function connect(settings: FollowSettings) {
    return ({ onReport, onFailure }: PipelineEvents) => {
      if (refusals-- > 0) throw new Error("too many open files");
      const rates = followed.map(({ operator }) => ({ operator, requestsPerSecond: 10_000 }));
      const setup = { settings, userAgent: "phishwatch/1.0.0 (+soc@example.com)", rates };
      const readers = createLogReaders({
        ...setup,
        clock,
        random: () => 0.5,
        resolveHost: () => Promise.resolve([]),
      });
      const connection = connectHere(setup, { clock, random: () => 0.5, onReport, readers });
      crash = () => {
        void connection.end();
        onFailure(new Error("the thread has crashed"));
      };
      return connection;
    };
  }

  /** Starts to follow these logs; stop it before the next start. */
  function start(logs: readonly CertificateLog[], settings: Partial<FollowSettings> = {}): CertificateLogs {
    followed = [...logs];
    const log = createLog({
      level: "info",
      format: "json",
      clock,
      write: (line) => void lines.push(JSON.parse(line)),
    });
    running = createCertificateLogs({
      ...stores,
      check: () => ({ level: "ok", detail: "" }),
      connect: connect({ catchUpMs: 86_400_000, firstStart: "end", namesOnly: false, ...settings }),
      createRecorder: (tables) =>
        createBatchRecorder({
          ...stores,
          archive,
          fillRandom,
          tables,
          yielder: () => createYielder({ sliceMs: 10, elapsedMs: () => performance.now() }),
        }),
      followed: {
        start: (onChange) => void (reconcile = onChange),
        stop: () => Promise.resolve(),
        logs: () => followed,
        status: () => ({
          origin: "builtin",
          isNeeded: true,
          publishedAt: null,
          fetchedAt: null,
          problem: null,
          choices: [],
          extra: [],
        }),
      },
      log,
      pausing: stores.pauses.of(certificateLogsOrigin),
    });
    running.start();
    return running;
  }

  return {
    ...stores,
    server,
    lines,
    archived,
    start,
    /** Follows other logs, as after a change of the log list. */
    change(logs: readonly CertificateLog[]) {
      followed = [...logs];
      reconcile();
    },
    /** Lets the next attempts to start the pipeline fail. */
    refuseThreads: (count: number) => void (refusals = count),
    /** Ends the pipeline as if its thread had crashed. */
    crash: () => crash(),
    async stop() {
      await running?.stop();
      running = undefined;
    },
    /** Lets time pass until the condition holds. */
    until: (condition: () => boolean, what: string) =>
      until(
        () => {
          if (condition()) return true;
          clock.advance(stepMs);
          return false;
        },
        `${what}; ${JSON.stringify(lines.slice(-3))}`,
      ),
    row: (logId: string) =>
      database.query
        .select()
        .from(certificateLogs)
        .all()
        .find((row) => row.logId === logId),
    names: () =>
      stores.threats
        .list({}, { page: 1, perPage: 100 })
        .threats.map(({ domain }) => domain)
        .sort(),
    certificates: () => database.query.select().from(threatCertificates).all(),
    created: () => stores.events().filter(({ type }) => type === "threat.created").length,
    async dispose() {
      await running?.stop();
      await server.stop();
      stores.dispose();
    },
  };
}

export type LogWorld = ReturnType<typeof openLogWorld>;
