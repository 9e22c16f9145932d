import { until } from "./until.ts";

/** Starts another process that holds the write lock of a database from now on. */
export async function holdWriteLock(path: string): Promise<{ pid: number; release: () => Promise<void> }> {
  const script = `
    import { Database } from "bun:sqlite";
    const database = new Database(${JSON.stringify(path)}, { readwrite: true });
    database.run("PRAGMA busy_timeout = 10000");
    database.run("BEGIN IMMEDIATE");
    console.log("held");
    await new Response(Bun.stdin.stream()).text();
    database.run("ROLLBACK");
    database.close();
  `;
  const holder = Bun.spawn([process.execPath, "-e", script], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  let out = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const piece of holder.stdout) out += decoder.decode(piece, { stream: true });
  })();
  await until(() => out.includes("held") || holder.exitCode !== null, "the lock is held");
  return {
    pid: holder.pid,
    async release() {
      await holder.stdin.end();
      await holder.exited;
    },
  };
}
