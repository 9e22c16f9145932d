import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { signIn } from "../console-session.ts";
import { generateNames } from "../sample-names.ts";
import { createApiLatency } from "./api-latency.ts";
import { consolePassword, runCommand, type Instance } from "./instance.ts";
import type { World } from "./world.ts";

const entriesPerBlock = 256;
const intervalMs = 1_000;
const pages = ["/console", "/console/sources", "/console/threats", "/console/names?q=login"];

export interface Usage {
  instance: Instance;
  world: World;
  folder: string;
  seconds: number;
  logs: number;
  /** Entries per second of all logs together. */
  rate: number;
  /** Names in each list. */
  names: number;
}

/** Lets the logs grow, changes the lists, adds a protected domain, and requests the API and pages of the console. */
export async function useEverything(usage: Usage): Promise<void> {
  const endsAt = performance.now() + usage.seconds * 1_000;
  const isRunning = () => performance.now() < endsAt;
  await Promise.all([
    changeHalfway(usage),
    growLogs(usage, isRunning),
    visitConsole(usage, isRunning),
    requestApi(usage, isRunning),
  ]);
}

async function changeHalfway({ instance, world, folder, seconds, names }: Usage): Promise<void> {
  await Bun.sleep((seconds * 1_000) / 2);
  await world.send({ do: "change lists" });
  writeFileSync(join(folder, "names/second.txt"), generateNames(names / 5, 32));
  await runCommand(["domains", "add", "added-later-bank.com", "--config", instance.config]);
}

async function growLogs({ world, logs, rate }: Usage, isRunning: () => boolean): Promise<void> {
  for (let due = 0; isRunning(); await Bun.sleep(intervalMs)) {
    due += ((rate / entriesPerBlock / logs) * intervalMs) / 1_000;
    const blocks = Math.floor(due);
    if (blocks > 0) await world.send({ do: "grow", blocks });
    due -= blocks;
  }
}

async function visitConsole({ instance }: Usage, isRunning: () => boolean): Promise<void> {
  const cookie = await signIn(instance.url, consolePassword);
  for (let index = 0; isRunning(); index++) {
    const page = pages[index % pages.length]!;
    const response = await fetch(`${instance.url}${page}`, { headers: { cookie } });
    await response.bytes();
    if (response.status !== 200) throw new Error(`${page} returned ${response.status}`);
    await Bun.sleep(intervalMs);
  }
}

async function requestApi({ instance }: Usage, isRunning: () => boolean): Promise<void> {
  const latency = createApiLatency(instance.url, () => ["/v1/threats?per_page=20"]);
  while (isRunning()) await latency.measure(intervalMs);
}
