import { Database } from "bun:sqlite";
import { copyFileSync, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Random } from "../../benchmarks/random.ts";
import { runCommand } from "../server.ts";

const killAfterMsMax = 400;

/**
 * Kills restores at random moments. After each, the database must be whole: the one before, or the backup; both have the
 * same threats here. The restore after the last kill must leave no files of those before.
 */
export async function killRestores({
  kills,
  random,
  config,
  databasePath,
}: {
  kills: number;
  random: Random;
  config: string;
  databasePath: string;
}): Promise<{ killed: number; violations: string[] }> {
  const backup = `${databasePath}.backup`;
  const violations: string[] = [];
  const created = await runCommand(["backup", backup, "--config", config]);
  if (created.exitCode !== 0) return { killed: 0, violations: [`backup: ${created.output}`] };
  const expected = threatsIn(backup);
  copyFileSync(backup, `${backup}.copy`);
  let killed = 0;
  const restore = (onStart?: (child: { kill(signal: "SIGKILL"): void }) => void) =>
    runCommand(["restore", backup, "--config", config], onStart === undefined ? {} : { onStart });
  for (let run = 0; run < kills; run += 1) {
    const killAfterMs = random.below(killAfterMsMax);
    const { exitCode } = await restore((child) => setTimeout(() => child.kill("SIGKILL"), killAfterMs));
    if (exitCode !== 0) killed += 1;
    const threats = threatsIn(databasePath);
    if (threats !== expected) violations.push(`kill after ${killAfterMs} ms: ${threats}, not ${expected}`);
  }
  const last = await restore();
  if (last.exitCode !== 0) violations.push(`restore after the kills: ${last.output}`);
  const name = basename(databasePath);
  const leftOver = readdirSync(dirname(databasePath)).filter((file) => file.startsWith(`${name}.incoming`));
  violations.push(...leftOver.map((file) => `left over: ${file}`));
  return { killed, violations };
}

function threatsIn(path: string): string {
  const database = new Database(path);
  try {
    const { integrity_check: integrity } = database
      .query<{ integrity_check: string }, []>("PRAGMA integrity_check")
      .get()!;
    const { count } = database.query<{ count: number }, []>("SELECT count(*) AS count FROM threats").get()!;
    return `${integrity}, ${count} threats`;
  } catch (error) {
    return String(error);
  } finally {
    database.close();
  }
}
