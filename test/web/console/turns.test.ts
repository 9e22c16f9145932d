import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { system } from "../../../src/access/audit/actor.ts";
import type { TestableServer } from "../../../src/web/api/server.ts";
import { ownerOf } from "../../../src/web/console/shell/request.ts";
import { inProgressMax } from "../../../src/web/http/turns.ts";
import { addPerson } from "../../support/accounts.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { until } from "../../support/until.ts";

let opened: ConsoleApp;
let person: Visitor;
let key: string;
beforeAll(async () => {
  opened = openConsoleApp();
  person = await opened.signedIn();
  const scopes = ["threats:read" as const];
  ({ key } = opened.app.keys.create({ name: "other", plan: "enterprise", scopes }, { by: system }));
  await person.get("/console/threats");
});
afterAll(() => opened.dispose());

const pages = 24;

test("a request of an API key waits for a step of one page, not for all pages that a session has requested", async () => {
  let answered = 0;
  const all = Array.from({ length: pages }, async (_, index) => {
    const { status } = await person.get(`/console/threats?q=text${index}`);
    answered += 1;
    return status;
  });
  await Promise.race(all);
  const before = answered;
  const response = await fetch(`${opened.url}/v1/threats`, { headers: { authorization: `Bearer ${key}` } });
  expect(response.status).toBe(200);
  expect(answered - before).toBeLessThan(pages / 2);
  expect(await Promise.all(all)).toEqual(Array.from({ length: pages }, () => 200));
});

test("a page of another session of the account does not wait for all pages that one session has requested", async () => {
  const other = await opened.signedIn();
  let answered = 0;
  const all = Array.from({ length: pages }, async () => {
    await person.get("/console/threats?q=text");
    answered += 1;
  });
  await Promise.race(all);
  const before = answered;
  expect((await other.get("/console/threats?q=other")).status).toBe(200);
  expect(answered - before).toBeLessThan(pages / 2);
  await Promise.all(all);
});

test("pages that wait for their turn are not rendered when their client disconnects", async () => {
  const { port } = opened.app.server as TestableServer;
  const cookie = [...person.cookies].map((pair) => pair.join("=")).join("; ");
  const request = `GET /console/threats?q=gone HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\n\r\n`;
  const linesBefore = opened.logged.length;
  let answered = 0;
  const sockets = Array.from({ length: pages }, () => {
    const socket = connect(port!, "127.0.0.1", () => socket.write(request));
    socket.on("error", () => {});
    socket.once("data", () => (answered += 1));
    return socket;
  });
  await until(() => answered > 0, "the first page is rendered");
  for (const socket of sockets) socket.destroy();
  const statuses = () =>
    opened.logged
      .slice(linesBefore)
      .map((line) => JSON.parse(line) as { path?: string; statusCode?: number })
      .filter(({ path }) => path === "/console/threats")
      .map(({ statusCode }) => statusCode);
  await until(() => statuses().length === pages, "every request has ended");
  expect(statuses().filter((status) => status === 400).length).toBeGreaterThan(pages / 2);
});

test("a request that waits is refused if its account is disabled meanwhile", async () => {
  const leaving = await addPerson(opened, { name: "leaving", role: "analyst" });
  const server = opened.app.server as TestableServer;
  const owner = ownerOf({ seq: leaving.accountSeq });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const others = Array.from({ length: inProgressMax }, () =>
    server.turns.run({ owner }, new AbortController().signal, () => released),
  );
  const page = leaving.get("/console/threats");
  await until(() => server.pending === 1, "the page has been requested");
  opened.app.database.sqlite.run("update accounts set disabled_at = 1 where seq = ?", [leaving.accountSeq]);
  release();
  expect((await page).status).toBe(403);
  await Promise.all(others);
});
