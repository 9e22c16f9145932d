import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openApp, type App } from "../../src/app/app.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { systemClock, type Clock } from "../../src/platform/lib/clock.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { fillRandom, temporaryFolder } from "./appliance.ts";
import { startDnsServer, type DnsServer, type Zones } from "./dns-server.ts";
import { createDatabase } from "./new-database.ts";

export interface ScanSettings {
  clock?: Clock;
  queriesPerSecond?: number;
  schedule?: string;
  domains?: string[];
  /** `lookups.enabled`. */
  lookups?: boolean;
}

/** Opens appliances over one database file, whose scans query name servers on loopback. */
export function scanWorld() {
  const folder = temporaryFolder();
  const servers: DnsServer[] = [];
  const apps: App[] = [];
  const logged: string[] = [];

  return {
    /** Lines of the log, as JSON. */
    logged,

    async serve(
      zones: Zones,
      behavior: Pick<NonNullable<Parameters<typeof startDnsServer>[1]>, "denies" | "drops"> = {},
    ): Promise<DnsServer> {
      const server = await startDnsServer(zones, behavior);
      servers.push(server);
      return server;
    },

    open(resolvers: DnsServer[], settings: ScanSettings = {}): App {
      const { clock = systemClock, queriesPerSecond = 5_000, schedule = "" } = settings;
      const path = join(folder.path, "phishwatch.toml");
      const domains = settings.domains ?? ["acme.com"];
      writeFileSync(
        path,
        `[scan]
        schedule = "${schedule}"
        resolvers = [${resolvers.map(({ server }) => `"${server.address}:${server.port}"`).join()}]
        queries_per_second = ${queriesPerSecond}
        [lookups]
        enabled = ${settings.lookups ?? false}
        ${domains.map((domain) => `[[protected_domains]]\ndomain = "${domain}"`).join("\n")}`,
      );
      const loaded = loadConfig({ path, env: {}, readFile: readFileSync });
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
      const write = (line: string) => void logged.push(line);
      const log = createLog({ level: "info", format: "json", clock, write });
      const { path: databasePath } = loaded.config.storage;
      mkdirSync(dirname(databasePath), { mode: 0o700, recursive: true });
      createDatabase(databasePath);
      const app = openApp({ config: loaded.config, clock, log, fillRandom });
      apps.push(app);
      return app;
    },

    async dispose(): Promise<void> {
      for (const app of apps) {
        await app.stop();
        app.close();
      }
      for (const server of servers) server.stop();
      folder.dispose();
    },
  };
}

export type ScanWorld = ReturnType<typeof scanWorld>;
