import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { recordApi } from "./api.ts";
import { recordCommands } from "./commands.ts";
import { recordConsole } from "./console.ts";
import { describeDifference, type Recording } from "./recording.ts";
import { freePort, startSandbox } from "./server.ts";

const usage = `usage: scripts/compare FIRST SECOND [--save FOLDER] [--only api|console|commands]

Compares two executables from outside. Each runs a sandbox with the same seed, and commands in an empty folder. The same
requests go to both: API, console, manual, control plane, commands, wrong configuration files; and their webhooks are
received. Prints each case whose observation differs, and exits with 1 if there is one.

  --save FOLDER  write what was observed, one file for each build
  --only PART    only this part`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { save: { type: "string" }, only: { type: "string" }, help: { type: "boolean", short: "h" } },
});
const [first, second] = positionals.map((path) => resolve(path));
if (values.help) console.log(usage);
else if (first === undefined || second === undefined || positionals.length > 2) {
  console.error(usage);
  process.exitCode = 2;
} else process.exitCode = await compare(first, second);

async function compare(...executables: [string, string]): Promise<number> {
  const missing = executables.filter((path) => !existsSync(path));
  if (missing.length > 0) {
    console.error(`there is no executable ${missing.join(", ")}`);
    return 2;
  }
  const port = freePort();
  const [before, after] = [await observe(executables[0], port), await observe(executables[1], port)];
  if (values.save !== undefined) {
    mkdirSync(values.save, { recursive: true });
    for (const [name, recording] of [
      ["first", before],
      ["second", after],
    ] as const)
      writeFileSync(
        join(values.save, `${name}.json`),
        JSON.stringify(Object.fromEntries(recording), null, 1),
      );
  }
  let differing = 0;
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const difference = describeDifference(before.get(name), after.get(name));
    if (difference === undefined) continue;
    differing++;
    console.log(`${name}: ${difference}`);
  }
  console.log(`${before.size} and ${after.size} cases observed, ${differing} differ`);
  return differing === 0 ? 0 : 1;
}

/** The console is visited in a sandbox of its own, which the requests to the API have not changed. */
async function observe(executable: string, port: number): Promise<Recording> {
  const recording: Recording = new Map();
  // The same request can come twice; what it returns then is a case of its own.
  const record = (name: string, observed: string) => {
    let unique = name;
    for (let repetition = 2; recording.has(unique); repetition++) unique = `${name} (${repetition})`;
    recording.set(unique, observed);
  };
  const parts = { api: recordApi, console: recordConsole };
  for (const [name, recordPart] of Object.entries(parts)) {
    if (values.only !== undefined && values.only !== name) continue;
    const sandbox = await startSandbox(executable, port);
    try {
      await recordPart(sandbox, record);
    } finally {
      await sandbox.stop();
    }
  }
  if (values.only === undefined || values.only === "commands") await recordCommands(executable, record);
  return recording;
}
