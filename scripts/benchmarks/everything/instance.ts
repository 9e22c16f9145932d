import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyListText } from "../../campaigns/logs/log-server.ts";
import { phishwatchExecutable } from "../phishwatch.ts";
import { freePort, startServer, type ServerProcess } from "../server-process.ts";
import type { WorldReport } from "./messages.ts";

export const apiKey = "benchmark-key-of-more-than-twenty-characters";
export const consolePassword = "a password for the benchmark";

export interface InstanceOptions {
  folder: string;
  world: WorldReport;
  protectedDomains: readonly string[];
  firstStart: "beginning" | "end";
  /** Everything else that can be enabled: lists, certstream, scans, lookups, webhooks. */
  dns: { address: string; port: number } | undefined;
  certstream: boolean;
  /** Memory that the runtime assumes, which decides how far its heap grows, in MiB; 0: that of the machine. */
  assumed: number;
}

export interface Instance extends ServerProcess {
  readonly url: string;
  readonly config: string;
  readonly pid: number;
  /** Folder that is a feed, undefined without. */
  readonly feedFolder: string;
}

/** Starts the executable with a new database. */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { folder } = options;
  const port = freePort();
  const config = join(folder, "phishwatch.toml");
  const feedFolder = join(folder, "names");
  writeFileSync(join(folder, "log-list.json"), emptyListText(Date.now()));
  writeFileSync(config, configText(options, { port, feedFolder }));
  const command = [phishwatchExecutable, "serve", "--config", config];
  const server = await startServer({
    name: "phishwatch",
    command,
    port,
    readyPath: "/healthz",
    cwd: folder,
    environment: options.assumed === 0 ? {} : { BUN_JSC_forceRAMSize: String(options.assumed * 2 ** 20) },
  });
  return { ...server, url: `http://127.0.0.1:${port}`, config, feedFolder };
}

function configText(
  { folder, world, protectedDomains, firstStart, dns, certstream }: InstanceOptions,
  { port, feedFolder }: { port: number; feedFolder: string },
): string {
  const lines = [
    `[server]\nlisten = "127.0.0.1:${port}"`,
    `[storage]\npath = ${JSON.stringify(join(folder, "phishwatch.db"))}`,
    `[console]\npassword = ${JSON.stringify(consolePassword)}`,
    `[certificate_logs]\nenabled = true\ncontact = "benchmark@example.com"\nfirst_start = "${firstStart}"`,
    `log_list = ${JSON.stringify(join(folder, "log-list.json"))}`,
    dns === undefined
      ? `[scan]\nschedule = ""\n[lookups]\nenabled = false`
      : `[scan]\nschedule = "* * * * *"\nresolvers = ["${dns.address}:${dns.port}"]\nqueries_per_second = 1000\n` +
        `registration_data = false\nscreenshots = "off"`,
    `[webhooks]\nallow_http = true`,
    ...protectedDomains.map((domain) => `[[protected_domains]]\ndomain = "${domain}"`),
    `[[api_keys]]\nname = "benchmark"\nkey = "${apiKey}"\nplan = "enterprise"\nscopes = ["threats:read", "threats:write"]`,
    ...world.logs.map(
      ({ name, key, url, protocol }) =>
        `[[certificate_logs.extra_logs]]\nname = "${name}"\nkey = "${key}"\nurl = "${url}"\nprotocol = "${protocol}"`,
    ),
  ];
  const base = `127.0.0.1:${world.port}`;
  if (certstream)
    lines.push(
      `[[feeds]]\nname = "stream"\ntype = "certstream"\nurl = "ws://${base}/stream"\nallow_private_networks = true`,
    );
  if (dns !== undefined) {
    for (const index of [1, 2])
      lines.push(
        `[[feeds]]\nname = "list${index}"\nurl = "http://${base}/list${index}"\nschedule = "* * * * *"\nallow_private_networks = true`,
      );
    lines.push(
      `[[feeds]]\nname = "folder"\npath = ${JSON.stringify(feedFolder)}`,
      `[[webhooks.endpoints]]\nname = "receiver"\nurl = "http://${base}/hook"\nsecret = "benchmark-secret-1"`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Memory of a process in bytes: resident, of which not from files, and the largest resident so far. */
export function memoryOf(pid: number): { resident: number; anonymous: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0) * 1024;
  return { resident: field("VmRSS"), anonymous: field("RssAnon"), peak: field("VmHWM") };
}

/** Runs a command of the executable. */
export async function runCommand(args: string[]): Promise<void> {
  const child = Bun.spawn([phishwatchExecutable, ...args], { stdio: ["ignore", "inherit", "inherit"] });
  if ((await child.exited) !== 0) throw new Error(`phishwatch ${args.join(" ")} failed`);
}
