import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./appliance.ts";

const root = join(import.meta.dir, "../..");
const executable = join(root, "dist/phishwatch");

/** How phishwatch can be started: from the sources and, where it has been built, as the executable. */
export const forms: { form: string; command: string[] }[] = [
  { form: "sources", command: [process.execPath, join(root, "src/main.ts")] },
  ...(existsSync(executable) ? [{ form: "executable", command: [executable] }] : []),
];
const [sources] = forms;

export interface Ended {
  code: number;
  out: string;
  err: string;
}

export interface RunOptions {
  stdin?: string | Uint8Array;
  env?: Record<string, string>;
  command?: string[];
}

/** A folder with a configuration, to run commands in. */
export function commandFolder(config = defaultConfig) {
  const folder = temporaryFolder();
  if (config !== "") writeFileSync(join(folder.path, "phishwatch.toml"), config);

  function start(args: string[], { env = {}, command = sources!.command }: RunOptions = {}) {
    const { PHISHWATCH_CONFIG: _, ...inherited } = process.env;
    return Bun.spawn([...command, ...args], {
      cwd: folder.path,
      env: { ...inherited, ...env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
  }

  return {
    path: folder.path,
    dispose: folder.dispose,
    file(name: string, content: string | Uint8Array): string {
      const path = join(folder.path, name);
      writeFileSync(path, content);
      return path;
    },
    start,
    /** Runs a command to its end. */
    async run(args: string[], options: RunOptions = {}): Promise<Ended> {
      const running = start(args, options);
      // A command that does not read its input may end before it is written.
      const feeding = Promise.try(async () => {
        if (options.stdin !== undefined) running.stdin.write(options.stdin);
        await running.stdin.end();
      }).catch(() => {});
      const [out, err, code] = await Promise.all([
        new Response(running.stdout).text(),
        new Response(running.stderr).text(),
        running.exited,
        feeding,
      ]);
      return { code, out, err };
    },
    /** Runs `serve` until it is ready. */
    async serve(options: RunOptions = {}) {
      const running = start(["serve"], options);
      const reader = running.stdout.getReader();
      const decoder = new TextDecoder();
      let out = "";
      while (!/ready on .*\n/.test(out)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`serve ended: ${await new Response(running.stderr).text()}`);
        out += decoder.decode(value, { stream: true });
      }
      const url = /ready on (\S+)/.exec(out)![1]!;
      const rest = (async () => {
        for (let read = await reader.read(); !read.done; read = await reader.read())
          out += decoder.decode(read.value);
      })();
      const err = new Response(running.stderr).text();
      return {
        url,
        process: running,
        /** What it wrote to standard output so far. */
        out: () => out,
        async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ended> {
          running.kill(signal);
          const code = await running.exited;
          await rest;
          return { code, out, err: await err };
        },
      };
    },
  };
}

export type CommandFolder = ReturnType<typeof commandFolder>;

export const defaultConfig = `
[server]
listen = "127.0.0.1:0"
[storage]
path = "data/test.db"
[webhooks]
allow_http = true
[[protected_domains]]
domain = "example-bank.com"
`;
