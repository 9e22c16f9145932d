import { join } from "node:path";
import type { WorldInstruction, WorldReport } from "./messages.ts";

/** The process with everything that the executable connects to. */
export interface World {
  /** Resolves when the instruction is done. */
  send(instruction: WorldInstruction): Promise<WorldReport>;
  stop(): void;
}

export function startWorld(): World {
  const waiting: ((report: WorldReport) => void)[] = [];
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "world-process.ts")], {
    ipc: (report: WorldReport) => waiting.shift()?.(report),
    // Infinity does not exist in JSON.
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit"],
  });
  const exited = child.exited.then((code) => {
    throw new Error(`the process with the sources exited with code ${code}`);
  });
  exited.catch(() => {});
  return {
    send(instruction) {
      const { promise, resolve } = Promise.withResolvers<WorldReport>();
      waiting.push(resolve);
      child.send(instruction);
      return Promise.race([promise, exited]);
    },
    stop: () => child.kill("SIGKILL"),
  };
}

/** Starts a DNS server in which these names exist. */
export async function startDns(
  existing: readonly string[],
  { address, port }: { address: string; port: number },
): Promise<{ stop: () => void }> {
  const zones = Object.fromEntries(existing.map((name) => [name, { A: ["192.0.2.1"], NS: [`ns1.${name}`] }]));
  const script = join(import.meta.dir, "../dns-server-process.ts");
  const child = Bun.spawn([process.execPath, script], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  await child.stdin.write(JSON.stringify({ address, port, zones }));
  await child.stdin.end();
  const first = await child.stdout.getReader().read();
  if (first.done) throw new Error(`cannot start a DNS server on ${address}:${port}`);
  return { stop: () => child.kill() };
}
