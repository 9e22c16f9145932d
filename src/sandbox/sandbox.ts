import { describeError } from "../web/http/errors.ts";
import { type Area, createHosts, type GuardedRoutes, guardRoutes } from "../web/http/guard.ts";
import { createRequestIds } from "../web/http/responder.ts";
import { toIsoTime } from "../platform/lib/clock.ts";
import { messageOf, StartError, codeOf } from "../platform/lib/errors.ts";
import { pathOf } from "../platform/lib/request-path.ts";
import { requireLocalCaller } from "./callers.ts";
import { createInboxes, receiveMail } from "./control/inbox.ts";
import type { ReadyLine } from "./control/state.ts";
import { lastOfConnection } from "./faults/failures.ts";
import { respondWithFault } from "./faults/fault-responses.ts";
import { createFaults } from "./faults/faults.ts";
import { readImage } from "./images.ts";
import type { InstanceOptions } from "./instance/instance.ts";
import type { Instances } from "./instances.ts";
import { consolePassword, inSandbox } from "./settings.ts";
import { sandboxKeys } from "./world/samples.ts";

export interface Sandbox {
  readonly ready: ReadyLine;
  /** Stops at once, without waiting for requests or deliveries in flight. */
  stop(): void;
}

type Options = Omit<InstanceOptions, "image" | "receiveMail" | "scanSchedule"> & {
  /** Starts without threats. */
  empty?: boolean;
  /** 0: the system chooses. */
  port: number;
  pid: number;
};

const loopback = "127.0.0.1";
const idleTimeoutSeconds = 255;
/** For the responses that the appliance does not create. */
const requestIdOf = createRequestIds(() => crypto.randomUUID());

/** Starts the appliance in memory behind a server on loopback, with a control plane. */
export async function startSandbox({ port, pid, config, empty, ...options }: Options): Promise<Sandbox> {
  const everything: Area = {
    path: "",
    // `requireLocalCaller` checks the name.
    hosts: "any",
    handle,
    reject: (request, error) => errorResponse(request, pathOf(request.url), error),
  };
  const server = listen(port, guardRoutes([everything], createHosts([])));
  const url = `http://${loopback}:${server.port!}`;
  const inboxes = createInboxes();
  const instanceOptions: InstanceOptions = {
    ...options,
    image: readImage(imageNameOf({ empty, ...options }), options),
    scanSchedule: config.scan.schedule,
    receiveMail: (letter, now) => receiveMail(inboxes, letter, now),
    config: inSandbox(config, server.port!, { looksUp: options.isDemonstration === true }),
  };
  const faults = createFaults();
  const ready = describeReady({ url, pid, ...instanceOptions });
  const opening = openInstances();
  let control: Promise<(request: Request) => Promise<Response>> | undefined;

  async function openInstances(): Promise<Instances> {
    // Loaded after the server has started: Bun collects garbage then, which takes 10 ms with the appliance in memory.
    const instances = await import("./instances.ts");
    return instances.openInstances({ options: instanceOptions, inboxes, faults });
  }

  async function handle(request: Request): Promise<Response> {
    const path = pathOf(request.url);
    const rejection = rejectForeignCaller(request, path);
    if (rejection !== undefined) return rejection;
    const instances = await opening;
    const instance = instances.current();
    if (path === "/sandbox" || path.startsWith("/sandbox/")) {
      // Loaded on the first request, to keep it out of the startup time.
      control ??= openControl(instances);
      const response = await (await control)(request);
      response.headers.set("x-request-id", requestIdOf(request));
      return finish(response);
    }
    const fault = path.startsWith("/v1/") ? faults.take(request.method, path) : undefined;
    const respond = () => instance.use(() => instance.app.server.handle(request, loopback));
    if (fault === undefined) return finish(await respond());
    return finish(
      await respondWithFault(fault, request, {
        now: instance.clock.now(),
        charge: instance.app.server.charge,
        respond,
      }),
    );
  }

  async function openControl({ current, reset, snapshot, restore }: Instances) {
    const { createControl } = await import("./control/control.ts");
    const state = { ready, inboxes, faults, instance: current, reset, snapshot, restore };
    return createControl(state, options.log);
  }

  function rejectForeignCaller(request: Request, path: string): Response | undefined {
    try {
      return void requireLocalCaller(request, path);
    } catch (error) {
      return errorResponse(request, path, error);
    }
  }

  function errorResponse(request: Request, path: string, error: unknown): Response {
    const id = requestIdOf(request);
    const { status, body } = describeError(error, { id, method: request.method, path }, options.log);
    return Response.json(body, { status, headers: { "cache-control": "no-store", "x-request-id": id } });
  }

  /** While a fault resets connections, no connection may be reused: its client would silently try again. */
  function finish(response: Response): Response {
    if (!faults.resets()) return response;
    server.closeIdleConnections();
    return lastOfConnection(response);
  }

  try {
    const { stop } = await opening;
    return {
      ready,
      stop() {
        stop();
        void server.stop(true);
      },
    };
  } catch (error) {
    void server.stop(true);
    throw error;
  }
}

function imageNameOf({ empty, isDemonstration = false }: Pick<Options, "empty" | "isDemonstration">) {
  if (isDemonstration) return "demonstration";
  return empty ? "empty" : "samples";
}

function describeReady({
  url,
  pid,
  config,
  seed,
  start,
}: Pick<InstanceOptions, "config" | "seed" | "start"> & { url: string; pid: number }): ReadyLine {
  return {
    url,
    base_url: `${url}/v1`,
    control_url: `${url}/sandbox`,
    keys: Object.fromEntries(
      Object.entries(sandboxKeys).map(([name, { key }]) => [name, key]),
    ) as ReadyLine["keys"],
    console_password: config.console.password ?? consolePassword,
    seed,
    time: toIsoTime(start),
    pid,
  };
}

function listen(port: number, routes: GuardedRoutes): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: loopback,
      port,
      reusePort: false,
      development: false,
      idleTimeout: idleTimeoutSeconds,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      routes,
    });
  } catch (error) {
    const inUse = codeOf(error) === "EADDRINUSE";
    const reason = inUse
      ? "the port is already in use by another program; use --port 0 for a free one"
      : messageOf(error);
    throw new StartError(`cannot listen on ${loopback}:${port}: ${reason}`, { cause: error });
  }
}
