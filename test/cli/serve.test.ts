import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { commandFolder, type CommandFolder, defaultConfig, quickestForm } from "../support/command-line.ts";
import { startReceiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";

let folder: CommandFolder;
beforeEach(() => void (folder = commandFolder()));
afterEach(() => folder.dispose());

const get = (url: string, key: string) => fetch(url, { headers: { Authorization: `Bearer ${key}` } });
const ok = async (...args: string[]) => {
  const ended = await folder.runHere(args);
  expect({ code: ended.code, err: ended.err }).toMatchObject({ code: 0 });
  return ended.out.trim();
};

describe.each(quickestForm)("serve ($form)", ({ command }) => {
  test("`serve` prints its URL in one line and responds there; the printed curl command works", async () => {
    const server = await folder.serve({ command, args: ["--print-secrets"] });
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await until(() => server.out().includes("Try the key"), "the secrets are shown");
    const curl = /^ {2}(curl .*)$/m.exec(server.out())![1]!;
    const answer = JSON.parse(await runCurl(curl));
    expect(answer).toEqual({ data: [], meta: { total: 0, page: 1, per_page: 20 } });
    const ended = await server.stop();
    expect(ended.code).toBe(0);
    expect(ended.err).not.toMatch(/pw_[A-Za-z0-9]{38}/);
  });

  test("Without a terminal, the secrets of the first start are in a file that only its owner can read, and not in the output", async () => {
    const server = await folder.serve({ command });
    const file = join(folder.path, "data/test.db.secrets.txt");
    await until(() => server.out().includes(`Secrets:   ${file} (delete`), "the path is printed");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, "utf8");
    const curl = /^ {2}(curl .*)$/m.exec(text)![1]!;
    expect(JSON.parse(await runCurl(curl))).toMatchObject({ data: [] });
    const password = /^Password: {2}(\w{4}(?:-\w{4}){4})$/m.exec(text)![1]!;
    const ended = await server.stop();
    for (const output of [ended.out, ended.err]) {
      expect(output).not.toMatch(/pw_[A-Za-z0-9]{38}/);
      expect(output).not.toContain(password);
    }
    const second = await folder.serve({ command });
    expect((await second.stop()).out).toBe(`phishwatch is ready on ${second.url}\n`);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("The first start prints the address of the console, the account, its password and the key in one piece after the lines of the log, to a file and to a terminal", async () => {
    for (const output of ["file", "terminal"]) {
      const fresh = commandFolder();
      let shown = "";
      const path = fresh.file("output.txt", "");
      const both = openSync(path, "a");
      const data = (_: unknown, piece: Uint8Array) => void (shown += Buffer.from(piece).toString());
      const running =
        output === "terminal"
          ? Bun.spawn([...command, "serve"], { cwd: fresh.path, terminal: { cols: 200, rows: 24, data } })
          : Bun.spawn([...command, "serve", "--print-secrets"], {
              cwd: fresh.path,
              stdio: ["ignore", both, both],
            });
      const text = () => (output === "file" ? readFileSync(path, "utf8") : shown.replaceAll("\r\n", "\n"));
      await until(() => text().includes("/v1/threats\n"), "the key is printed");
      expect(text().slice(text().indexOf("phishwatch started"))).toMatch(
        new RegExp(
          [
            "\n",
            "phishwatch is ready on (http://127\\.0\\.0\\.1:\\d+)\n",
            "\n",
            "Console:   \\1/console\n",
            "Account:   admin\n",
            "Password:  \\w{4}(?:-\\w{4}){4}\n",
            "API key:   (pw_\\w+)\n",
            "\n",
            "Secrets will not be shown again. Try the key:\n",
            "\n",
            "  curl -H 'Authorization: Bearer \\2' \\1/v1/threats\n",
          ].join(""),
        ),
      );
      running.kill("SIGTERM");
      expect(await running.exited).toBe(0);
      closeSync(both);
      fresh.dispose();
    }
  });

  test("If the file for the secrets cannot be written, the start fails and the next start creates the secrets", async () => {
    const file = join(folder.path, "data/test.db.secrets.txt");
    mkdirSync(file, { recursive: true });
    const { code, err } = await folder.run(["serve"], { command });
    expect(code).toBe(1);
    expect(err).toContain(`cannot write the secrets of the first start to ${file}`);
    rmdirSync(file);
    const server = await folder.serve({ command });
    await until(() => server.out().includes("Secrets:"), "the path is printed");
    await server.stop();
    expect(readFileSync(file, "utf8")).toContain("API key");
  });

  test("The secrets of the first start are not written through a link that another user may have made", async () => {
    const file = join(folder.path, "data/test.db.secrets.txt");
    const target = join(folder.path, "target.txt");
    mkdirSync(join(folder.path, "data"), { recursive: true });
    symlinkSync(target, file);
    const linked = await folder.run(["serve"], { command });
    expect(linked.code).toBe(1);
    expect(linked.err).toContain(`cannot write the secrets of the first start to ${file}`);
    expect(existsSync(target)).toBe(false);
    rmSync(file);
    writeFileSync(target, "");
    linkSync(target, file);
    const named = await folder.run(["serve"], { command });
    expect(named.code).toBe(1);
    expect(named.err).toContain("it has a second name (hard link)");
    expect(readFileSync(target, "utf8")).toBe("");
  });

  test("`serve` prints the secrets on the first start only", async () => {
    const first = await folder.serve({ command, args: ["--print-secrets"] });
    await until(() => first.out().includes("Try the key"), "the secrets are shown");
    await first.stop();
    const second = await folder.serve({ command });
    const { out } = await second.stop();
    expect(out).toBe(`phishwatch is ready on ${second.url}\n`);
  });

  test("`serve --listen` replaces the address of the file, with the same checks", async () => {
    const other = commandFolder(
      defaultConfig.replace("[server]", '[traps]\nlisten = "127.0.0.1:1"\n[server]'),
    );
    const failed = async (listen: string) => {
      const { code, err } = await other.run(["serve", "--listen", listen], { command });
      expect(code).toBe(2);
      return err;
    };
    expect(await failed("8080")).toStartWith(
      'phishwatch: --listen must be host:port or [IPv6]:port, such as "127.0.0.1:8080", not "8080"; did you mean "127.0.0.1:8080"?\n',
    );
    expect(await failed("127.0.0.1:1")).toContain("traps.listen: found the address of server.listen");
    other.dispose();
    const server = await folder.serve({ command, args: ["--listen", "localhost:0"] });
    expect(server.url).toMatch(/^http:\/\/localhost:[0-9]+$/);
    await server.stop();
  });

  test("`serve` says where it listens if its URL does not", async () => {
    for (const [lines, url] of [
      ['public_url = "https://phishwatch.example"\nlisten = "127.0.0.1:0"', "https://phishwatch.example"],
      ['listen = "0.0.0.0:0"', "http://localhost:PORT"],
    ]) {
      const other = commandFolder(defaultConfig.replace(/listen = .*/, lines!));
      const { url: _, ...server } = await other.serve({ command });
      await until(() => server.out().includes("It listens"), "both lines are printed");
      const { out } = await server.stop();
      const [, host, port] = /^It listens on ([0-9.]+):(\d+)\.$/m.exec(out)!;
      expect([out.split("\n")[0], Number(port) > 0]).toEqual([
        `phishwatch is ready on ${url!.replace("PORT", port!)}`,
        true,
      ]);
      expect(lines).toContain(`"${host}:0"`);
      other.dispose();
    }
  });

  test("SIGINT stops the server with code 0 and closes the database to a single file", async () => {
    const server = await folder.serve({ command });
    expect((await server.stop("SIGINT")).code).toBe(0);
    const left = [...new Bun.Glob("*").scanSync(join(folder.path, "data"))].sort();
    expect(left).toEqual([
      "test.db",
      "test.db.copies.lock",
      "test.db.health",
      "test.db.lock",
      "test.db.secrets.txt",
    ]);
  });
});

test("the server continues and stops cleanly after the reader of its log is gone", async () => {
  folder.createDatabase();
  const running = folder.start(["serve"]);
  await running.stderr.cancel();
  const { value } = await running.stdout.getReader().read();
  const url = /ready on (\S+)/.exec(new TextDecoder().decode(value))![1]!;
  expect((await fetch(`${url}/v1/threats`)).status).toBe(401);
  // The server writes a line when it stops.
  running.kill("SIGTERM");
  expect(await running.exited).toBe(0);
});

describe("a second copy", () => {
  beforeEach(() => folder.createDatabase());

  test("a second server on the same database fails to start, and the first continues", async () => {
    const server = await folder.serve();
    const { code, out, err } = await folder.run(["serve"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("another phishwatch is already serving");
    expect((await fetch(`${server.url}/v1/threats`)).status).toBe(401);
    await server.stop();
  });

  test("a second server on the same port fails with advice, and generates no secrets", async () => {
    const server = await folder.serve();
    const { port } = new URL(server.url);
    const other = defaultConfig.replace("127.0.0.1:0", `127.0.0.1:${port}`).replace("test.db", "other.db");
    const path = folder.file("other.toml", other);
    const { code, out, err } = await folder.run(["serve", "--config", path]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(`127.0.0.1:${port} is already in use`);
    await server.stop();
    folder.file("phishwatch.toml", other.replace(`:${port}`, ":0"));
    const third = await folder.serve({ args: ["--print-secrets"] });
    await until(() => third.out().includes("API key"), "the secrets are created now");
    await third.stop();
  });
});

/** Starts a request with half of its body; `send` sends the rest. */
async function halfRequest(url: string, key: string) {
  const body = JSON.stringify({ ids: ["thr_unknown"], action: "resolve" });
  const head = `POST /v1/threats/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  let answer = "";
  const { hostname, port } = new URL(url);
  const data = (_: unknown, piece: Uint8Array) => void (answer += new TextDecoder().decode(piece));
  const socket = await Bun.connect({ hostname, port: Number(port), socket: { data } });
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`);
  // The server has started the request once it responds to a later one.
  await fetch(`${url}/v1/threats`);
  return { answer: () => answer, send: () => socket.write(body.slice(10)), end: () => socket.end() };
}

test("a request in progress at SIGTERM receives its response", async () => {
  folder.createDatabase();
  const server = await folder.serve();
  const request = await halfRequest(server.url, await ok("keys", "create"));
  server.process.kill("SIGTERM");
  await until(() => server.err().includes("stopping"), "it is stopping");
  await expect(fetch(`${server.url}/v1/threats`)).rejects.toThrow();
  request.send();
  await until(() => request.answer().includes("\r\n\r\n"), "the response arrives");
  expect(request.answer()).toStartWith("HTTP/1.1 200");
  expect(await server.process.exited).toBe(0);
  request.end();
});

test("a second signal stops the server immediately, even with work in progress", async () => {
  folder.createDatabase();
  const server = await folder.serve();
  const request = await halfRequest(server.url, await ok("keys", "create"));
  server.process.kill("SIGTERM");
  await until(() => server.err().includes("stopping"), "it is stopping");
  expect((await server.stop("SIGTERM")).code).toBe(143);
  expect(request.answer()).toBe("");
  request.end();
});

describe("beside a running server", () => {
  beforeEach(() => folder.createDatabase());

  test("created keys work immediately, and revoked ones stop immediately", async () => {
    const server = await folder.serve();
    const key = await ok("keys", "create", "--name", "ci");
    expect((await get(`${server.url}/v1/threats`, key)).status).toBe(200);
    await ok("keys", "revoke", key.slice(0, 8));
    expect((await get(`${server.url}/v1/threats`, key)).status).toBe(401);
    await server.stop();
  });

  test("import and triage are visible in the API, and the server delivers their events", async () => {
    const receiver = startReceiver();
    const server = await folder.serve();
    await ok("webhooks", "add", receiver.url, "--name", "soc");
    await folder.run(["import", "-"], { stdin: "example-bank.net\n" });
    await until(() => receiver.received.length === 1, "threat.created is sent");
    const id = (JSON.parse(await ok("threats", "list", "--json")) as { id: string }).id;
    await ok("threats", "resolve", id);
    await until(() => receiver.received.length === 3, "threat.updated and threat.resolved are sent");
    const key = await ok("keys", "create");
    const { data } = (await (await get(`${server.url}/v1/threats/${id}`, key)).json()) as {
      data: { status: string };
    };
    expect(data.status).toBe("resolved");
    await server.stop();
    await receiver.stop();
  });

  test("a brand keyword that is not matched everywhere is logged once, with the first checked name", async () => {
    folder.file("phishwatch.toml", `${defaultConfig}\n[[protected_domains]]\ndomain = "chase.com"\n`);
    const server = await folder.serve();
    const authorization = `Bearer ${await ok("keys", "create", "--scope", "candidates:write")}`;
    const warnings = () => server.err().match(/brand keyword is not matched everywhere/g)?.length ?? 0;
    expect(warnings()).toBe(0);
    for (const name of ["one.example", "two.example"]) {
      const headers = { authorization, "content-type": "text/plain" };
      const request = { method: "POST", headers, body: name };
      expect((await fetch(`${server.url}/v1/candidates`, request)).status).toBe(200);
    }
    await until(() => warnings() > 0, "the brand keyword is logged");
    const { err } = await server.stop();
    expect(warnings()).toBe(1);
    const line = err.split("\n").find((text) => text.includes("brand keyword"))!;
    expect(JSON.parse(line)).toMatchObject({ domain: "chase.com", word: "chase", strictness: "strict" });
  });

  test("an added domain is protected immediately", async () => {
    const feed = join(folder.path, "feed");
    mkdirSync(feed);
    folder.file("phishwatch.toml", `${defaultConfig}\n[[feeds]]\nname = "nrd"\npath = "feed"\n`);
    const server = await folder.serve();
    await ok("domains", "add", "example-shop.com");
    writeFileSync(join(feed, "names.txt"), "example-shop.net\n");
    let listed = "";
    const isListed = async () => (listed = await ok("threats", "list", "--json")) !== "";
    await until(isListed, "the threat is listed");
    expect(JSON.parse(listed)).toMatchObject({ domain: "example-shop.net", source: "feed" });
    expect(JSON.parse(await ok("feeds", "list", "--json"))).toMatchObject({
      feed: "nrd",
      path: join(feed, "names.txt"),
      lines: 1,
      matched: 1,
      created: 1,
      error: null,
    });
    expect(await ok("feeds", "list")).toMatch(/^nrd +names\.txt +1 +0 +1 +1 /m);
    expect(await ok("feeds", "list", "--failed")).toBe("");
    await server.stop();
  }, 60_000);

  test("a restore does not revive a session that was ended after the backup, and is logged with its actor", async () => {
    const database = join(folder.path, "data/test.db");
    const ask = <T>(sql: string) => {
      const sqlite = new Sqlite(database, { readwrite: true });
      const rows = sqlite.query<T, []>(sql).all();
      sqlite.close();
      return rows;
    };
    await folder.run(["import", "-"], { stdin: "example-bank.net\n" });
    const now = Date.now();
    ask(
      `insert into console_sessions (hash, account_seq, user_agent, created_at, last_seen_at) values (x'00', 1, '', ${now}, ${now})`,
    );
    await ok("backup", "copy.db");
    ask("delete from console_sessions");
    await ok("restore", "copy.db");
    expect(ask("select * from console_sessions")).toEqual([]);
    expect(ask("select action, via from audit_log order by seq desc limit 1")).toEqual([
      { action: "backup.restore", via: "command_line" },
    ]);
  });

  test("a backup can be created, and restored once the server has stopped", async () => {
    const server = await folder.serve();
    await folder.run(["import", "-"], { stdin: "example-bank.net\n" });
    await ok("backup", "copy.db");
    await folder.run(["import", "-"], { stdin: "example-bank.org\n" });
    const refused = await folder.run(["restore", "copy.db"]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("already serving");
    await server.stop();
    const { code, err } = await folder.run(["restore", "copy.db"]);
    expect(code).toBe(0);
    const listed = (await ok("threats", "list", "--json")).split("\n");
    expect(listed.map((line) => (JSON.parse(line) as { domain: string }).domain)).toEqual([
      "example-bank.net",
    ]);
    const aside = /is kept as (.*)\n/.exec(err)![1]!;
    folder.file("phishwatch.toml", defaultConfig.replace("data/test.db", aside));
    expect((await ok("threats", "list", "--json")).split("\n")).toHaveLength(2);
  });
});

describe("restore", () => {
  beforeEach(() => folder.createDatabase());

  test.each<[string, () => string, string]>([
    [
      "no database",
      () =>
        folder.file(
          "x",
          "junk that is long enough to be read as a header, one hundred bytes or more ".repeat(3),
        ),
      "not a database",
    ],
    ["missing", () => "none.db", "does not exist"],
  ])("`restore` of a copy that is %s fails and leaves the database unchanged", async (_, copy, message) => {
    await folder.run(["import", "-"], { stdin: "example-bank.net\n" });
    const { code, err } = await folder.run(["restore", copy()]);
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect((await ok("threats", "list", "--json")).split("\n")).toHaveLength(1);
  });
});

/** Runs the command line as a shell would, or with fetch if curl is not installed. */
async function runCurl(line: string): Promise<string> {
  if (Bun.which("curl") !== null) {
    const { stdout, exitCode } = Bun.spawnSync(["sh", "-c", line]);
    expect(exitCode).toBe(0);
    return stdout.toString();
  }
  const [, name, value, url] = /^curl -H '([\w-]+): ([^']+)' (\S+)$/.exec(line) ?? [];
  return (await fetch(url!, { headers: { [name!]: value! } })).text();
}
