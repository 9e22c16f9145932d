import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../benchmarks/server-process.ts";
import { startServer, type Server } from "../server.ts";

/** One fault of the environment, and what must hold in spite of it. */
export interface Fault {
  name: string;
  /** Returns what does not hold; an empty list if all does. */
  run(tools: { folder: string; random: (below: number) => number }): Promise<string[]>;
  /** Returns why it cannot be tried here. */
  unavailable?(): string | undefined;
}

export interface Response {
  /** 0 if there was no response. */
  status: number;
  durationMs: number;
  text: string;
  retryAfter: string | null;
}

/** A server with its own folder. */
export interface Appliance {
  folder: string;
  port: number;
  config: string;
  databasePath: string;
  server: Server;
  request(method: string, path: string, body?: unknown): Promise<Response>;
  /** Submits a new look-alike. */
  submit(): Promise<Response & { domain: string }>;
  /** Stops the server. Returns its exit code and how long it took. */
  stop(): Promise<{ exitCode: number; durationMs: number }>;
}

const requestTimeoutMs = 40_000;
const stopTimeoutMs = 60_000;
const pollIntervalMs = 50;
const apiKey = "campaign-key-of-more-than-twenty-characters";

/**
 * @param settings more lines of the configuration, from a table header on.
 * @param storage folder of the database.
 */
export async function openAppliance({
  folder,
  settings = "",
  storage = folder,
  wrapper = [],
  environment = {},
}: {
  folder: string;
  settings?: string;
  storage?: string;
  wrapper?: readonly string[];
  environment?: Record<string, string>;
}): Promise<Appliance> {
  for (const path of [folder, storage]) mkdirSync(path, { recursive: true });
  const port = freePort();
  const databasePath = join(storage, "phishwatch.db");
  const config = join(folder, "phishwatch.toml");
  writeFileSync(config, configText({ port, databasePath, settings }));
  const server = await startServer({ config, port, wrapper, environment });
  let submitted = 0;
  const appliance: Appliance = {
    folder,
    port,
    config,
    databasePath,
    server,
    async request(method, path, body) {
      const startedAt = performance.now();
      const durationMs = () => performance.now() - startedAt;
      try {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          method,
          keepalive: false,
          headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(requestTimeoutMs),
        });
        const text = await response.text();
        return {
          status: response.status,
          durationMs: durationMs(),
          text,
          retryAfter: response.headers.get("retry-after"),
        };
      } catch (error) {
        return { status: 0, durationMs: durationMs(), text: String(error), retryAfter: null };
      }
    },
    async submit() {
      const domain = `example-bank-${submitted++}.com`;
      const response = await appliance.request("POST", "/v1/candidates", { domains: [domain] });
      return { ...response, domain };
    },
    async stop() {
      const startedAt = performance.now();
      const timer = setTimeout(() => server.signal("SIGKILL"), stopTimeoutMs);
      server.signal("SIGTERM");
      const exitCode = await server.exited;
      clearTimeout(timer);
      return { exitCode, durationMs: performance.now() - startedAt };
    },
  };
  return appliance;
}

/** Waits for a condition. Returns whether it came true in time. */
export async function within(timeoutMs: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > until) return false;
    await Bun.sleep(pollIntervalMs);
  }
  return true;
}

/** Collects what does not hold. */
export function createExpectations() {
  const violations: string[] = [];
  return {
    violations,
    expect(holds: boolean, violation: string) {
      if (!holds) violations.push(violation);
    },
  };
}

/** Returns the declaration of an endpoint of this URL. */
export const endpointText = (name: string, url: string): string => `[[webhooks.endpoints]]
name = "${name}"
url = "${url}"
secret = "campaign-secret-of-sufficient-length"
`;

function configText({
  port,
  databasePath,
  settings,
}: {
  port: number;
  databasePath: string;
  settings: string;
}): string {
  const ownTable = (name: string, lines: string) =>
    settings.includes(`[${name}]`) ? "" : `[${name}]\n${lines}\n`;
  return `[server]
listen = "127.0.0.1:${port}"
[storage]
path = ${JSON.stringify(databasePath)}
[log]
format = "json"
${ownTable("scan", 'schedule = ""\nregistration_data = false\nscreenshots = "off"')}${ownTable("webhooks", "allow_http = true")}[[protected_domains]]
domain = "example-bank.com"
[[api_keys]]
name = "campaign"
key = "${apiKey}"
plan = "enterprise"
scopes = ["threats:read", "threats:write", "candidates:write"]
${settings}
`;
}
