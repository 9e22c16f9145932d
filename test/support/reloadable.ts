import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApp, type App } from "../../src/app/app.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { fillRandom, manualClock, temporaryFolder, type ManualClock } from "./appliance.ts";
import { createDatabase } from "./new-database.ts";

/** Opens an appliance over a configuration file that can be changed and reloaded. */
export function openReloadable(
  text: string,
  {
    clock = manualClock(),
    env = {},
    files = () => {},
    server = "",
  }: {
    clock?: ManualClock;
    env?: Record<string, string>;
    files?: (folder: string) => void;
    server?: string;
  } = {},
) {
  const folder = temporaryFolder();
  const path = join(folder.path, "phishwatch.toml");
  const common = `
[server]
listen = "127.0.0.1:0"
${server}
[storage]
path = "phishwatch.db"
`;
  const write = (changed: string) => writeFileSync(path, common + changed);
  write(text);
  files(folder.path);
  createDatabase(join(folder.path, "phishwatch.db"));
  const load = () => loadConfig({ path, env, readFile: (file) => readFileSync(file) });
  const loaded = load();
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const logged: Record<string, unknown>[] = [];
  const log = createLog({
    level: loaded.config.log.level,
    format: "json",
    clock,
    write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>),
  });
  const app: App = openApp({ config: loaded.config, clock, fillRandom, log, loadConfig: load });
  return {
    app,
    clock,
    folder: folder.path,
    logged,
    log,
    write,
    reload(changed: string) {
      write(changed);
      return app.reload!.run("request");
    },
    async dispose() {
      await app.stop();
      app.close();
      folder.dispose();
    },
  };
}

export type Reloadable = ReturnType<typeof openReloadable>;
