import { afterAll, beforeAll, expect, test } from "bun:test";
import { preferencesCookie, preferencesOf, timeZones } from "../../../src/web/console/shell/reader.ts";
import { manualClock } from "../../support/appliance.ts";
import { addPerson, signInWithoutPassword } from "../../support/accounts.ts";
import { consolePassword, openConsoleApp, type ConsoleApp } from "../../support/console.ts";

const now = Date.UTC(2026, 0, 15, 23, 30);
const keys = "/console/settings/keys";

let app: ConsoleApp;
beforeAll(() => {
  app = openConsoleApp({ clock: manualClock(now) });
  const scopes = ["threats:read"] as const;
  const by = { channel: "console", name: "admin", address: null } as const;
  app.app.keys.create(
    { name: "SIEM", plan: "free", scopes, domains: [], expiresAt: now + 40 * 86_400_000 },
    { by },
  );
});
afterAll(() => app.dispose());

/** Returns the texts and the titles of all times on a page. */
const timesIn = (html: string) =>
  [...html.matchAll(/<time[^>]*title="([^"]*)"[^>]*>([^<]*)/g)].map(([, title, text]) => ({ text, title }));

test("times are in UTC until a time zone is chosen, and then in it, with UTC on hover", async () => {
  const visitor = await app.signedIn();
  const before = timesIn((await visitor.get(keys)).html);
  expect(before).toContainEqual({ text: "2026-02-24 23:30 UTC", title: "2026-02-24 23:30:00 UTC" });

  const saved = await visitor.post("/console/preferences", { time_zone: "Europe/Berlin", to: keys });
  expect([saved.status, saved.location]).toEqual([303, keys]);
  const { html } = await visitor.get(keys);
  // It is the next day in Berlin.
  expect(timesIn(html)).toContainEqual({
    text: "2026-02-25 00:30 Berlin",
    title: "2026-02-24 23:30:00 UTC · 2026-02-25 00:30:00 Berlin",
  });
});

test("each preference is kept when another one is changed, and a value that is not offered means the default", async () => {
  const visitor = await app.signedIn();
  await visitor.post("/console/preferences", { theme: "dark", density: "compact", shortcuts: "no" });
  await visitor.post("/console/preferences", { time_zone: "Asia/Kolkata" });
  const { html } = await visitor.get(keys);
  expect(html).toContain('data-theme="dark"');
  expect(html).toMatch(/<body class="dense"(?![^>]*data-shortcuts)/);
  expect(html).toContain("Kolkata");
  await visitor.post("/console/preferences", { time_zone: "Mars/Olympus", theme: "neon" });
  const back = await visitor.get(keys);
  expect(back.html).not.toContain("data-theme");
  expect(back.html).not.toContain("Kolkata");
});

test("the first sign-in takes the time zone of the browser, and no later one replaces a choice", async () => {
  const visitor = app.visitor();
  await visitor.post("/console/sign-in", { password: consolePassword, time_zone: "America/New_York" });
  expect((await visitor.get(keys)).text).toContain("2026-02-24 18:30 New York");
  await visitor.post("/console/sign-out");
  await visitor.post("/console/sign-in", { password: consolePassword, time_zone: "Europe/Berlin" });
  expect((await visitor.get(keys)).text).toContain("2026-02-24 18:30 New York");
});

test("preferences belong to an account: they follow it to another browser, and no other account has them", async () => {
  const ada = await addPerson(app, { name: "ada", role: "viewer" });
  await ada.post("/console/preferences", { theme: "dark", time_zone: "Asia/Tokyo" });
  const elsewhere = await signInWithoutPassword(app, ada);
  const { html } = await elsewhere.get(keys);
  expect(html).toContain('data-theme="dark"');
  expect(html).toContain("Tokyo");
  // Bob uses the browser of Ada.
  const bob = await addPerson(app, { name: "bob", role: "viewer" });
  await bob.post("/console/preferences", { theme: "light", time_zone: "UTC" });
  bob.cookies.set("phishwatch_reader", ada.cookies.get("phishwatch_reader")!);
  const page = await bob.get(keys);
  expect(page.html).toContain('data-theme="light"');
  expect(page.html).not.toContain("Tokyo");
});

test("a cookie that no page has set changes nothing", async () => {
  const visitor = await app.signedIn();
  for (const text of ["", "x".repeat(40), "dark|../../etc/passwd|huge|", "|".repeat(40)]) {
    visitor.cookies.set("phishwatch_reader", Buffer.from(text).toString("base64url"));
    const { status, html } = await visitor.get(keys);
    expect([status, timesIn(html)[0]?.title?.endsWith("UTC")]).toEqual([200, true]);
  }
});

test("the preferences of a reader are kept in every time zone, however long its name is", () => {
  const preferences = { theme: "light", density: "comfortable", shortcuts: false, grouping: "none" } as const;
  const lost = timeZones().filter((timeZone) => {
    const [cookie] = preferencesCookie({ ...preferences, timeZone }, false).split(";");
    const request = new Request("http://localhost/console", { headers: { cookie: cookie! } });
    return !Bun.deepEquals(preferencesOf(request), { ...preferences, timeZone });
  });
  expect(lost).toEqual([]);
});
