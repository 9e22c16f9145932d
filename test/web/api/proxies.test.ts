import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { system } from "../../../src/access/audit/actor.ts";
import { honeytoken } from "../../../src/response/traps/kinds/honeytoken/honeytoken.ts";
import { openApi, type Api } from "../../support/api.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { codeBlocks } from "../../support/documentation.ts";
import { findCaddy, findSystemProgram } from "../../support/programs.ts";
import { sendRaw } from "../../support/raw-request.ts";
import { until } from "../../support/until.ts";

// nginx and Caddy in front of the server, configured as the page HTTPS and proxies shows.

const consoleHost = "phishwatch.example.com";
const trapsHost = "traps.example.net";
/** Forwards only /t and /b, to the listener that serves everything. */
const pathsHost = "paths.example.net";

/** Another address of this machine than the proxy's own. */
const visitor = "127.0.0.9";

interface Ports {
  main: number;
  traps: number;
  proxy: number;
}

interface Proxy {
  name: string;
  command: string[] | undefined;
  /** Returns the file that the page shows, on the test's ports and without TLS. */
  configuration(ports: Ports, folder: string): string;
  arguments(file: string, folder: string): string[];
}

/** The snippet for two hosts, and the one that passes on only some paths. */
const shown = (language: string) =>
  codeBlocks([language])
    .filter(({ file }) => file === "src/manual/proxy.md")
    .map(({ code }) => code)
    .join("\n");
const snippets = { nginx: shown("nginx"), caddy: shown("caddyfile") };

function onPorts(snippet: string, { main, traps }: Ports): string {
  return snippet
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${main}`)
    .replaceAll("127.0.0.1:8081", `127.0.0.1:${traps}`);
}

const proxies: Proxy[] = [
  {
    name: "nginx",
    command: findSystemProgram("nginx"),
    configuration(ports, folder) {
      const listen = `listen 127.0.0.1:${ports.proxy};`;
      const servers = onPorts(snippets.nginx, ports)
        .replaceAll("listen 443 ssl;", listen)
        .replaceAll(/^ *ssl_certificate.*\n/gm, "")
        .replace("  location / {", "  location = /openapi.json { return 403; }\n  location / {");
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      return `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log; events {}
http { access_log off; ${temporary.join(" ")} ${servers} }`;
    },
    arguments: (file, folder) => ["-p", folder, "-e", join(folder, "log"), "-c", file],
  },
  {
    name: "Caddy",
    command: findCaddy(),
    configuration(ports) {
      const sites = onPorts(snippets.caddy, ports)
        .replaceAll(/^(\S+) \{$/gm, `http://$1:${ports.proxy} {`)
        .replace("{\n", "{\n  respond /openapi.json 403\n");
      return `{\n  admin off\n  auto_https off\n}\n${sites}\n`;
    },
    arguments: (file) => ["run", "--adapter", "caddyfile", "--config", file],
  },
];

/** Returns a port that was free a moment ago. */
function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return port!;
}

const escapes = [
  "..\\",
  "../",
  "%2e%2e/",
  "..%5c",
  "%2e%2e%5c",
  "..%2f",
  ".%2e\\",
  "x\\..\\..\\",
  "/../../",
  "//..\\..\\",
];
const targets = ["openapi.json", "metrics", "console/sign-in", "docs", "readyz"].flatMap((target) =>
  escapes.flatMap((escape) => [`/t/${escape}${target}`, `/b/${escape}${target.replaceAll("/", "\\")}`]),
);

for (const { name, command, configuration, arguments: argumentsFor } of proxies)
  describe.skipIf(command === undefined)(`behind ${name}, configured as the manual shows`, () => {
    const folder = temporaryFolder();
    const proxy = freePort();
    let api: Api;
    let running: Bun.Subprocess;

    beforeAll(async () => {
      api = openApi({
        server: { publicUrl: `https://${consoleHost}`, trustedProxies: ["127.0.0.1/32"] },
        trapConfig: { listen: { host: "127.0.0.1", port: 0 }, publicUrl: `https://${trapsHost}` },
      });
      api.server.listen();
      const file = join(folder.path, "configuration");
      const ports = { main: api.server.port!, traps: api.server.trapsPort!, proxy };
      await Bun.write(file, configuration(ports, folder.path));
      mkdirSync(join(folder.path, "home"));
      running = Bun.spawn([...command!, ...argumentsFor(file, folder.path)], {
        cwd: folder.path,
        env: { ...process.env, HOME: join(folder.path, "home") },
        stdio: ["ignore", "ignore", Bun.file(join(folder.path, "output"))],
      });
      const isUp = () =>
        sendRaw(proxy, { target: "/healthz", host: consoleHost }).then(
          ({ status }) => status === 200,
          () => false,
        );
      await until(isUp, `${name} serves`, 20_000);
    });
    afterAll(async () => {
      running.kill();
      await running.exited;
      await api.server.stop(0);
      await api.traps.stop();
      api.dispose();
      folder.dispose();
    });

    test("the console responds under its name, and the traps under theirs with the visitor's address", async () => {
      const docs = await fetch(`http://127.0.0.1:${proxy}/docs`, { headers: { host: consoleHost } });
      expect(docs.status).toBe(200);
      expect(docs.headers.get("strict-transport-security")).toBe("max-age=31536000");
      const { id, address } = api.traps.of(honeytoken).create({ kind: "pixel" }, { by: system });
      expect(
        (await sendRaw(proxy, { target: `/t/${address}.gif`, host: trapsHost, from: visitor })).status,
      ).toBe(200);
      await api.traps.flush();
      expect(api.traps.visits.list(id, { limit: 9 })).toMatchObject([{ ipAddress: visitor }]);
    });

    test("the traps' name serves nothing else, whatever the path", async () => {
      for (const target of ["/", "/metrics", "/docs", "/v1/threats", "/console", ...targets]) {
        const { status } = await sendRaw(proxy, { target, host: trapsHost });
        expect([target, status]).toEqual([target, status === 400 ? 400 : 404]);
      }
    });

    test("a host that passes on only the traps' paths serves the traps", async () => {
      const { address } = api.traps.of(honeytoken).create({ kind: "pixel" }, { by: system });
      expect((await sendRaw(proxy, { target: `/t/${address}.gif`, host: pathsHost })).status).toBe(200);
    });

    test("a proxy that forwards only the traps' paths cannot be led past them", async () => {
      for (const target of targets) {
        const { status, body } = await sendRaw(proxy, { target, host: pathsHost });
        expect([target, [400, 403, 404].includes(status)]).toEqual([target, true]);
        expect(body).not.toMatch(/phishwatch_|sign in|"ready"|openapi"/i);
      }
    });

    test("a path that the proxy blocks stays blocked", async () => {
      for (const target of [
        "/openapi.json",
        "/x\\..\\openapi.json",
        "/docs/..\\openapi.json",
        "/docs\\..\\openapi.json",
      ]) {
        const { status, body } = await sendRaw(proxy, { target, host: consoleHost });
        expect([target, [400, 403, 404].includes(status)]).toEqual([target, true]);
        expect(body).not.toContain('"openapi"');
      }
    });
  });
