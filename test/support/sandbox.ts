import { createLog } from "../../src/platform/lib/log.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { defaultConfig } from "../../src/sandbox/settings.ts";
import { defaultStart } from "../../src/sandbox/world/samples.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";

/** Opens a sandbox in this process, with functions that call it. */
export async function openSandbox({
  seed = 1,
  start = defaultStart,
  empty = false,
  config = defaultConfig(),
}: { seed?: number; start?: number; empty?: boolean; config?: ReturnType<typeof defaultConfig> } = {}) {
  const logLines: string[] = [];
  const sandbox = await startSandbox({
    config,
    log: createLog({
      level: "warn",
      format: "json",
      clock: systemClock,
      write: (line) => void logLines.push(line),
    }),
    monotonicMs: () => performance.now(),
    realNow: systemClock.now,
    seed,
    start,
    empty,
    port: 0,
    pid: process.pid,
  });
  return { ...speakWith(sandbox.ready), stop: sandbox.stop, logLines };
}

export type Ready = Awaited<ReturnType<typeof startSandbox>>["ready"];

export interface SandboxResponse {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests inspect it
  json: any;
}

export function speakWith(ready: Ready) {
  async function call(
    method: string,
    path: string,
    { key, body, headers = {} }: { key?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<SandboxResponse> {
    const response = await fetch(`${ready.url}${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      json: response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text,
    };
  }

  /** Calls the control plane. Fails unless the status is 200. */
  async function control(method: string, path: string, body?: unknown) {
    const response = await call(method, `/sandbox${path}`, body === undefined ? {} : { body });
    if (response.status !== 200)
      throw new Error(`${method} /sandbox${path}: ${response.status} ${JSON.stringify(response.json)}`);
    return response.json;
  }

  return {
    ready,
    call,
    control,
    api: (method: string, path: string, body?: unknown, key: string = ready.keys.enterprise) =>
      call(method, path, { key, ...(body === undefined ? {} : { body }) }),
    advance: (duration: string) => control("POST", "/clock", { advance: duration }),
    async inbox(name: string, query = "") {
      return (await control("GET", `/inbox/${name}${query}`)) as {
        data: {
          type: string;
          event_id: string;
          attempt: number;
          received_at: string;
          signature_valid: boolean;
          answered: number | string;
          headers: Record<string, string>;
          body: string;
          // oxlint-disable-next-line typescript/no-explicit-any -- tests inspect it
          event: any;
        }[];
        meta: { total: number; complete: boolean };
      };
    },
  };
}
