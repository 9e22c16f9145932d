import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../support/appliance.ts";
import { consolePassword, openConsoleApp, type ConsoleApp } from "../../support/console.ts";
import { codeBlocks } from "../../support/documentation.ts";
import { findCaddy, findSystemProgram } from "../../support/programs.ts";
import { until } from "../../support/until.ts";

// nginx and Caddy in front of the console, with a program that authenticates users, as the page Accounts and roles shows.

const host = "phishwatch.example.com";
const shown = (language: string) =>
  codeBlocks([language])
    .filter(({ file }) => file === "src/manual/users.md")
    .map(({ code }) => code)
    .join("\n");

const proxies = [
  {
    name: "nginx",
    command: findSystemProgram("nginx"),
    headers: ["X-Forwarded-User", "X-Forwarded-Groups"],
    /** Status without a user: it leads to the form of the program that authenticates. */
    statusSignedOut: 302,
    configuration: (ports: Ports, folder: string) => {
      const site = shown("nginx")
        .replaceAll("listen 443 ssl;", `listen 127.0.0.1:${ports.proxy};`)
        .replaceAll(/^ *ssl_certificate.*\n/gm, "")
        .replaceAll("127.0.0.1:8080", `127.0.0.1:${ports.console}`)
        .replaceAll("127.0.0.1:4180", `127.0.0.1:${ports.users}`);
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (one) => `${one}_temp_path ${folder}/${one};`,
      );
      return `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log; events {}
http { access_log off; ${temporary.join(" ")} ${site} }`;
    },
    arguments: (file: string, folder: string) => ["-p", folder, "-e", join(folder, "log"), "-c", file],
  },
  {
    name: "Caddy",
    command: findCaddy(),
    headers: ["Remote-User", "Remote-Groups"],
    /** It forwards the response of that program. */
    statusSignedOut: 401,
    configuration: (ports: Ports) => {
      const site = shown("caddyfile")
        .replace(/^phishwatch\S+ \{$/m, `http://${host}:${ports.proxy} {`)
        .replaceAll("127.0.0.1:8080", `127.0.0.1:${ports.console}`)
        .replaceAll("127.0.0.1:9091", `127.0.0.1:${ports.users}`);
      return `{\n  admin off\n  auto_https off\n}\n${site}\n`;
    },
    arguments: (file: string) => ["run", "--adapter", "caddyfile", "--config", file],
  },
];

interface Ports {
  proxy: number;
  console: number;
  users: number;
}

/** Authenticates the user that a cookie names, like Authelia and oauth2-proxy do. */
function startUsers() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ headers }) {
      const user = /user=(\w+)/.exec(headers.get("cookie") ?? "")?.[1];
      if (user === undefined) return new Response("", { status: 401 });
      const response = new Response("", { headers: { "remote-user": user, "x-auth-request-user": user } });
      if (user === "nobody") return response;
      for (const name of ["remote-groups", "x-auth-request-groups"]) response.headers.set(name, "soc");
      return response;
    },
  });
}

for (const proxy of proxies)
  describe.skipIf(proxy.command === undefined)(`behind ${proxy.name}, configured as the manual shows`, () => {
    const folder = temporaryFolder();
    const users = startUsers();
    let app: ConsoleApp;
    let running: Bun.Subprocess;
    let port = 0;
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { host, ...headers }, redirect: "manual" });

    beforeAll(async () => {
      const [user, groups] = proxy.headers;
      app = openConsoleApp({
        publicUrl: `https://${host}`,
        trustedProxies: ["127.0.0.1/32"],
        config: `[console]
password = "${consolePassword}"
trusted_user_header = "${user}"
trusted_groups_header = "${groups}"
[[console.group_roles]]
group = "soc"
role = "analyst"
`,
      });
      const free = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
      port = free.port!;
      await free.stop(true);
      const file = join(folder.path, "configuration");
      const ports = { proxy: port, console: Number(new URL(app.url).port), users: users.port! };
      await Bun.write(file, proxy.configuration(ports, folder.path));
      mkdirSync(join(folder.path, "home"));
      running = Bun.spawn([...proxy.command!, ...proxy.arguments(file, folder.path)], {
        cwd: folder.path,
        env: { ...process.env, HOME: join(folder.path, "home") },
        stdio: ["ignore", "ignore", Bun.file(join(folder.path, "output"))],
      });
      const isUp = () =>
        get("/healthz").then(
          ({ status }) => status === 200,
          () => false,
        );
      await until(isUp, `${proxy.name} serves`, 20_000);
    });
    afterAll(async () => {
      running.kill();
      await running.exited;
      await users.stop(true);
      await app.dispose();
      folder.dispose();
    });

    test("users whom it authenticates are signed in, and a client cannot pass for another user or group", async () => {
      const [user, groups] = proxy.headers as [string, string];
      const page = await get("/console/threats", { cookie: "user=alice" });
      expect([page.status, page.headers.getSetCookie().join()]).toEqual([
        200,
        expect.stringContaining("__Host-phishwatch_session="),
      ]);
      const forged = { [user]: "admin", [groups]: "soc" };
      await get("/console/threats", { cookie: "user=bob", ...forged });
      expect(app.app.accounts.list().map(({ name, role }) => `${name} ${role}`)).toEqual([
        "admin administrator",
        "alice analyst",
        "bob analyst",
      ]);
      expect((await get("/console/threats", { cookie: "user=nobody", ...forged })).status).toBe(403);
      expect((await get("/console/threats", forged)).status).toBe(proxy.statusSignedOut);
      // Paths that the proxy does not authenticate have no user.
      expect((await get("/healthz", forged)).status).toBe(200);
      expect(app.app.accounts.list()).toHaveLength(3);
    });
  });
