import { join } from "node:path";
import { cpuSecondsOf } from "../server-process.ts";

/** The receiver of `plain-receiver-process.ts`. */
export interface PlainReceiver {
  port: number;
  /** Returns its user and system CPU time so far, in seconds. */
  cpuSeconds(): number;
  /** Returns how many requests it has received. */
  received(): Promise<number>;
  stop(): void;
}

export async function startPlainReceiver(): Promise<PlainReceiver> {
  let onMessage: (message: never) => void = () => {};
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "plain-receiver-process.ts")], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (message: never) => onMessage(message),
  });
  process.on("exit", () => child.kill());
  const next = <Message>() => new Promise<Message>((resolve) => (onMessage = resolve));
  const { port } = await next<{ port: number }>();
  return {
    port,
    cpuSeconds: () => cpuSecondsOf(child.pid),
    async received() {
      const report = next<{ received: number }>();
      child.send({});
      return (await report).received;
    },
    stop: () => child.kill(),
  };
}
