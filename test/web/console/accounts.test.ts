import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import decode from "qr/decode.js";
import { QrCode } from "../../../src/web/console/sign-in/code-parts.tsx";
import { manualClock } from "../../support/appliance.ts";
import { consolePassword, openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { analyst } from "../../support/stores.ts";
import { oneTimeCode } from "../../support/one-time-code.ts";

const clock = manualClock(1_790_000_000_000);
const goodPassword = "correct horse battery";
const options = { by: analyst };
const trusted = { "remote-groups": "Staff,Leads" };

const consoleSettings = `[console]
password = "${consolePassword}"
trusted_user_header = "Remote-User"
trusted_groups_header = "Remote-Groups"
[[console.group_roles]]
group = "Staff"
role = "viewer"
[[console.group_roles]]
group = "Leads"
role = "analyst"
`;
let app: ConsoleApp;
/** Trusts another proxy, and needs codes. */
let strict: ConsoleApp;
beforeAll(() => {
  app = openConsoleApp({ clock, config: consoleSettings, trustedProxies: ["127.0.0.1/32"] });
  strict = openConsoleApp({
    clock,
    config: consoleSettings.replace("password", "require_codes = true\npassword"),
    trustedProxies: ["192.0.2.0/24"],
  });
});
afterAll(() => Promise.all([app.dispose(), strict.dispose()]));

const session = "phishwatch_session";
const signIn = (visitor: Visitor, name: string, password: string, headers: Record<string, string> = {}) =>
  visitor.post("/console/sign-in", { name, password }, headers);
const actions = (name: string) =>
  app.app.auditLog
    .list({}, { limit: 1_000, offset: 0 })
    .filter((entry) => entry.name === name || entry.subject === name)
    .map(({ action }) => action);

async function invited(name: string, role: "viewer" | "analyst" | "administrator" = "viewer") {
  const { account, token } = app.app.accountManagement.invite({ name, role }, options);
  return { account, path: `/console/invitation/${token}` };
}

describe("an invitation", () => {
  test("is opened any number of times, sets the password once, and then says that it was used", async () => {
    const { path } = await invited("alice", "analyst");
    const visitor = app.visitor();
    for (let opened = 0; opened < 3; opened += 1) expect((await visitor.get(path)).text).toContain("alice");
    const choose = (password: string, repeated = password) => visitor.post(path, { password, repeated });
    const weak = await choose("alice");
    expect([weak.status, weak.text]).toEqual([400, expect.stringContaining("at least 12 characters")]);
    expect((await choose(goodPassword, `${goodPassword}!`)).text).toContain("The two passwords differ");
    const forged = await visitor.post(path, {
      form_token: "",
      password: goodPassword,
      repeated: goodPassword,
    });
    expect(forged.status).toBe(400);
    expect((await visitor.post(path, {}, { origin: "https://evil.example" })).status).toBe(403);

    const chosen = await choose(goodPassword);
    expect([chosen.status, chosen.text]).toEqual([200, expect.stringContaining("Password saved")]);
    // The link does not sign in.
    expect(visitor.cookies.has(session)).toBe(false);
    for (const again of [await visitor.get(path), await choose("another good password")])
      expect([again.status, again.text]).toEqual([410, expect.stringContaining("has been used")]);
    expect((await signIn(visitor, "alice", "another good password")).status).toBe(401);
    expect((await signIn(visitor, "ALICE ", goodPassword)).status).toBe(303);
    expect(actions("alice")).toEqual(["console.sign_in", "account.choose_password", "account.invite"]);
  });

  test("that was withdrawn, has expired or never existed has a page that says so", async () => {
    const { account, path } = await invited("late");
    const replaced = app.app.accountManagement.reset(account.seq, { lifetimeMs: 600_000 }, options);
    const statusOf = async (at: string) => {
      const { status, text } = await app.visitor().get(at);
      return `${status} ${text}`;
    };
    expect(await statusOf(path)).toMatch(/^410 .*replaced by a newer one/);
    const second = `/console/invitation/${replaced.token}`;
    expect(await statusOf(second)).toMatch(/^200 /);
    clock.advance(600_000);
    expect(await statusOf(second)).toMatch(/^410 .*has expired/);
    for (const none of ["x", "A".repeat(43), "%00", ""])
      expect(await statusOf(`/console/invitation/${none}`)).toMatch(/^404 .*does not exist/);
  });
});

describe("one-time codes", () => {
  test("are asked for after the password, work once, and give way to a recovery code", async () => {
    const { accounts, accountManagement, openSignIn } = app.app;
    const { seq } = await accountManagement.add(
      { name: "carol", role: "viewer", password: goodPassword },
      options,
    );
    const { ownAccount } = openSignIn();
    const self = { account: accounts.get(seq)!, session: { seq: -1 } };
    const { secret, uri } = await ownAccount.beginCodes(self);
    expect(uri).toContain(`secret=${secret.replaceAll(" ", "")}&issuer=phishwatch`);
    const code = () => codeOf(secret.replaceAll(" ", ""));
    const [recovery] = await ownAccount.confirmCodes(self, code(), options);
    clock.advance(30_000);

    const visitor = app.visitor();
    const pendingOf = (html: string) => /name="pending" value="([\w-]+)"/.exec(html)![1]!;
    const first = await signIn(visitor, "carol", goodPassword);
    expect([first.status, first.text]).toEqual([200, expect.stringContaining("One-time code")]);
    expect(visitor.cookies.has(session)).toBe(false);
    const pending = pendingOf(first.html);
    const enter = (given: string, by = visitor, step = pending) =>
      by.post("/console/sign-in/code", { pending: step, code: given, to: "/console/threats" });
    expect((await enter("000000")).text).toContain("Incorrect code");
    // The step belongs to the browser that entered the password.
    expect((await enter(code(), app.visitor())).text).toContain("This sign-in expired");
    const done = await enter(code());
    expect([done.status, done.location]).toEqual([303, "/console/threats"]);
    expect((await visitor.get("/console")).status).toBe(200);

    const other = app.visitor();
    const next = pendingOf((await signIn(other, "carol", goodPassword)).html);
    const replayed = await enter(code(), other, next);
    expect([replayed.status, replayed.text]).toEqual([
      401,
      expect.stringContaining("This code has been used"),
    ]);
    expect(other.cookies.has(session)).toBe(false);
    // Guesses use up the attempts of browsers that have not signed in to the account, and not those of others.
    let last = 401;
    for (let guess = 0; last === 401 && guess < 12; guess += 1)
      last = (await enter("000001", other, next)).status;
    expect(last).toBe(429);
    clock.advance(30_000);
    await visitor.post("/console/sign-out");
    const known = pendingOf((await signIn(visitor, "carol", goodPassword)).html);
    expect((await enter(code(), visitor, known)).status).toBe(303);
    expect((await enter(recovery!, other, next)).status).toBe(303);
    expect(actions("carol")[0]).toBe("console.sign_in");
    expect(actions("carol")[1]).toBe("account.use_recovery_code");
    expect(ownAccount.recoveryCodesLeft(self)).toBe(9);
    // A password can have the form of a recovery code.
    const password = "0123-4567-89ab-cdef";
    await accountManagement.setPassword(seq, password, options);
    expect(await ownAccount.renewRecoveryCodes(self, password, options)).toHaveLength(10);
    const guess = ownAccount.removeCodes(self, "0123-4567-89ab-cdee", options);
    expect(await guess.catch(String)).toContain("incorrect");
  });

  test("that everybody needs are set up after the password, and the page shows the recovery codes once", async () => {
    const visitor = strict.visitor();
    const { html, text } = await signIn(visitor, "admin", consolePassword);
    expect(text).toContain("Set up one-time codes");
    expect(html).not.toMatch(/ style=/);
    const secret = /[?&](?:amp;)?secret=([A-Z2-7]{32})/.exec(html)![1]!;
    const pending = /name="pending" value="([\w-]+)"/.exec(html)![1]!;
    const done = await visitor.post("/console/sign-in/code", {
      pending,
      code: codeOf(secret),
      to: "/console",
    });
    expect([done.status, done.text]).toEqual([200, expect.stringMatching(/([0-9a-z]{4}-){3}[0-9a-z]{4}/)]);
    expect((await visitor.get("/console")).status).not.toBe(401);
    expect(strict.app.accounts.byName("admin")!.hasCodes).toBe(true);

    // The header of a sender that is not trusted changes nothing for somebody who is signed in.
    const headers = { ...trusted, "remote-user": "mallory", "x-forwarded-for": "192.0.2.1" };
    expect((await visitor.get("/console/threats", headers)).status).toBe(200);
    for (let sent = 0; sent < 3; sent += 1) {
      const refused = await strict.visitor().get("/console/threats", headers);
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining("server.trusted_proxies"),
      ]);
    }
    expect(strict.app.accounts.byName("mallory")).toBeUndefined();
    expect(strict.logged.filter((line) => line.includes("console.untrusted_user_header"))).toHaveLength(1);
  });
});

test("the QR code is read as the address that the page shows, and carries no style", () => {
  const uri =
    "otpauth://totp/phishwatch:alice%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=phishwatch";
  const svg = renderToString(h(QrCode, { text: uri, label: "the secret" }));
  expect(svg).not.toContain("style");
  const modules = Number(/viewBox="0 0 (\d+)/.exec(svg)![1]);
  const scale = 4;
  const side = modules * scale;
  const data = new Uint8Array(side * side * 4).fill(255);
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let pixel = 0; pixel < scale * scale; pixel += 1) {
      const row = Number(y) * scale + Math.floor(pixel / scale);
      data.fill(
        0,
        (row * side + Number(x) * scale + (pixel % scale)) * 4,
        (row * side + Number(x) * scale + (pixel % scale)) * 4 + 3,
      );
    }
  expect(decode({ width: side, height: side, data })).toBe(uri);
});

function codeOf(secret: string): string {
  return oneTimeCode(secret, clock.now());
}

test("guesses at an account keep neither it nor another account out, and their names are written nowhere", async () => {
  await app.app.accountManagement.add({ name: "erin", role: "viewer", password: goodPassword }, options);
  await app.app.accountManagement.add({ name: "frank", role: "viewer", password: goodPassword }, options);
  const from = (address: string) => ({ "x-forwarded-for": address });
  const guesser = app.visitor();
  const token = await guesser.formToken();
  const guesses = Array.from({ length: 40 }, (_, index) =>
    guesser.post(
      "/console/sign-in",
      {
        form_token: token,
        name: index % 2 === 0 ? "erin" : `my password ${index}`,
        password: "a wrong guess",
      },
      from("203.0.113.7"),
    ),
  );
  await Promise.race(guesses);
  for (const name of ["erin", "frank"])
    expect((await signIn(app.visitor(), name, goodPassword, from("198.51.100.7"))).status).toBe(303);
  // Lets the attempts that wait for their turn give up.
  clock.advance(10_000);
  const statuses = new Set((await Promise.all(guesses)).map(({ status }) => status));
  expect([...statuses].filter((status) => status !== 401 && status !== 429)).toEqual([]);
  expect(app.logged.join()).not.toContain("my password");
  expect(app.app.database.sqlite.serialize().toString("latin1")).not.toContain("my password");
});

describe("a user whom a trusted proxy has authenticated", () => {
  test("is signed in with the highest role of the groups, which changes at the next request", async () => {
    const visitor = app.visitor();
    const headers = { ...trusted, "remote-user": "Grace@Example.com" };
    const page = await visitor.get("/console/threats", headers);
    expect([page.status, visitor.cookies.has(session)]).toEqual([200, true]);
    const grace = () => app.app.accounts.byName("grace@example.com")!;
    expect([grace().role, grace().origin, grace().password]).toEqual(["analyst", "proxy", null]);
    const formToken = /name="form_token" value="([^"]+)"/.exec(page.html)![1]!;
    const start = (given: Record<string, string>) =>
      visitor.post("/console/scans/start", { form_token: formToken }, given);
    expect((await start(headers)).status).not.toBe(403);
    const signOut = await visitor.post("/console/sign-out", { form_token: formToken }, headers);
    expect(signOut.location).toBe("/console/account");
    expect((await visitor.get(signOut.location!, headers)).text).toContain("sign out of the proxy");
    expect((await start({ ...headers, "remote-groups": "Staff" })).status).toBe(403);
    expect(grace().role).toBe("viewer");
    const none = await visitor.get("/console", { ...headers, "remote-groups": "Visitors" });
    expect([none.status, none.text]).toEqual([403, expect.stringContaining("None of the groups")]);
    // The session alone is not enough.
    expect((await visitor.get("/console")).status).toBe(303);
    // A form needs the token of this session, whatever the proxy says.
    const forged = await app.visitor().post("/console/scans/start", { form_token: formToken }, headers);
    expect([forged.status, forged.text]).toEqual([400, expect.stringContaining("No changes were made")]);
    app.app.accountManagement.disable(grace().seq, options);
    expect((await visitor.get("/console", headers)).text).toContain("This account is disabled");
  });

  test("replaces the user who was signed in before in this browser, and the page says so", async () => {
    const visitor = app.visitor();
    await visitor.get("/console/threats", { ...trusted, "remote-user": "heidi" });
    const swapped = await visitor.get("/console/threats", { ...trusted, "remote-user": "ivan" });
    expect(swapped.text).toContain(
      "The proxy reports that you are ivan, so you are no longer signed in as heidi.",
    );
  });

  test.each([["admin"], ["ADMIN"]])(
    "never signs in to the account with a password of the same name: %s",
    async (name) => {
      const { status, text } = await app.visitor().get("/console", { ...trusted, "remote-user": name });
      expect([status, text]).toEqual([403, expect.stringContaining("belongs to an account with a password")]);
    },
  );

  test("with a name that is not allowed gets a page that shows it harmlessly", async () => {
    const { status, html, text } = await app
      .visitor()
      .get("/console", { ...trusted, "remote-user": "CORP\\<b>x" });
    expect(html).not.toContain("<b>x");
    expect([status, text]).toEqual([403, expect.stringContaining("CORP\\<b>x")]);
  });
});
