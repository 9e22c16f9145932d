import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useApi } from "./packaging/check/smoke.ts";

/** Where config.example.toml stores the data of the appliance. */
const dataFolder = "data";
/** In place of config.example.toml: the same appliance, but it sends nothing to other machines. */
const config = `
[storage]
path = "phishwatch.db"
[scan]
schedule = ""
resolvers = ["127.0.0.1:9"]
registration_data = false
[lookups]
enabled = false
[[protected_domains]]
domain = "example-bank.com"
`;
/** Includes the installation of packages and the build. */
const startTimeoutMs = 300_000;
const stopTimeoutMs = 30_000;

/** Returns whether a start in this folder would be the first one. */
export function isUnused(root: string): boolean {
  return !existsSync(join(root, dataFolder));
}

/** Deletes what the first start has left. */
export function removeData(root: string): void {
  rmSync(join(root, dataFolder), { recursive: true, force: true });
}

/**
 * Starts the appliance with `scripts/start` as a new user does, on a free port. Submits a look-alike with the key that it
 * prints, and stops it. Its data stays.
 * @throws an error that says which step failed
 */
export async function firstStart(root: string): Promise<void> {
  const file = join(root, dataFolder, "first-start.toml");
  mkdirSync(join(root, dataFolder), { mode: 0o700 });
  writeFileSync(file, config, { mode: 0o600 });
  const command = [join(root, "scripts/start"), "--listen", "127.0.0.1:0", "--config", file];
  const server = Bun.spawn(command, { cwd: root, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const stopLater = (ms: number) => setTimeout(() => server.kill("SIGKILL"), ms);
  let timer = stopLater(startTimeoutMs);
  let text = "";
  let isUsed = false;
  try {
    for await (const piece of server.stdout.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const [, key, url] = /Bearer (pw_\w+)' (http\S+)\/v1\/threats\n/.exec(text) ?? [];
      if (isUsed || key === undefined || url === undefined) continue;
      isUsed = true;
      await useApi(url, key);
      clearTimeout(timer);
      timer = stopLater(stopTimeoutMs);
      server.kill("SIGTERM");
    }
    const code = await server.exited;
    if (!isUsed) throw new Error(`it printed no address and key, and exited with code ${code}: ${text}`);
    if (code !== 0) throw new Error(`it exited with code ${code} after SIGTERM`);
  } finally {
    clearTimeout(timer);
    server.kill("SIGKILL");
  }
}
