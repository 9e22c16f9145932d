import { openStoreGrowth } from "../../src/app/store-growth.ts";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createSettings } from "../../src/access/settings/settings.ts";
import { createConsoleSignIn } from "../../src/access/console/sign-in.ts";
import { createKeyUsage } from "../../src/access/keys/key-usage.ts";
import { loadConfig } from "../../src/config/load.ts";
import { createConsole, shellRoutes } from "../../src/console/console.tsx";
import { pageGroups } from "../../src/console/page-groups.ts";
import { createRouter } from "../../src/console/shell/router.ts";
import { buildInfo } from "../../src/lib/build-info.ts";
import { createDatabaseHealth } from "../../src/database/health/health.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { may, type Role } from "../../src/vocabulary/permissions.ts";
import { fillRandom } from "../support/appliance.ts";
import { consolePages, sampleConfig, seedSamples, tester, type Samples } from "../support/console-pages.ts";
import { consolePassword, openConsoleApp, type ConsoleApp } from "../support/console.ts";

const unused = () => new Response();
const routes = [
  ...pageGroups.flatMap((group) => group.routes),
  ...shellRoutes({ signOut: unused, signOutEverywhere: unused, endSession: unused }),
];
const findRoute = createRouter(routes);
const origin = "http://localhost";

let opened: ConsoleApp;
let samples: Samples;
beforeAll(async () => {
  opened = openConsoleApp({ config: sampleConfig });
  samples = await seedSamples(opened.app);
});
afterAll(() => opened.dispose());

/** Signs in to a console whose only account has this role. */
async function signInAs(role: Role) {
  const { app } = opened;
  const { database, auditLog } = app;
  const loaded = loadConfig({ path: opened.configPath, env: {}, readFile: readFileSync });
  if (!loaded.ok) throw new Error("the configuration of the test is invalid");
  const common = { clock: systemClock, fillRandom };
  const log = createLog({ level: "error", format: "json", clock: systemClock, write: () => {} });
  const consoleSignIn = createConsoleSignIn({
    ...common,
    database,
    log,
    auditLog,
    settings: createSettings({ database, clock: systemClock }),
    accounts: { ...app.accounts, get: (seq) => ({ seq, name: "tester", role }) },
    password: app.consolePassword,
  });
  const respond = createConsole({
    ...app,
    messaging: app,
    names: app,
    lastReload: () => undefined,
    ...common,
    server: { ...app.server, publicUrl: origin },
    log,
    config: loaded.config,
    build: buildInfo,
    storage: database,
    databaseStatus: createDatabaseHealth({ ...common, database, log }).status,
    storeGrowth: openStoreGrowth({ ...common, database, log }),
    keyUsage: createKeyUsage(),
    consoleSignIn,
  });
  // As the first form does: it ends the sessions of an earlier password.
  await consoleSignIn.endSessionsOfOldPassword();
  const result = await consoleSignIn.signIn(
    { password: consolePassword, userAgent: "test", visit: "test", deviceMark: undefined },
    { by: tester },
  );
  if (result.outcome !== "signed_in") throw new Error(result.outcome);
  const cookie = `phishwatch_session=${result.token}`;
  return async (method: string, path: string) => {
    const headers = { cookie, origin, "content-type": "application/x-www-form-urlencoded" };
    const request = new Request(`${origin}${path}`, {
      method,
      headers,
      ...(method === "POST" && { body: "" }),
    });
    const response = await respond(request, { "x-request-id": "test" }, "192.0.2.7");
    return { status: response.status, html: await response.text() };
  };
}

describe.each<Role>(["viewer", "analyst", "administrator"])("the console for a %s", (role) => {
  test("responds with 403 to exactly the routes that the role does not allow", async () => {
    const send = await signInAs(role);
    for (const { method, path, permission } of routes) {
      const { status } = await send(method, path.replace(/:\w+/g, "unknown"));
      const isForbidden = status === 403;
      // A POST without the CSRF token is stopped there when the role allows it.
      expect([method, path, isForbidden]).toEqual([method, path, !may(role, permission)]);
    }
  });

  test("shows the addresses of a list, which contain its token, only to administrators", async () => {
    const send = await signInAs(role);
    const { status, html } = await send("GET", `/console/settings/lists/${samples.listId}`);
    expect(status).toBe(200);
    expect(html.includes(opened.app.lists.get(samples.listId).token)).toBe(role === "administrator");
  });

  test("shows no link, button or form that leads to a route that the role does not allow", async () => {
    const send = await signInAs(role);
    for (const { path, signedOut } of consolePages) {
      if (signedOut) continue;
      const { status, html } = await send("GET", path(samples));
      if (status === 403) continue;
      const targets = [
        ...[...html.matchAll(/<form method="post" action="([^"?]+)[\s\S]*?<\/form>/g)]
          .filter(([form]) => form.includes('type="submit"'))
          .map(([, target]) => ["POST", target!]),
        ...[...html.matchAll(/<a [^>]*href="(\/console[^"?#]*)/g)].map(([, target]) => ["GET", target!]),
      ] as const;
      const forbidden = targets.filter(([method, target]) => {
        const found = findRoute(method!, target!);
        return found !== undefined && !may(role, found.route.permission);
      });
      expect([path(samples), forbidden]).toEqual([path(samples), []]);
    }
  });
});
