import { rmSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { createOutbox } from "../../../src/threats/events/outbox.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createIdFactory } from "../../../src/platform/lib/ids.ts";
import { phishwatchExecutable } from "../phishwatch.ts";
import { freePort, startServer, type ServerProcess } from "../server-process.ts";

export const apiKey = "benchmark-key-of-more-than-twenty-characters";
export const fillRandom = (bytes: Uint8Array): void =>
  void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);

export interface DeclaredEndpoint {
  name: string;
  url: string;
}

/** Returns a folder that is removed when the process exits. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-webhooks-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a configuration with these endpoints next to the database. */
export function configure(
  database: string,
  endpoints: readonly DeclaredEndpoint[],
): { config: string; port: number } {
  const port = freePort();
  const config = `${database}.toml`;
  const lines = [
    `[server]\nlisten = "127.0.0.1:${port}"`,
    `[storage]\npath = ${JSON.stringify(database)}`,
    `[scan]\nschedule = ""\n[lookups]\nenabled = false`,
    `[webhooks]\nallow_http = true`,
    ...endpoints.map(
      ({ name, url }) =>
        `[[webhooks.endpoints]]\nname = "${name}"\nurl = "${url}"\nsecret = "benchmark-secret-1"`,
    ),
    `[[protected_domains]]\ndomain = "example-bank.com"`,
    `[[api_keys]]\nname = "benchmark"\nkey = "${apiKey}"\nplan = "enterprise"\nscopes = ["threats:read", "threats:write", "candidates:write"]`,
  ];
  writeFileSync(config, `${lines.join("\n")}\n`);
  return { config, port };
}

export function serve({ config, port }: { config: string; port: number }): Promise<ServerProcess> {
  const command = [phishwatchExecutable, "serve", "--config", config];
  return startServer({ name: "phishwatch", command, port, readyPath: "/healthz", cwd: tmpdir() });
}

/** Creates a database with events that are not dispatched yet. */
export function seedEvents(path: string, count: number): void {
  const database = openDatabase(path);
  const ids = createIdFactory(systemClock.now, fillRandom);
  const outbox = createOutbox({ database, clock: systemClock, ids });
  database.transaction(() => {
    for (let index = 0; index < count; index += 1) outbox.record("threat.created", sampleEvent().data);
  });
  database.close();
}

export function sampleEvent() {
  return {
    id: "evt_01kf0000000000000000000000",
    type: "threat.created",
    created_at: new Date().toISOString(),
    data: {
      threat: {
        id: "thr_01kf0000000000000000000000",
        domain: "examp1e-bank.com",
        type: "typosquatting" as const,
        severity: "high" as const,
        similarity: 0.97,
      },
    },
  };
}
