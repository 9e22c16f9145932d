import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestableServer } from "../../src/web/api/server.ts";
import { openApp, type App } from "../../src/app/app.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { systemClock, type Clock } from "../../src/platform/lib/clock.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import type { FillRandom } from "../../src/platform/lib/ids.ts";
import { fillRandom as unpredictable, temporaryFolder } from "./appliance.ts";
import { createDatabase } from "./new-database.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

export type { Visitor };

export const consolePassword = "a password for tests";

/** Opens an appliance with its console on a real socket. Background work runs only after `start`. */
export function openConsoleApp({
  config = "",
  scan = "",
  lookups = false,
  clock = systemClock,
  env = {},
  fillRandom = unpredictable,
  publicUrl = "",
  trustedProxies = [],
}: {
  /** TOML tables to add to the configuration. */
  config?: string;
  /** Lines to add to `[scan]`. */
  scan?: string;
  /** `lookups.enabled`. */
  lookups?: boolean;
  clock?: Clock;
  env?: Record<string, string>;
  fillRandom?: FillRandom;
  publicUrl?: string;
  trustedProxies?: string[];
} = {}) {
  const folder = temporaryFolder();
  const configPath = join(folder.path, "phishwatch.toml");
  const text = `
[server]
listen = "127.0.0.1:0"
public_url = "${publicUrl}"
trusted_proxies = ${JSON.stringify(trustedProxies)}
[storage]
path = "phishwatch.db"
[scan]
schedule = ""
screenshots = "off"
${scan}
[lookups]
enabled = ${lookups}
[webhooks]
allow_http = true
${config}`;
  writeFileSync(
    configPath,
    /^\[console\]/m.test(text) ? text : `${text}\n[console]\npassword = "${consolePassword}"\n`,
  );
  const loaded = loadConfig({ path: configPath, env, readFile: readFileSync });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const logged: string[] = [];
  const log = createLog({ level: "debug", format: "json", clock, write: (line) => void logged.push(line) });
  createDatabase(join(folder.path, "phishwatch.db"));
  const app: App = openApp({ config: loaded.config, clock, log, fillRandom });
  app.server.listen();
  const url = `http://127.0.0.1:${(app.server as TestableServer).port}`;

  return {
    app,
    url,
    folder: folder.path,
    configPath,
    /** Lines of the log at all levels. */
    logged,
    visitor: () => createVisitor(url),
    async signedIn(): Promise<Visitor> {
      const one = createVisitor(url);
      const response = await one.post("/console/sign-in", { password: consolePassword });
      if (response.status !== 303) throw new Error(`not signed in: ${response.status} ${response.text}`);
      return one;
    },
    async dispose() {
      await app.server.stop(100);
      await app.stop();
      app.close();
      folder.dispose();
    },
  };
}

export type ConsoleApp = Awaited<ReturnType<typeof openConsoleApp>>;
