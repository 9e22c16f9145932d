import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "./appliance.ts";
import { createDatabase } from "./new-database.ts";
import { until } from "./until.ts";

const root = join(import.meta.dir, "../..");
const executable = join(root, "dist/phishwatch");

/** Without it, Bun compiles the console's pages as the settings of the current folder say. */
const settings = `--tsconfig-override=${join(root, "tsconfig.json")}`;

/** Ways to start phishwatch: from the sources and, if it was built from them, as the executable. */
export const forms: { form: string; command: string[] }[] = [
  { form: "sources", command: [process.execPath, settings, join(root, "src/main.ts")] },
  ...(isUpToDate() ? [{ form: "executable", command: [executable] }] : []),
];
/** The executable, if it is up to date: it starts ten times as fast, and contains the same code. */
export const quickestForm = forms.slice(-1);
export const quickest = quickestForm[0]!.command;

/** An outdated executable would fail tests that the sources pass. */
function isUpToDate(): boolean {
  if (!existsSync(executable)) return false;
  const builtAt = statSync(executable).mtimeMs;
  // One pattern each: Bun finds nothing for alternatives of which one contains a slash.
  return ["src/**", "drizzle/**", "scripts/client/**"]
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
    .every((path) => statSync(join(root, path)).mtimeMs <= builtAt);
}

export interface Ended {
  code: number;
  out: string;
  err: string;
}

export interface RunOptions {
  /** Further arguments of `serve`. */
  args?: string[];
  stdin?: string | Uint8Array;
  env?: Record<string, string>;
  command?: string[];
}

/** Creates a folder with a configuration, in which commands run. */
export function commandFolder(config = defaultConfig) {
  const folder = temporaryFolder();
  if (config !== "") writeFileSync(join(folder.path, "phishwatch.toml"), config);

  function start(args: string[], { env = {}, command = quickest }: RunOptions = {}) {
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
    /** Creates the database of `defaultConfig` with all tables. In its first command, all migrations take 45 ms. */
    createDatabase(): void {
      const path = join(folder.path, "data/test.db");
      mkdirSync(dirname(path), { mode: 0o700 });
      createDatabase(path);
    },
    start,
    /** Runs a command to its end. */
    async run(args: string[], options: RunOptions = {}): Promise<Ended> {
      const running = start(args, options);
      // A command that does not read its input may end before it is written.
      const feeding = Promise.try(async () => {
        if (options.stdin !== undefined) await running.stdin.write(options.stdin);
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
    /**
     * Runs a command to its end in this process, which takes a tenth of the CPU time of a new one. Only for commands
     * that need neither standard input nor threads, and in files whose tests take turns: the working directory of this
     * process is the folder until the command ends.
     */
    async runHere(args: string[]): Promise<Ended> {
      const { runInProcess } = await import("./run-in-process.ts");
      const before = process.cwd();
      process.chdir(folder.path);
      try {
        return await runInProcess(args);
      } finally {
        process.chdir(before);
      }
    },
    /** Runs `serve` until it is ready. */
    async serve(options: RunOptions = {}) {
      const running = start(["serve", ...(options.args ?? [])], options);
      const out = gather(running.stdout);
      const err = gather(running.stderr);
      const ready = () => /ready on (\S+)\n/.exec(out.text());
      await until(() => ready() !== null || running.exitCode !== null, "serve is ready", 20_000);
      const url = ready()?.[1];
      if (url === undefined) throw new Error(`serve ended: ${err.text()}`);
      return {
        url,
        process: running,
        /** Returns its output so far. */
        out: out.text,
        err: err.text,
        async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ended> {
          running.kill(signal);
          const code = await running.exited;
          await Promise.all([out.ended, err.ended]);
          return { code, out: out.text(), err: err.text() };
        },
      };
    },
  };
}

function gather(stream: ReadableStream<Uint8Array>): { text: () => string; ended: Promise<void> } {
  const decoder = new TextDecoder();
  let text = "";
  const ended = (async () => {
    for await (const piece of stream) text += decoder.decode(piece, { stream: true });
  })();
  return { text: () => text, ended };
}

export type CommandFolder = ReturnType<typeof commandFolder>;

export const defaultConfig = `
[server]
listen = "127.0.0.1:0"
[storage]
path = "data/test.db"
[scan]
schedule = ""
resolvers = ["127.0.0.1:9"]
registration_data = false
[lookups]
enabled = false
[webhooks]
allow_http = true
[[protected_domains]]
domain = "example-bank.com"
`;
