import { describeError } from "../http/errors.ts";
import { toIsoTime } from "../lib/clock.ts";
import { StartError, messageOf } from "../lib/errors.ts";
import { pathOf } from "../lib/request-path.ts";
import { refuseForeignPages } from "./callers.ts";
import { lastOfConnection } from "./faults/failures.ts";
import { createFaults } from "./faults/faults.ts";
import { answerFaulty } from "./faults/fault-responses.ts";
import { createInboxes, type Inbox } from "./control/inbox.ts";
import {
  openInstance,
  type Instance,
  type InstanceOptions,
  type InstanceState,
} from "./instance/instance.ts";
import type { ReadyLine, SandboxState } from "./control/state.ts";
import { sandboxKeys } from "./world/keys.ts";
import { consolePassword, inSandbox } from "./settings.ts";

export interface Sandbox {
  readonly ready: ReadyLine;
  /** Ends at once, whatever is under way. */
  stop(): void;
}

interface Snapshot {
  name: string;
  instance: InstanceState;
  inboxes: Map<string, Inbox>;
}

/** What another instance begins with. */
interface Replacement {
  /** Absent: the start. */
  instance?: InstanceState;
  inboxes: Map<string, Inbox>;
}

type Options = InstanceOptions & {
  /** 0: a free one. */
  port: number;
  pid: number;
};

const snapshotsMax = 50;
const loopback = "127.0.0.1";
const idleTimeoutSeconds = 255;

/** Starts the appliance in memory behind a server on loopback, with a control plane beside it. */
export async function startSandbox({ port, pid, config, ...options }: Options): Promise<Sandbox> {
  const server = listen(port, handle);
  const taken = server.port!;
  const url = `http://${loopback}:${taken}`;
  const instanceOptions = { ...options, config: inSandbox(config, taken) };
  const inboxes = createInboxes();
  const faults = createFaults();
  const snapshots: Snapshot[] = [];
  let snapshotsMade = 0;
  let control: Promise<(request: Request) => Promise<Response>> | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  const ready: ReadyLine = {
    url,
    base_url: `${url}/v1`,
    control_url: `${url}/sandbox`,
    keys: Object.fromEntries(
      Object.entries(sandboxKeys).map(([name, { key }]) => [name, key]),
    ) as ReadyLine["keys"],
    console_password: instanceOptions.config.console.password ?? consolePassword,
    seed: options.seed,
    time: toIsoTime(options.start),
    pid,
  };
  const first = openInstance(instanceOptions);
  let current: Instance | undefined;

  async function handle(request: Request): Promise<Response> {
    const path = pathOf(request.url);
    const refused = refusalOf(request, path);
    if (refused !== undefined) return refused;
    const instance = current ?? (await first);
    if (path === "/sandbox" || path.startsWith("/sandbox/")) {
      // Loaded at the first request: the start does not wait for it.
      control ??= import("./control/control.ts").then(({ createControl }) =>
        createControl(state, options.log),
      );
      return withConnection(await (await control)(request));
    }
    const fault = path.startsWith("/v1/") ? faults.take(request.method, path) : undefined;
    const answer = () => instance.use(() => instance.app.server.handle(request, loopback));
    if (fault === undefined) return withConnection(await answer());
    return withConnection(await answerFaulty(fault, request, instance.clock.now(), answer));
  }

  function refusalOf(request: Request, path: string): Response | undefined {
    try {
      return void refuseForeignPages(request, path);
    } catch (error) {
      const where = { id: "sandbox", method: request.method, path };
      const { status, body } = describeError(error, where, options.log);
      return Response.json(body, { status, headers: { "cache-control": "no-store" } });
    }
  }

  function withConnection(answer: Response): Response {
    if (!faults.closes()) return answer;
    server.closeIdleConnections();
    return lastOfConnection(answer);
  }

  /** Another instance takes the place of the present one; one after another, if several ask. */
  function replace(from: () => Replacement): Promise<void> {
    const turn = turnAfter(queue, from);
    queue = turn.catch(() => {});
    return turn;
  }

  async function turnAfter(earlier: Promise<unknown>, from: () => Replacement): Promise<void> {
    await earlier;
    const before = current ?? (await first);
    // So that nothing from before arrives afterwards.
    await before.quieten();
    const { instance, inboxes: kept } = from();
    current = await openInstance(instanceOptions, instance);
    faults.clear();
    inboxes.restore(kept);
    void before.end();
  }

  const state: SandboxState = {
    ready,
    inboxes,
    faults,
    instance: () => current!,
    reset: () => replace(() => ({ inboxes: new Map() })),
    snapshot() {
      snapshotsMade += 1;
      const name = `snapshot-${snapshotsMade}`;
      snapshots.push({ name, instance: current!.save(), inboxes: inboxes.save() });
      if (snapshots.length > snapshotsMax) snapshots.shift();
      return name;
    },
    async restore(name) {
      const snapshot = name === undefined ? snapshots.at(-1) : snapshots.find((one) => one.name === name);
      if (snapshot === undefined) return undefined;
      await replace(() => ({ instance: snapshot.instance, inboxes: snapshot.inboxes }));
      return snapshot.name;
    },
  };

  try {
    current = await first;
  } catch (error) {
    void server.stop(true);
    throw error;
  }
  return {
    ready,
    stop() {
      current?.clock.close();
      void server.stop(true);
    },
  };
}

function listen(port: number, fetch: (request: Request) => Promise<Response>): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: loopback,
      port,
      reusePort: false,
      development: false,
      idleTimeout: idleTimeoutSeconds,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch,
    });
  } catch (error) {
    const inUse = (error as { code?: string }).code === "EADDRINUSE";
    const reason = inUse
      ? "another program listens there already; --port 0 takes a free one"
      : messageOf(error);
    throw new StartError(`cannot listen on ${loopback}:${port}: ${reason}`, { exitCode: 1, cause: error });
  }
}
