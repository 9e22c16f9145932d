import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { List } from "../../../../src/response/outputs/block-lists/list.ts";
import { StartError } from "../../../../src/platform/lib/errors.ts";
import { createYielder } from "../../../../src/platform/lib/yielder.ts";
import { createListStore } from "../../../../src/response/outputs/block-lists/list-store.ts";
import { createLists } from "../../../../src/response/outputs/block-lists/lists.ts";
import { openApi, type Api } from "../../../support/api.ts";
import { fillRandom } from "../../../support/appliance.ts";
import { until } from "../../../support/until.ts";
import { sendRaw } from "../../../support/raw-request.ts";
import { analyst } from "../../../support/stores.ts";

const by = { by: analyst };
const yielder = () => createYielder({ sliceMs: 5, elapsedMs: () => performance.now() });
const token = "a token with / % and ?".replaceAll(" ", "~");
const declared = {
  name: "declared",
  token,
  statuses: ["active"] as const,
  minSeverity: "low",
  verifiedOnly: false,
  protectedDomains: [],
  maxAgeMs: null,
} as const;
let api: Api;

beforeAll(() => {
  api = openApi({ server: { port: 0 } });
  api.sight("examp1e-bank.com");
  api.server.listen();
});
afterAll(async () => {
  await api.server.stop();
  api.dispose();
});

const pathOf = ({ name, token: secret }: List, format = "txt") =>
  `/lists/${encodeURIComponent(secret)}/${name}.${format}`;
const fetchPath = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${api.server.port}${path}`, init);
const actions = () =>
  api.database.sqlite
    .query<{ action: string; subject: string; detail: string }, []>(
      "select action, subject, detail from audit_log where action like 'list.%' order by seq",
    )
    .all();

describe("the address of a list", () => {
  test("a wrong token, list, format, method and a disabled list have the same response", async () => {
    const list = api.lists.add({ name: "secret", verifiedOnly: false, minSeverity: "low" }, by);
    const disabled = api.lists.add({ name: "off", enabled: false }, by);
    const other = api.lists.add({ name: "other" }, by);
    expect((await fetchPath(pathOf(list))).status).toBe(200);
    const responses = await Promise.all([
      fetchPath(pathOf({ ...list, token: `${list.token}x` })),
      fetchPath(pathOf({ ...list, token: other.token })),
      fetchPath(pathOf({ ...list, name: "unknown" })),
      fetchPath(pathOf(list, "xml")),
      fetchPath(pathOf(list, "TXT")),
      fetchPath(pathOf(disabled)),
      fetchPath(`${pathOf(list)}/more`),
      fetchPath(pathOf(list), { method: "POST", body: "x" }),
      fetchPath(`/lists/%zz/${list.name}.txt`),
      fetchPath("/lists"),
      fetchPath("/lists/"),
    ]);
    const bodies = await Promise.all(
      responses.map(async (response) => `${response.status} ${await response.text()}`),
    );
    expect([...new Set(bodies)]).toEqual([
      `404 ${JSON.stringify({ error: { code: "not_found", message: "There is no route for this method and path. See /docs." } })}`,
    ]);
    const names = responses.map(({ headers }) =>
      [...headers.keys()].filter((name) => name !== "date").join(),
    );
    expect(new Set(names).size).toBe(1);
  });

  test("a token with characters that have a meaning in addresses works", async () => {
    api.lists.reconcile([declared]);
    expect(await (await fetchPath(pathOf(api.lists.get("declared")))).text()).toBe("examp1e-bank.com\n");
    api.lists.reconcile([]);
  });

  test("HEAD has the headers of GET and no body", async () => {
    const list = api.lists.get("secret");
    const got = await fetchPath(pathOf(list, "csv"));
    const text = await got.text();
    const { body, head, status } = await sendRaw(api.server.port!, {
      method: "HEAD",
      target: pathOf(list, "csv"),
    });
    expect([status, body]).toEqual([200, ""]);
    expect(head.toLowerCase()).toContain(`\r\ncontent-length: ${text.length}`);
    expect(head.toLowerCase()).toContain(`\r\netag: ${got.headers.get("etag")}`);
    expect(Number(/max-age=(\d+)/.exec(got.headers.get("cache-control")!)![1])).toBeLessThanOrEqual(60);
  });

  test("a list is not served under a host name that is not configured", async () => {
    const list = api.lists.get("secret");
    const { body, status } = await sendRaw(api.server.port!, {
      target: pathOf(list),
      host: "attacker.example",
    });
    expect(status).toBe(400);
    expect(body).toContain("server.allowed_hosts");
    expect(body).not.toContain("examp1e");
  });

  test("the token appears neither in the log nor in the metrics", async () => {
    const list = api.lists.get("secret");
    await fetchPath(pathOf(list));
    await fetchPath(`/${pathOf(list)}`);
    await fetchPath(`/v1${pathOf(list)}`);
    await fetchPath(pathOf(list, "xml"));
    const metrics = await (await fetchPath("/metrics")).text();
    expect(`${api.logged.join("")}${metrics}`).not.toContain(list.token);
    expect(api.logged.join("")).toContain('"path":"/lists/…"');
    expect(metrics).toContain('route="/lists/*"');
  });

  test("the last download and its address are known, and stored at the end", async () => {
    const list = api.lists.add({ name: "fetched" }, by);
    expect(list.fetchedAt).toBeNull();
    await fetchPath(pathOf(list));
    api.clock.advance(5_000);
    await fetchPath(pathOf(list));
    const last = { fetchedAt: api.clock.now(), fetchedBy: "127.0.0.1" };
    expect(api.lists.get("fetched")).toMatchObject(last);
    await api.lists.stop();
    expect(
      api.database.sqlite
        .query("select fetched_at as fetchedAt, fetched_by as fetchedBy from lists where name = 'fetched'")
        .get(),
    ).toEqual(last);
  });

  test("lists that were downloaded within a day are read soon after the start, others at their first download", async () => {
    api.lists.add({ name: "unused" }, by);
    await api.lists.stop();
    const restarted = createLists({ ...api, fillRandom, version: "2.0.0", yielder });
    const digest = (name: string) => createListStore(api).byName(name)!.digest;
    const before = digest("fetched");
    restarted.start();
    api.clock.advance(60_000);
    await until(() => digest("fetched") !== before, "the list is read");
    expect(digest("unused")).toBe("");
    await restarted.stop();
  });
});

describe("the administration of lists", () => {
  test("a list can be added, changed, rotated, disabled, enabled and removed, and each is in the audit log without its token", async () => {
    const before = actions().length;
    const list = api.lists.add({ name: "life", protectedDomains: ["EXAMPLE-bank.com"] }, by);
    expect(list).toMatchObject({
      statuses: ["active"],
      minSeverity: "high",
      verifiedOnly: true,
      protectedDomains: ["example-bank.com"],
    });
    expect(list.token).toMatch(/^[\w-]{32}$/);
    api.lists.change("life", { verifiedOnly: false, minSeverity: "low", maxAgeMs: 86_400_000 }, by);
    expect((await fetchPath(pathOf(list))).status).toBe(200);
    const rotated = api.lists.rotate(list.id, by);
    expect((await fetchPath(pathOf(list))).status).toBe(404);
    expect((await fetchPath(pathOf(rotated))).status).toBe(200);
    api.lists.disable("life", by);
    expect((await fetchPath(pathOf(rotated))).status).toBe(404);
    api.lists.enable("life", by);
    expect((await fetchPath(pathOf(rotated))).status).toBe(200);
    api.lists.remove("life", by);
    expect((await fetchPath(pathOf(rotated))).status).toBe(404);
    expect(() => api.lists.get("life")).toThrow("There is no list life.");
    const recorded = actions().slice(before);
    expect(recorded.map(({ action }) => action)).toEqual(
      ["add", "change", "rotate", "disable", "enable", "remove"].map((change) => `list.${change}`),
    );
    expect(recorded.map(({ detail }) => detail).join("")).toContain('"max_age":"1d"');
    for (const secret of [list.token, rotated.token]) expect(JSON.stringify(recorded)).not.toContain(secret);
  });

  for (const [what, given, message] of [
    ["a name with a slash", { name: "a/b" }, '"a/b" is not a name of 1 to 64 ASCII letters'],
    ["a name with a dot", { name: "a.txt" }, "is not a name of 1 to 64 ASCII letters"],
    ["a short token", { name: "a", token: "short" }, "openssl rand -hex 24"],
    [
      "a token with a space",
      { name: "a", token: "a".repeat(20) + " b" },
      "20 to 200 visible ASCII characters",
    ],
    [
      "a token with a backslash",
      { name: "a", token: "a".repeat(20) + "\\b" },
      "must not contain a backslash",
    ],
    [
      "a token with a dot segment",
      { name: "a", token: "a".repeat(20) + "/../b" },
      "must not contain a backslash",
    ],
    ["no status", { name: "a", statuses: [] }, "choose one or more of these statuses: active, resolved"],
    ["an invalid domain", { name: "a", protectedDomains: ["com"] }, '"com" is not a domain name'],
    ["too short an age", { name: "a", maxAgeMs: 60_000 }, "from 1h to 3650d"],
  ] as const)
    test(`${what} is rejected with what to change`, () => {
      expect(() => api.lists.add(given, by)).toThrow(message);
    });

  test("there can be at most 100 lists", () => {
    const count = api.lists.list().length;
    for (let index = count; index < 100; index += 1) api.lists.add({ name: `many-${index}` }, by);
    expect(() => api.lists.add({ name: "one-more" }, by)).toThrow("at most 100 lists");
    for (let index = count; index < 100; index += 1) api.lists.remove(`many-${index}`, by);
  });
});

describe("declared lists", () => {
  test("the addresses of a declared list end when it is no longer declared, and return with the declaration", async () => {
    api.lists.reconcile([declared]);
    const list = api.lists.get("declared");
    api.lists.reconcile([]);
    expect((await fetchPath(pathOf(list))).status).toBe(404);
    api.lists.reconcile([declared]);
    expect((await fetchPath(pathOf(list))).status).toBe(200);
  });

  test("a new token of a disabled list takes effect, and is recorded", () => {
    api.lists.reconcile([declared]);
    api.lists.disable("declared", by);
    const other = { ...declared, token: "another-token-of-the-list" };
    api.lists.reconcile([other]);
    expect(api.lists.get("declared")).toMatchObject({ enabled: false, token: other.token });
    expect(actions().at(-1)).toMatchObject({ action: "list.rotate" });
    api.lists.reconcile([]);
  });

  test("a declared token that cannot be part of an address ends the start with what to change", () => {
    const wrong = { ...declared, token: "a-token-with-a-backslash\\" };
    expect(() => api.lists.reconcile([wrong])).toThrow(StartError);
    expect(() => api.lists.reconcile([wrong])).toThrow('lists "declared": the token is part of an address');
  });
});
