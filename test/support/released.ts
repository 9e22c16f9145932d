import { Database as Sqlite } from "bun:sqlite";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApp, type App } from "../../src/app/app.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { systemClock, type Clock } from "../../src/platform/lib/clock.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { fillRandom, temporaryFolder } from "./appliance.ts";

const folderOfReleased = join(import.meta.dir, "../platform/database/released");

/** A released version, and what its own executable wrote and responded. See scripts/record-released. */
export interface ReleasedVersion {
  version: string;
  /** Key of the API that the configuration declares. */
  apiKey: string;
  configuration: string;
  /** Responses to GET requests with the key. */
  responses: { path: string; status: number; body: unknown }[];
  /** The database file. */
  database: Uint8Array;
}

export const releasedVersions: readonly ReleasedVersion[] = readdirSync(folderOfReleased)
  .filter((name) => name.endsWith(".json"))
  .sort()
  .map((name) => {
    const recorded = JSON.parse(readFileSync(join(folderOfReleased, name), "utf8")) as Omit<
      ReleasedVersion,
      "database"
    >;
    const packed = readFileSync(join(folderOfReleased, `${recorded.version}.db.zst`));
    return { ...recorded, database: Bun.zstdDecompressSync(packed) };
  });

/** Opens the database of the released version in memory, without changing it. */
export function openReleased({ database }: ReleasedVersion): Sqlite {
  return Sqlite.deserialize(database, { strict: true });
}

/** Puts the database and the configuration of the released version into a folder, as an upgrade finds them. */
export function releasedFolder({ database, configuration }: ReleasedVersion) {
  const folder = temporaryFolder();
  const path = join(folder.path, "phishwatch.db");
  writeFileSync(path, database, { mode: 0o600 });
  // Another port with the same URLs, and no source that reads from other servers.
  const adapted = configuration
    .replace(/^listen = "(.*)"$/m, 'listen = "127.0.0.1:0"\npublic_url = "http://$1"')
    .replace(/^path = "recorded\/.*$/m, 'path = "phishwatch.db"')
    .replace("[certificate_logs]\nenabled = true", "[certificate_logs]\nenabled = false");
  const configPath = join(folder.path, "phishwatch.toml");
  writeFileSync(configPath, adapted);
  return { folder: folder.path, path, configPath, dispose: folder.dispose };
}

const dayMs = 86_400_000;
/** A day ahead, so that every delivery that waited when the database was recorded is due. */
const laterClock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + dayMs,
  at: (instant, callback) => systemClock.at(instant - dayMs, callback),
};

/** Opens the appliance of the present version on such a folder. Background work runs only after `start`. */
export function openUpgraded({ configPath }: { configPath: string }): App {
  const loaded = loadConfig({ path: configPath, env: {}, readFile: readFileSync });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const log = createLog({ level: "warn", format: "json", clock: systemClock, write: () => {} });
  return openApp({ config: loaded.config, clock: laterClock, log, fillRandom });
}
