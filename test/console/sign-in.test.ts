import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { consolePassword, openConsoleApp, type ConsoleApp } from "../support/console.ts";

let app: ConsoleApp;
beforeAll(() => void (app = openConsoleApp()));
afterAll(() => app.dispose());

const auditActions = () =>
  app.app.auditLog
    .list({}, { limit: 100, offset: 0 })
    .map(({ action, via, address }) => [action, via, address]);

describe("sign-in", () => {
  test("is asked for first, leads on to the wanted page, and is written to the audit log", async () => {
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
      /^phishwatch_session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    const missing = await visitor.get(signedIn.location!);
    expect([missing.status, missing.text]).toEqual([404, expect.stringContaining("There is no such page.")]);
    expect(auditActions()[0]).toEqual(["console.sign_in", "console", "127.0.0.1"]);
  });

  test("refuses a wrong password, tells the log, and leaves no trace of what was tried", async () => {
    const visitor = app.visitor();
    const refused = await visitor.post("/console/sign-in", { password: "a wrong guess" });
    expect([refused.status, refused.text]).toEqual([
      401,
      expect.stringContaining("That is not the password."),
    ]);
    expect(visitor.cookies.has("phishwatch_session")).toBe(false);
    expect(auditActions()[0]).toEqual(["console.sign_in_failed", "console", "127.0.0.1"]);
    expect(app.logged.join()).toContain("a sign-in to the console failed");
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
  ])("never leads away from the console: %s", async (to) => {
    const answer = await app.visitor().post("/console/sign-in", { password: consolePassword, to });
    expect([answer.status, answer.location]).toEqual([303, "/console"]);
  });
});

describe("every page", () => {
  test("carries a strict policy, is never kept, and shows the request's identifier in its headers", async () => {
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
  test("without its token, with another's, or from another site changes nothing", async () => {
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

  test("signs out: this browser, or all of them", async () => {
    const [here, there] = [await app.signedIn(), await app.signedIn()];
    expect((await here.post("/console/sign-out")).location).toBe("/console/sign-in");
    expect((await here.get("/console")).status).toBe(303);
    expect((await there.get("/console")).status).toBe(200);
    const kept = new Map(there.cookies);
    await there.post("/console/sign-out", { everywhere: "yes" });
    for (const [name, value] of kept) there.cookies.set(name, value);
    expect((await there.get("/console")).status).toBe(303);
  });
});
