import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAccounts } from "../../../src/access/accounts/accounts.ts";
import { createPasswordHashes } from "../../../src/access/accounts/password-hashes.ts";
import { createConsolePassword } from "../../../src/access/console/password.ts";
import { createConsoleSessions, idleMsMax, sessionMsMax } from "../../../src/access/console/sessions.ts";
import { createSettings } from "../../../src/access/settings/settings.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { fillRandom, manualClock } from "../../support/appliance.ts";
import { consolePassword, openConsoleApp, type ConsoleApp } from "../../support/console.ts";

let app: ConsoleApp;
beforeAll(() => void (app = openConsoleApp()));
afterAll(() => app.dispose());

const auditActions = () =>
  app.app.auditLog
    .list({}, { limit: 100, offset: 0 })
    .map(({ action, channel, address }) => [action, channel, address]);

describe("sign-in", () => {
  test("comes first, continues to the requested page, and is recorded in the audit log", async () => {
    const visitor = app.visitor();
    const asked = await visitor.get("/console/no-such-page?x=1");
    expect([asked.status, asked.location]).toEqual([
      303,
      "/console/sign-in?to=%2Fconsole%2Fno-such-page%3Fx%3D1",
    ]);
    const form = await visitor.get(asked.location!);
    expect(form.html).toContain('name="to" value="/console/no-such-page?x=1"');
    const signedIn = await visitor.post("/console/sign-in", {
      password: consolePassword,
      to: "/console/no-such-page?x=1",
    });
    expect([signedIn.status, signedIn.location]).toEqual([303, "/console/no-such-page?x=1"]);
    const cookie = signedIn.headers.getSetCookie().join();
    expect(cookie).toMatch(
      /^phishwatch_session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict,phishwatch_device=[\w-]{52}; Path=\/console\/sign-in; Max-Age=15552000; HttpOnly; SameSite=Strict$/,
    );
    const missing = await visitor.get(signedIn.location!);
    expect([missing.status, missing.text]).toEqual([
      404,
      expect.stringContaining("There is no page at this URL."),
    ]);
    expect(auditActions()[0]).toEqual(["console.sign_in", "console", "127.0.0.1"]);
    const line = app.logged
      .map((text) => JSON.parse(text))
      .find(({ message }) => message === "console sign-in");
    expect(line).toMatchObject({ level: "info", client: "127.0.0.1", account: "admin" });
  });

  test("rejects a wrong password, logs the failure, and records nothing of the attempt", async () => {
    const visitor = app.visitor();
    const rejected = await visitor.post("/console/sign-in", { password: "a wrong guess" });
    expect([rejected.status, rejected.text]).toEqual([
      401,
      expect.stringContaining("Incorrect name or password."),
    ]);
    expect(visitor.cookies.has("phishwatch_session")).toBe(false);
    expect(auditActions().map(([action]) => action)).not.toContain("console.sign_in_failed");
    expect(app.logged.join()).toContain("console sign-in failed");
    expect(app.logged.join()).not.toContain("a wrong guess");
  });

  test.each([
    ["//evil.example/"],
    ["https://evil.example/console"],
    ["/console/../v1/threats"],
    ["/console//evil.example"],
    ["/consolex"],
    ["/console\\evil"],
    ["javascript:alert(1)"],
  ])("never redirects outside the console: %s", async (to) => {
    const response = await app.visitor().post("/console/sign-in", { password: consolePassword, to });
    // Nothing is set up, so the setup is the page to begin with.
    expect([response.status, response.location]).toEqual([303, "/console/welcome"]);
  });
});

describe("every page", () => {
  test("has a strict content security policy, is not cached, and carries its request id", async () => {
    const visitor = await app.signedIn();
    const { status, headers, html } = await visitor.get("/console");
    expect(status).toBe(200);
    const policy = headers.get("content-security-policy")!;
    expect(policy).not.toContain("unsafe");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(headers.get("x-request-id")).not.toBeNull();
    expect(html).not.toMatch(/ style=|<style|<script>/);
  });
});

describe("a form", () => {
  test("changes nothing without its CSRF token, with another visitor's token, or from another site", async () => {
    const visitor = await app.signedIn();
    const other = await (await app.signedIn()).formToken();
    for (const fields of [{ form_token: "" }, { form_token: other }]) {
      expect((await visitor.post("/console/sign-out", fields)).status).toBe(400);
    }
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "null" },
    ];
    for (const headers of foreign)
      expect((await visitor.post("/console/sign-out", {}, headers)).status).toBe(403);
    expect((await visitor.get("/console")).status).toBe(200);
  });

  test("signs out one session or all sessions", async () => {
    const [here, there] = [await app.signedIn(), await app.signedIn()];
    expect((await here.post("/console/sign-out")).location).toBe("/console/sign-in");
    expect((await here.get("/console")).status).toBe(303);
    expect((await there.get("/console")).status).toBe(200);
    const kept = new Map(there.cookies);
    await there.post("/console/sign-out-everywhere");
    for (const [name, value] of kept) there.cookies.set(name, value);
    expect((await there.get("/console")).status).toBe(303);
  });
});

describe("a session", () => {
  test("ends after 12 hours without use, and after 7 days in any case", async () => {
    const clock = manualClock();
    const old = openConsoleApp({ clock });
    const idle = await old.signedIn();
    clock.jump(idleMsMax);
    expect((await idle.get("/console")).status).toBe(200);
    clock.jump(idleMsMax + 1);
    expect((await idle.get("/console")).status).toBe(303);
    const busy = await old.signedIn();
    for (let used = 0; used < sessionMsMax; used += idleMsMax) {
      expect((await busy.get("/console")).status).toBe(200);
      clock.jump(idleMsMax);
    }
    clock.jump(1);
    expect((await busy.get("/console")).status).toBe(303);
    await old.dispose();
  });

  test("is not stored in the form that the cookie holds", async () => {
    const visitor = await app.signedIn();
    const token = visitor.cookies.get("phishwatch_session")!;
    const stored = app.app.database.sqlite.query("select * from console_sessions").all();
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(stored.length).toBeGreaterThan(0);
  });

  test("ends when the configured password changes, and survives a restart when it does not", async () => {
    const stores = { database: app.app.database, clock: manualClock() };
    const settings = createSettings(stores);
    const changed = async (password: string | null) => {
      const config = { password };
      const accounts = createAccounts({ database: app.app.database, config });
      const hashes = createPasswordHashes();
      const mark = await createConsolePassword({
        accounts,
        settings,
        config,
        fillRandom,
        hashes,
      }).changedMark();
      if (mark !== undefined) settings.set("console_password_mark", mark);
      return mark !== undefined;
    };
    await changed("first password");
    expect(await changed("first password")).toBe(false);
    expect(await changed("second password")).toBe(true);
    expect(await changed("second password")).toBe(false);
    expect(settings.get("console_password_mark")).not.toContain("password");
    expect(await changed(null)).toBe(true);
    expect(await changed(null)).toBe(false);
  });

  test("is one of at most 50 of its account, of which the oldest are evicted, and never those of others", () => {
    const clock = manualClock(Date.now());
    const log = createLog({ level: "silent", format: "json", clock, write: () => {} });
    const { accounts, database } = app.app;
    const sessions = createConsoleSessions({ database, clock, fillRandom, log });
    const wanted = { name: "session-owner", role: "viewer", createdAt: 0, passwordHash: null } as const;
    const { seq: accountSeq } = accounts.insert({ ...wanted, origin: "local" });
    const others = sessions.list(1).length;
    const first = sessions.start({ accountSeq, address: null, userAgent: "" });
    for (let count = 0; count < 50; count++)
      sessions.start({ accountSeq, address: null, userAgent: "x".repeat(10_000) });
    expect(sessions.find(first.token)).toBeUndefined();
    expect(sessions.list(accountSeq).length).toBe(50);
    expect(sessions.list(accountSeq)[0]!.userAgent.length).toBe(300);
    expect(sessions.list(1).length).toBe(others);
    accounts.delete(accountSeq);
  });

  test("uses a Secure session cookie that no other host can set if the public URL is https", async () => {
    const secure = openConsoleApp({ publicUrl: "https://watch.example" });
    const visitor = secure.visitor();
    const response = await visitor.post(
      "/console/sign-in",
      { password: consolePassword },
      { origin: "https://watch.example" },
    );
    const [session, device] = response.headers.getSetCookie();
    expect(session).toMatch(
      /^__Host-phishwatch_session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(device).toEndWith("; HttpOnly; SameSite=Strict; Secure");
    expect((await visitor.get("/console")).status).toBe(200);
    const token = visitor.cookies.get("__Host-phishwatch_session")!;
    const planted = await secure.visitor().get("/console", { cookie: `phishwatch_session=${token}` });
    expect([planted.status, planted.location]).toEqual([303, "/console/sign-in"]);
    await secure.dispose();
  });
});

describe("password guessing", () => {
  // These two wait for the end of attempts whose turn does not come.
  test.concurrent(
    "does not lock the administrator out: after 100 wrong passwords from the same address, the right one is accepted",
    async () => {
      const guessed = openConsoleApp();
      const guesses = Array.from({ length: 100 }, async (_, index) =>
        guessed.visitor().post("/console/sign-in", { password: `guess ${index}` }),
      );
      // The others are waiting for their turn.
      await Promise.race(guesses);
      const right = await guessed.visitor().post("/console/sign-in", { password: consolePassword });
      expect(right.status).toBe(303);
      const statuses = (await Promise.all(guesses)).map(({ status }) => status);
      expect(statuses.every((status) => status === 401 || status === 429)).toBe(true);
      const visitor = await guessed.signedIn();
      const { text } = await visitor.get("/console/settings/audit/failed-sign-ins");
      const rejected = statuses.filter((status) => status === 401).length;
      expect(text).toMatch(new RegExp(`127\\.0\\.0\\.1 ${rejected} `));
      await guessed.dispose();
    },
    60_000,
  );

  test.concurrent(
    "does not lock the administrator out of a console behind a proxy either, with the argon2id hash of a created password",
    async () => {
      const proxied = openConsoleApp({
        config: "[console]\nenabled = true",
        trustedProxies: ["127.0.0.1/32"],
      });
      const generated = await proxied.app.consolePassword.generate();
      proxied.app.consolePassword.store(generated);
      const post = (address: string, given: string) =>
        proxied.visitor().post("/console/sign-in", { password: given }, { "x-forwarded-for": address });
      const guesses = Array.from({ length: 120 }, (_, index) =>
        post(`2001:db8:${(index % 60).toString(16)}:${index.toString(16)}::1`, "a guess"),
      );
      await Promise.race(guesses);
      expect((await post("198.51.100.7", generated.password)).status).toBe(303);
      await Promise.all(guesses);
      await proxied.dispose();
    },
    60_000,
  );

  test("is logged in one line per minute, and counted by network and hour", async () => {
    const clock = manualClock();
    const guessed = openConsoleApp({ clock });
    for (let attempt = 0; attempt < 10; attempt++)
      await guessed.visitor().post("/console/sign-in", { password: `guess ${attempt}` });
    const failures = () =>
      guessed.logged.map((line) => JSON.parse(line)).filter(({ level }) => level === "warn");
    expect(failures()).toMatchObject([
      { message: "console sign-in failed", client: "127.0.0.1", outcome: "wrong_password" },
    ]);
    clock.advance(60_000);
    expect(failures().slice(1)).toMatchObject([
      { message: "console sign-ins failed", failed: 9, notVerified: 0, networks: 1, client: "127.0.0.1" },
    ]);
    clock.advance(3_600_000);
    expect(failures()).toHaveLength(2);
    await guessed.dispose();
  });

  test("from a browser that has signed in before has turns of its own, and a forged mark has not", async () => {
    const visitor = await app.signedIn();
    const mark = visitor.cookies.get("phishwatch_device")!;
    await visitor.post("/console/sign-out");
    expect(visitor.cookies.get("phishwatch_device")).toBe(mark);
    const again = await visitor.post("/console/sign-in", { password: consolePassword });
    expect(again.status).toBe(303);
    // The same device, with a new time.
    expect(visitor.cookies.get("phishwatch_device")!.slice(0, 22)).toBe(mark.slice(0, 22));
    const forger = app.visitor();
    forger.cookies.set("phishwatch_device", `${"A".repeat(22)}${mark.slice(22)}`);
    await forger.post("/console/sign-in", { password: consolePassword });
    expect(forger.cookies.get("phishwatch_device")!.slice(0, 22)).not.toBe("A".repeat(22));
  });
});

describe("a visitor without a session", () => {
  test("who follows a link from another site gets a page that repeats the request, so that the cookie is sent", async () => {
    const response = await app.visitor().get("/console/threats?page=2", { "sec-fetch-site": "cross-site" });
    expect(response.status).toBe(200);
    expect(response.html).toContain('content="0;url=/console/threats?page=2"');
    const own = await app.visitor().get("/console/threats?page=2", { "sec-fetch-site": "same-origin" });
    expect(own.status).toBe(303);
  });

  test("learns nothing about unknown paths, fragments and forms", async () => {
    const visitor = app.visitor();
    expect((await visitor.get("/console/settings/keys/x/y/z")).status).toBe(303);
    expect((await visitor.get("/console/settings/keys", { "x-fragment": "1" })).status).toBe(401);
    const form = await visitor.post("/console/settings/keys/create", { name: "x" });
    expect([form.status, form.text]).toEqual([401, expect.stringContaining("No changes were made")]);
    expect(app.app.keys.list()).toEqual([]);
    for (const method of ["PUT", "DELETE", "OPTIONS"]) {
      const { status } = await fetch(`${app.url}/console`, { method, redirect: "manual" });
      expect([method, status]).toEqual([method, 401]);
    }
  });
});

describe("errors", () => {
  test("are pages: 400 for a body that is too long or not a form, 500 with the request id for an internal error", async () => {
    const visitor = await app.signedIn();
    const long = await visitor.post("/console/preferences", { theme: "x".repeat(300_000) });
    expect([long.status, long.text]).toEqual([400, expect.stringContaining("longer than")]);
    const json = await visitor.post("/console/preferences", {}, { "content-type": "application/json" });
    expect([json.status, json.text]).toEqual([400, expect.stringContaining("Content-Type")]);
    app.app.database.sqlite.run("alter table audit_log rename to audit_log_gone");
    const broken = await visitor.get("/console/settings/audit", { "x-request-id": "my-own-request" });
    app.app.database.sqlite.run("alter table audit_log_gone rename to audit_log");
    expect([broken.status, broken.text]).toEqual([500, expect.stringContaining("my-own-request")]);
    expect(broken.html).not.toMatch(/audit_log|SQLite|\n\s+at /);
  });
});
