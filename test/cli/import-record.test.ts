import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { commandFolder, defaultConfig, quickest, type CommandFolder } from "../support/command-line.ts";
import { until } from "../support/until.ts";

/** Returns a test in a folder of its own. */
const inFolder = (run: (folder: CommandFolder) => Promise<void>) => async () => {
  const folder = commandFolder(`${defaultConfig}\n[log]\nformat = "json"\n`);
  try {
    await run(folder);
  } finally {
    folder.dispose();
  }
};

const linesOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const threatsIn = async (folder: CommandFolder) =>
  linesOf((await folder.run(["threats", "list", "--json"])).out) as { domain: string; source: string }[];

// They wait for the server's checks of other processes, which it makes every 5 seconds.
test.concurrent(
  "The server logs an import by command line in one line with origin, names, threats and duration",
  inFolder(async (folder) => {
    const server = await folder.serve();
    const list = folder.file("names.txt", "example-bank.net\nother.org\nnot a name\n");
    expect((await folder.run(["import", list])).code).toBe(0);
    expect((await folder.run(["import", "none.txt"])).code).toBe(1);
    const cut = folder.file(
      "cut.gz",
      Bun.gzipSync(Buffer.from("other.org\n".repeat(50_000))).subarray(0, 60),
    );
    expect((await folder.run(["import", cut])).code).toBe(1);
    const logged = () => linesOf(server.err()).filter(({ event }) => String(event).startsWith("import.f"));
    await until(() => logged().length >= 2, "both imports are logged", 30_000);
    await server.stop();
    expect(logged()).toEqual([
      expect.objectContaining({
        level: "info",
        origin: "command_line",
        name: list,
        state: "completed",
        lines: 3,
        names: 3,
        invalid: 1,
        matched: 1,
        created: 1,
        durationMs: expect.any(Number),
      }),
      expect.objectContaining({
        level: "warn",
        origin: "command_line",
        name: cut,
        state: "failed",
        reason: expect.stringContaining("is truncated"),
      }),
    ]);
  }),
  60_000,
);

test.concurrent(
  "An import whose process is killed is shown as interrupted while the server runs, and a suspended one as running",
  inFolder(async (folder) => {
    const server = await folder.serve();
    const states = () => {
      const database = new Database(join(folder.path, "data/test.db"), { readonly: true });
      const rows = database.query("select state, error from list_imports order by seq").all();
      database.close();
      return rows as { state: string; error: string | null }[];
    };
    const begin = async (count: number) => {
      const command = folder.start(["import", "-"]);
      await command.stdin.write("other.org\n");
      await command.stdin.flush();
      await until(() => states().length === count, "the import has begun", 20_000);
      return command;
    };
    const suspended = await begin(1);
    suspended.kill("SIGSTOP");
    const killed = await begin(2);
    expect(states()).toMatchObject([{ state: "running" }, { state: "running" }]);
    killed.kill("SIGKILL");
    await until(() => states()[1]!.state !== "running", "the server notices", 30_000);
    expect(states()).toEqual([
      { state: "running", error: null },
      { state: "interrupted", error: "was not read to its end: the command that read it was stopped" },
    ]);
    await until(() => server.err().includes('"state":"interrupted"'), "the server logs it", 30_000);
    suspended.kill("SIGCONT");
    await suspended.stdin.end();
    expect(await suspended.exited).toBe(0);
    expect(states()[0]!.state).toBe("completed");
    await server.stop();
  }),
  90_000,
);

test.concurrent(
  "Names typed in the terminal are recorded as submissions, names from a pipe or a file as from a feed",
  inFolder(async (folder) => {
    let seen = "";
    const data = (_: unknown, bytes: Uint8Array) => void (seen += Buffer.from(bytes).toString());
    const running = Bun.spawn([...quickest, "import", "-"], {
      cwd: folder.path,
      terminal: { cols: 100, rows: 24, data },
    });
    await until(() => Bun.file(join(folder.path, "data/test.db")).size > 0, "the import has started", 20_000);
    // The end of input of a terminal.
    running.terminal!.write("typed-example-bank.com\n\u0004");
    expect(await running.exited).toBe(0);
    expect(seen).toContain("1 new threat");
    await folder.run(["import", "-"], { stdin: "piped-example-bank.com\n" });
    await folder.run(["import", folder.file("a.txt", "in-file-example-bank.com\n")]);
    expect((await threatsIn(folder)).map(({ domain, source }) => [domain, source]).sort()).toEqual([
      ["in-file-example-bank.com", "feed"],
      ["piped-example-bank.com", "feed"],
      ["typed-example-bank.com", "submission"],
    ]);
  }),
  60_000,
);
