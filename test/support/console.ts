import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestableServer } from "../../src/api/server.ts";
import { openApp, type App } from "../../src/app.ts";
import { loadConfig } from "../../src/config/load.ts";
import { systemClock, type Clock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import type { FillRandom } from "../../src/lib/ids.ts";
import { fillRandom as unpredictable, temporaryFolder } from "./appliance.ts";
import { createDatabase } from "./new-database.ts";

export const consolePassword = "a password for tests";

/** Response to a request for a page. */
export interface PageResponse {
  status: number;
  headers: Headers;
  html: string;
  /** Text without markup, with decoded entities and single spaces. */
  text: string;
  /** Target of a redirect. */
  location: string | null;
}

export interface Visitor {
  /** GET, without following redirects. */
  get(path: string, headers?: Record<string, string>): Promise<PageResponse>;
  /**
   * Posts a form with the CSRF token, without following redirects. `headers` override those of a browser; an empty
   * value removes one.
   */
  post(
    path: string,
    fields?: Record<string, string | readonly string[]>,
    headers?: Record<string, string>,
  ): Promise<PageResponse>;
  /** Posts a form and returns the page that it redirects to. */
  submit(path: string, fields?: Record<string, string | readonly string[]>): Promise<PageResponse>;
  /** Returns the CSRF token of this visitor. */
  formToken(): Promise<string>;
  cookies: Map<string, string>;
}

/** Opens an appliance with its console on a real socket. Background work runs only after `start`. */
export function openConsoleApp({
  config = "",
  scan = "",
  lookups = false,
  clock = systemClock,
  env = {},
  fillRandom = unpredictable,
  publicUrl = "",
  trustedProxies = [],
}: {
  /** TOML tables to add to the configuration. */
  config?: string;
  /** Lines to add to `[scan]`. */
  scan?: string;
  /** `lookups.enabled`. */
  lookups?: boolean;
  clock?: Clock;
  env?: Record<string, string>;
  fillRandom?: FillRandom;
  publicUrl?: string;
  trustedProxies?: string[];
} = {}) {
  const folder = temporaryFolder();
  const configPath = join(folder.path, "phishwatch.toml");
  const text = `
[server]
listen = "127.0.0.1:0"
public_url = "${publicUrl}"
trusted_proxies = ${JSON.stringify(trustedProxies)}
[storage]
path = "phishwatch.db"
[scan]
schedule = ""
screenshots = "off"
${scan}
[lookups]
enabled = ${lookups}
[webhooks]
allow_http = true
${config}`;
  writeFileSync(
    configPath,
    /^\[console\]/m.test(text) ? text : `${text}\n[console]\npassword = "${consolePassword}"\n`,
  );
  const loaded = loadConfig({ path: configPath, env, readFile: readFileSync });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const logged: string[] = [];
  const log = createLog({ level: "debug", format: "json", clock, write: (line) => void logged.push(line) });
  createDatabase(join(folder.path, "phishwatch.db"));
  const app: App = openApp({ config: loaded.config, clock, log, fillRandom });
  app.server.listen();
  const url = `http://127.0.0.1:${(app.server as TestableServer).port}`;

  /** Returns a browser without scripts that has its own cookies. */
  function visitor(): Visitor {
    const cookies = new Map<string, string>();
    async function send(method: string, path: string, headers: Record<string, string>, body?: string) {
      const sent = new Headers({
        ...(body === undefined ? {} : { "content-type": formType, origin: url }),
        ...headers,
      });
      for (const [name, value] of Object.entries(headers)) if (value === "") sent.delete(name);
      if (cookies.size > 0) sent.set("cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
      const response = await fetch(`${url}${path}`, {
        method,
        headers: sent,
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (/max-age=0/i.test(line)) cookies.delete(name);
        else cookies.set(name, value);
      }
      const html = await response.text();
      const { status, headers: received } = response;
      return { status, headers: received, html, text: textOf(html), location: received.get("location") };
    }
    const self: Visitor = {
      cookies,
      get: (path, headers = {}) => send("GET", path, headers),
      async formToken() {
        const { html } = await send(
          "GET",
          cookies.has("phishwatch_session") ? "/console" : "/console/sign-in",
          {},
        );
        const token = /name="form_token" value="([^"]+)"/.exec(html)?.[1];
        if (token === undefined) throw new Error(`no form token in: ${textOf(html).slice(0, 500)}`);
        return token;
      },
      async post(path, fields = {}, headers = {}) {
        const body = new URLSearchParams();
        if (!("form_token" in fields)) body.set("form_token", await self.formToken());
        for (const [name, value] of Object.entries(fields))
          for (const one of [value].flat()) body.append(name, one);
        return send("POST", path, headers, body.toString());
      },
      async submit(path, fields) {
        const response = await self.post(path, fields);
        if (response.location === null)
          throw new Error(`${path} did not redirect: ${response.status} ${response.text.slice(0, 500)}`);
        return self.get(response.location);
      },
    };
    return self;
  }

  return {
    app,
    url,
    folder: folder.path,
    configPath,
    /** Lines of the log at all levels. */
    logged,
    visitor,
    async signedIn(): Promise<Visitor> {
      const one = visitor();
      const response = await one.post("/console/sign-in", { password: consolePassword });
      if (response.status !== 303) throw new Error(`not signed in: ${response.status} ${response.text}`);
      return one;
    },
    async dispose() {
      await app.server.stop(100);
      await app.stop();
      app.close();
      folder.dispose();
    },
  };
}

export type ConsoleApp = Awaited<ReturnType<typeof openConsoleApp>>;

const formType = "application/x-www-form-urlencoded";
const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

function textOf(html: string): string {
  return html
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/g, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name]!)
    .replace(/\s+/g, " ")
    .trim();
}
