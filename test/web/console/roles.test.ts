import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { shellRoutes } from "../../../src/web/console/console.tsx";
import { pageGroups } from "../../../src/web/console/page-groups.ts";
import { createRouter, type Route } from "../../../src/web/console/shell/router.ts";
import { may, roles, type Permission, type Role } from "../../../src/platform/vocabulary/permissions.ts";
import { addPerson, signInWithoutPassword, type Person } from "../../support/accounts.ts";
import { consolePages, sampleConfig, seedSamples, type Samples } from "../../support/console-pages.ts";
import { learnAddresses, targetsIn } from "../../support/console-targets.ts";
import { openConsoleApp, type ConsoleApp } from "../../support/console.ts";

/**
 * Permission of every route, as [path, GET, POST]: of the rows that a route's path begins with, the longest decides.
 * A form, such as `…/edit`, has the permission of its POST. Add a row for a new route only if these do not fit.
 */
const table: readonly (readonly [path: string, GET: Permission, POST: Permission])[] = [
  ["/console", "read", "administer"],
  ["/console/account", "session", "session"],
  ["/console/campaigns", "read", "decide"],
  ["/console/decisions", "read", "decide"],
  ["/console/domains/:domain/originals/capture", "read", "inspect"],
  ["/console/imports", "read", "import"],
  ["/console/inspections", "read", "inspect"],
  ["/console/inspections/:id/allow", "administer", "administer"],
  ["/console/inspections/:id/threat", "inspect", "inspect"],
  ["/console/preferences", "session", "session"],
  ["/console/scans", "read", "scan"],
  ["/console/settings/keys/:id/made", "administer", "administer"],
  ["/console/settings/users", "administer", "administer"],
  ["/console/sign-out", "session", "session"],
  ["/console/sign-out-everywhere", "session", "session"],
  ["/console/sources/feed/:name/read-again", "read", "import"],
  ["/console/takedowns", "read", "report"],
  ["/console/threats", "read", "decide"],
  ["/console/threats/new", "read", "decide"],
  ["/console/threats/:id/look", "read", "inspect"],
  ["/console/threats/:id/notes", "read", "annotate"],
  ["/console/threats/views", "decide", "decide"],
  ["/console/welcome/scan", "read", "scan"],
];
const formPath = /\/(add|create|delete|edit|new|remove|replay|revoke|rotate|send-all)$/;

const unused = () => new Response();
const routes = [
  ...pageGroups.flatMap((group) => group.routes),
  ...shellRoutes({ signOut: unused, signOutEverywhere: unused }),
];
const findRoute = createRouter(routes);

function permissionInTable({ method, path }: Pick<Route, "method" | "path">): Permission {
  const row = table
    .filter(([start]) => path === start || path.startsWith(`${start}/`))
    .toSorted(([one], [other]) => other.length - one.length)[0]!;
  return method === "POST" || (formPath.test(path) && row[0] !== path) ? row[2] : row[1];
}

/** A text that only administrators may see, wherever it is stored. */
const secret = "only-for-administrators";
const secretConfig = `
[smtp]
host = "127.0.0.1"
username = "${secret}"
password = "${secret}"
from = "phishwatch@example.com"
[[feeds]]
name = "paid"
url = "https://127.0.0.1:9/list"
allow_private_networks = true
headers = ["X-Key: ${secret}"]
secret_header = "Auth-Key: ${secret}"
secret_query = "key=${secret}"
[[api_keys]]
name = "declared"
key = "${secret}-key"
[[channels]]
name = "declared chat"
type = "slack"
url = "https://hooks.slack.com/services/T0/B0/${secret}"
[[lists]]
name = "declared"
token = "${secret}-list"
[[webhooks.endpoints]]
name = "declared"
url = "https://soc.example/hooks/${secret}?token=${secret}"
secret = "${secret}-whsec"
headers = ["Authorization: ${secret}"]
`;

let opened: ConsoleApp;
let people: Record<Role, Person>;
beforeAll(async () => {
  opened = openConsoleApp({ config: `${sampleConfig}${secretConfig}` });
  people = {
    viewer: await addPerson(opened, { name: "vera", role: "viewer" }),
    analyst: await addPerson(opened, { name: "ana", role: "analyst" }),
    administrator: await addPerson(opened, { name: "adam", role: "administrator" }),
  };
});
afterAll(() => opened.dispose());

/** Addresses of pages, without queries, that `openPages` has opened, by person. */
const visited = new Map<Person, Set<string>>();

/**
 * Opens the pages as one person, who must be refused exactly those that the role does not allow. Returns the HTML of the
 * others by address.
 */
async function openPages(person: Person, paths: readonly string[]): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const seen = visited.get(person) ?? new Set();
  visited.set(person, seen);
  for (const path of new Set(paths)) {
    const { status, html } = await person.get(path);
    const [bare = ""] = path.split("?");
    const route = findRoute("GET", bare)?.route;
    const isAllowed = route === undefined || may(person.role, route.permission);
    expect([path, status, status === 403 || status >= 500]).toEqual([path, status, !isAllowed]);
    seen.add(bare);
    if (isAllowed) pages.set(path, html);
  }
  return pages;
}

/** Returns what the pages offer that the role does not allow, as `page: method target`. */
function offeredWithout(role: Role, pages: Map<string, string>): string[] {
  return [...pages].flatMap(([page, html]) =>
    targetsIn(html)
      .filter(({ method, path }) => {
        const found = findRoute(method, path);
        return found !== undefined && !may(role, found.route.permission);
      })
      .map(({ method, path }) => `${page}: ${method} ${path}`),
  );
}

test("every route has the permission that the table says", () => {
  expect(routes.map((route) => `${route.method} ${route.path}: ${route.permission}`)).toEqual(
    routes.map((route) => `${route.method} ${route.path}: ${permissionInTable(route)}`),
  );
});

test("an appliance without any data offers each role only what it may do", async () => {
  const empty = openConsoleApp();
  const paths = routes.flatMap(({ method, path }) => (method === "GET" && !path.includes(":") ? [path] : []));
  for (const role of ["viewer", "analyst"] as const) {
    const pages = await openPages(await addPerson(empty, { name: `new-${role}`, role }), paths);
    expect(offeredWithout(role, pages)).toEqual([]);
  }
  await empty.dispose();
});

describe("with the data of a team", () => {
  let samples: Samples;
  let addressOf: ReturnType<typeof learnAddresses>;
  const pathsOf = () => consolePages.flatMap(({ path, signedOut }) => (signedOut ? [] : [path(samples)]));

  beforeAll(async () => {
    samples = await seedSamples(opened.app);
    addressOf = learnAddresses(findRoute, await openPages(people.administrator, pathsOf()));
  });

  /** Returns everything that a request could have changed. */
  function stateOfDatabase() {
    const { sqlite } = opened.app.database;
    return sqlite
      .query("SELECT total_changes() AS changes, (SELECT max(seq) FROM audit_log) AS audited")
      .get();
  }

  test.each<Role>(["viewer", "analyst"])(
    "no page offers a %s what the role does not allow, and none shows a secret",
    async (role) => {
      const pages = await openPages(people[role], pathsOf());
      const linked = [...pages.values()]
        .flatMap(targetsIn)
        .flatMap(({ method, path }) => (method === "GET" ? [path] : []));
      const settings = linked.filter(
        (path) =>
          /^\/console\/(settings(?!.*\/(deliveries|messages)\/)|sources)\//.test(path) && !pages.has(path),
      );
      for (const page of await openPages(people[role], settings)) pages.set(...page);
      expect(offeredWithout(role, pages)).toEqual([]);
      expect(pages.get("/console")!.includes("Start triage")).toBe(may(role, "decide"));
      expect([...pages].filter(([, html]) => html.includes(secret)).map(([path]) => path)).toEqual([]);
      const token = opened.app.lists.get(samples.listId).token;
      expect([...pages].filter(([, html]) => html.includes(token)).map(([path]) => path)).toEqual([]);
    },
  );

  test.each<Role>(["viewer", "analyst"])(
    "forced requests of a %s to what the role does not allow are rejected and change nothing",
    async (role) => {
      const person = people[role];
      const before = stateOfDatabase();
      for (const route of routes.filter(({ permission }) => !may(role, permission))) {
        const path = addressOf(route);
        const responses =
          route.method === "GET"
            ? [person.get(path), person.get(path, { "x-fragment": "1" }), person.send("HEAD", path)]
            : [
                person.post(path),
                person.post(path, {}, { "x-fragment": "1" }),
                person.send("POST", path, { body: upload(await person.formToken()) }),
              ];
        const statuses = (await Promise.all(responses)).map((one) =>
          typeof one === "number" ? one : one.status,
        );
        expect([route.method, path, ...statuses]).toEqual([route.method, path, 403, 403, 403]);
      }
      expect(stateOfDatabase()).toEqual(before);
    },
  );

  test.each<Role>(roles.slice())("a %s is refused nothing that the role allows", async (role) => {
    const person = people[role];
    for (const route of routes.filter(({ permission }) => may(role, permission))) {
      const path = addressOf(route);
      if (route.method === "GET" && visited.get(person)?.has(path)) continue;
      // A POST without the CSRF token is stopped there.
      const { status } =
        route.method === "GET" ? await person.get(path) : await person.post(path, { form_token: "" });
      expect([route.method, path, status, status !== 403 && status < 500]).toEqual([
        route.method,
        path,
        status,
        true,
      ]);
    }
  });

  test("a method that no route has is rejected for an administrator, too", async () => {
    const before = stateOfDatabase();
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"])
      for (const path of [
        "/console/threats/triage",
        "/console/settings/system/backup",
        addressOf({ path: "/console/threats/:id" }),
      ])
        expect([method, path, await people.administrator.send(method, path)]).toEqual([method, path, 404]);
    expect(stateOfDatabase()).toEqual(before);
  });

  test("without a session, with one that has ended, and with one of a disabled account, every route leads to the sign-in and changes nothing", async () => {
    const ended = await signInWithoutPassword(opened, people.administrator);
    opened.app.database.sqlite.run(
      "DELETE FROM console_sessions WHERE seq = (SELECT max(seq) FROM console_sessions)",
    );
    const disabled = await addPerson(opened, { name: "left", role: "administrator" });
    opened.app.database.sqlite.run("UPDATE accounts SET disabled_at = 1 WHERE seq = ?", [
      disabled.accountSeq,
    ]);
    const before = stateOfDatabase();
    for (const visitor of [opened.visitor(), ended, disabled])
      for (const route of routes) {
        const path = addressOf(route);
        const { status, location } =
          route.method === "GET"
            ? await visitor.get(path)
            : await visitor.post(path, { form_token: await disabled.formToken() });
        expect([route.method, path, status, location?.split("?")[0] ?? null]).toEqual(
          route.method === "GET" ? ["GET", path, 303, "/console/sign-in"] : ["POST", path, 401, null],
        );
      }
    expect(stateOfDatabase()).toEqual(before);
  });

  test("a changed role applies to the next request of a session", async () => {
    const setRole = (role: Role) =>
      opened.app.database.sqlite.run("UPDATE accounts SET role = ? WHERE seq = ?", [
        role,
        people.analyst.accountSeq,
      ]);
    const decide = () => people.analyst.post("/console/threats/triage");
    expect((await decide()).status).not.toBe(403);
    setRole("viewer");
    expect((await decide()).status).toBe(403);
    setRole("administrator");
    expect((await people.analyst.get("/console/settings/keys/create")).status).toBe(200);
    setRole("analyst");
    expect((await people.analyst.get("/console/settings/keys/create")).status).toBe(403);
  });
});

/** An upload with a valid token. */
function upload(formToken: string): FormData {
  const data = new FormData();
  data.set("form_token", formToken);
  data.set("list", new File(["examp1e-bank.net"], "list.txt"));
  return data;
}
