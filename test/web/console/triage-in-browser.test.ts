import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Status } from "../../../src/platform/vocabulary/threats.ts";
import {
  browserTimeoutMs,
  chromium,
  expectAccessible,
  openBrowser,
  type Browser,
} from "../../support/browser.ts";
import { tester } from "../../support/console-pages.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { addThreats, secretsPage } from "../../support/console-threats.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";

const perPage = 50;
/** Threats that are decided one after the other: two full pages and a part of one. */
const manyThreats = 110;
const minuteMs = 60_000;
const pressCtrlK = `void document.body.dispatchEvent(
  new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true }))`;

describe.skipIf(chromium === undefined)("triage in a browser", () => {
  let app: ConsoleApp;
  let browser: Browser;
  let visitor: Visitor;
  let receiver: Receiver;
  /** Status of the receiver's responses. */
  let responds = 200;
  const statusOf = (id: string) => app.app.threats.get(id)!.status;

  beforeAll(async () => {
    app = openConsoleApp({ config: `[[protected_domains]]\ndomain = "example-bank.com"` });
    await app.app.start();
    receiver = startReceiver(() => new Response(null, { status: responds }));
    browser = await openBrowser({ hosts: "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost" });
    await browser.signIn(app.url);
    visitor = await app.signedIn();
  }, browserTimeoutMs);
  afterAll(async () => {
    browser?.close();
    await receiver.stop();
    await app?.dispose();
  });

  /** Records new threats, the first one the newest, and decides about all others. */
  function only(names: readonly string[]): string[] {
    const active = app.app.threats
      .list({ status: "active" }, { page: 1, perPage: 500 })
      .threats.map(({ id }) => id);
    app.app.threats.changeStatus(active, "resolved", { by: tester });
    return addThreats(
      app.app,
      Date.now(),
      names.map((domain, index) => ({ domain, agoMs: (index + 1) * minuteMs })),
    );
  }

  const ready = (expression: string, what?: string) =>
    browser.until(`document.readyState === "complete" && (${expression})`, what);
  async function list(query = "") {
    await browser.open(`${app.url}/console/threats${query}`);
    await ready(`document.querySelector("[data-row]")`);
  }
  /** Returns which row has the focus and which threat the panel shows, as soon as they are as expected. */
  const settles = (row: string | null, panel: string | null) =>
    browser.evaluate<[string | null, string | null]>(`new Promise((resolve) => {
      const given = performance.now();
      const check = () => {
        const row = document.activeElement?.closest("[data-row]")?.dataset.id ?? null;
        const panel = document.getElementById("panel")?.dataset.id ?? null;
        const isSettled = row === ${JSON.stringify(row)} && panel === ${JSON.stringify(panel)};
        if (isSettled || performance.now() - given > 20_000) resolve([row, panel]);
        else setTimeout(check, 2);
      };
      check();
    })`);
  async function expectHere(row: string | null, panel: string | null) {
    expect(await settles(row, panel)).toEqual([row, panel]);
  }
  const message = (text: string) => ready(`document.querySelector(".toasts")?.innerText.includes("${text}")`);

  test(
    "pages of threats are decided by keyboard alone, with and without the panel, and after each decision the row that follows has the focus",
    async () => {
      only(
        Array.from(
          { length: manyThreats },
          (_, index) => `example-bank-${String(index).padStart(3, "0")}.com`,
        ),
      );
      const order: string[] = [];
      for (let page = 1; page <= Math.ceil(manyThreats / perPage); page++) {
        const { html } = await visitor.get(`/console/threats?page=${page}`);
        order.push(...[...html.matchAll(/data-id="(thr_\w+)"/g)].map(([, id]) => id!));
      }
      expect(new Set(order).size).toBe(manyThreats);
      const decided = new Map<string, Status>();

      await list();
      await browser.press("j");
      await expectHere(order[0]!, null);
      await browser.press("o");
      await expectHere(order[0]!, order[0]!);
      let at = 0;
      // The panel is closed on the second page.
      let hasPanel = true;
      while (at < order.length) {
        if (hasPanel && at > perPage + 10) {
          await browser.press("Escape");
          await expectHere(order[at]!, null);
          hasPanel = false;
        }
        const status = at % 3 === 0 ? "false_positive" : "resolved";
        const key = status === "resolved" ? "r" : "f";
        // Now and then, three are selected and decided together, or faster than the server responds.
        const keys = { 10: [key, key, key], 30: ["x", "j", "x", "j", "x", key] }[at % 40] ?? [key];
        for (const pressed of keys) await browser.press(pressed);
        const count = keys.length === 1 ? 1 : 3;
        for (const id of order.slice(at, at + count)) decided.set(id, status);
        at += count;
        // A fast reader does not wait for the next page.
        const isPageEnd = at % perPage === 0 && at < order.length;
        const next = order[at] ?? null;
        if (!isPageEnd) await expectHere(next, hasPanel ? next : null);
      }
      await ready(`document.querySelector("main").innerText.includes("No threats to decide")`);
      expect(order.map(statusOf)).toEqual(order.map((id) => decided.get(id)!));
      const { threats } = app.app.threats.list({ status: "active" }, { page: 1, perPage: 500 });
      expect(threats).toEqual([]);
      await browser.until(`document.querySelector("[data-count='/console/threats']").innerText === "0"`);
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "back and forward restore the panel and the list, and Escape closes the panel and returns to its row",
    async () => {
      const [a, b, c] = only(["example-bank-a.net", "example-bank-b.net", "example-bank-c.net"]);
      await list("?sort=first_seen");
      await browser.click(`[data-id="${a}"] a.go`);
      await expectHere(a!, a!);
      await browser.press("j");
      await expectHere(b!, b!);
      expect(await browser.evaluate<string>("location.search")).toBe(`?sort=first_seen&open=${b}`);
      await expectAccessible(browser, "panel");
      await browser.open(await browser.evaluate<string>("location.href"));
      await ready(`document.querySelector(".toasts")`);
      await browser.press("k");
      await expectHere(a!, a!);
      await browser.press("j");
      await expectHere(b!, b!);
      await browser.press("Escape");
      await expectHere(b!, null);
      await browser.evaluate("history.back()");
      await expectHere(b!, b!);
      await browser.evaluate("history.back()");
      await expectHere(b!, null);
      await browser.evaluate("history.forward()");
      await expectHere(b!, b!);
      await browser.click("#panel a[data-key=j]");
      await expectHere(c!, c!);
      await browser.click(`[data-id="${a}"] a.go`);
      await expectHere(a!, a!);
      await browser.evaluate("history.back()");
      await expectHere(c!, c!);
      await browser.click("#panel a[data-panel-close]");
      await expectHere(c!, null);
      await browser.press("k");
      await browser.press("o");
      await expectHere(b!, b!);

      // A filter applies while one types, and keeps the focus. Escape returns from its menu to its button.
      await browser.press("/");
      for (const key of "bank-b") await browser.press(key);
      await ready(
        `location.search.includes("q=bank-b") && document.querySelectorAll("[data-row]").length === 1`,
      );
      const field = `document.activeElement.id === "q" && document.activeElement.value === "bank-b"`;
      expect(await browser.evaluate<boolean>(field)).toBe(true);
      // The panel of a threat that is still listed stays, with its place in the new view.
      await ready(
        `location.search.includes("open=${b}") && document.querySelector("#panel .bar").innerText.includes("1 of 1")`,
      );
      await browser.press("x");
      await ready(
        `location.search.includes("q=bank-bx") && !location.search.includes("open") && !document.getElementById("panel")`,
      );
      await browser.evaluate("history.back()");
      await ready(`!location.search.includes("q=") && document.querySelectorAll("[data-row]").length === 3`);

      await browser.click("#chips summary");
      await browser.evaluate(`document.getElementById("similarity").focus()`);
      await browser.press("Escape");
      await ready(`document.activeElement.matches("#chips details:not([open]) summary")`);
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "a decision that fails says why and changes nothing, and u undoes the last decision on any page",
    async () => {
      const [a, b] = only(["example-bank-a.org", "example-bank-b.org", "example-bank-c.org"]);
      await list("?sort=first_seen");
      await browser.press("j");
      // Somebody else was faster.
      app.app.threats.changeStatus([a!], "resolved", { by: tester });
      await browser.press("r");
      await message("No changes: 1 threat was already resolved.");
      await expectHere(b!, null);
      app.app.threats.changeStatus([a!], "active", { by: tester });

      await list("?sort=first_seen");
      await browser.press("j");
      await browser.evaluate(`document.querySelector("#triage [name=form_token]").value = "wrong"`);
      await browser.press("r");
      await message("This form expired.");
      await expectHere(a!, null);
      expect(await browser.evaluate(`document.querySelector(".decided")`)).toBeNull();
      expect(statusOf(a!)).toBe("active");

      await list("?sort=first_seen");
      await browser.press("j");
      // A key that is held down does not decide one after the other.
      await browser.evaluate(`void document.activeElement.dispatchEvent(
        new KeyboardEvent("keydown", { key: "r", repeat: true, bubbles: true }))`);
      await browser.press("r");
      await message("1 threat is now resolved.");
      await expectHere(b!, null);
      await browser.click(".toasts form button");
      await message("Decision undone: 1 threat restored.");
      await expectHere(a!, null);
      expect(statusOf(a!)).toBe("active");

      // The row of the panel keeps the focus while another threat cannot be loaded. One is loaded in advance.
      await browser.press("o");
      await expectHere(a!, a!);
      await browser.until(
        `performance.getEntriesByType("resource").some(({ name }) => name.includes("${b}"))`,
      );
      await browser.evaluate(`void (window.sent = fetch, window.fetch = () => Promise.reject(new Error()))`);
      await browser.press("j");
      await expectHere(b!, b!);
      await browser.press("j");
      await message("phishwatch cannot be reached.");
      await expectHere(b!, b!);
      await browser.evaluate(`void (window.fetch = window.sent)`);
      await browser.press("Escape");

      await browser.click(`input[value="${a}"]`);
      await browser.click(`input[value="${b}"]`);
      expect(await browser.evaluate<string>(`document.querySelector("[data-selected]").innerText`)).toBe(
        "2 selected",
      );
      await browser.evaluate("void (window.isSamePage = true)");
      await browser.click(`.bulk button[value=false_positive]`);
      await message("2 threats are now false positive.");
      expect(await browser.evaluate<boolean>("isSamePage")).toBe(true);
      await browser.open(`${app.url}/console/preferences`);
      await ready(`document.querySelector(".toasts")`);
      // A form that was filled in stays.
      await browser.evaluate(`void (document.getElementById("time_zone").value = "Asia/Tokyo")`);
      await browser.press("u");
      await message("Decision undone: 2 threats restored.");
      expect(statusOf(a!)).toBe("active");

      await browser.evaluate(`document.querySelector(".toasts").replaceChildren()`);
      await browser.evaluate(pressCtrlK);
      await ready(`document.querySelector("dialog [role=option]")`);
      for (const key of "undo") await browser.press(key);
      await ready(
        `document.querySelector("dialog [aria-selected=true]")?.innerText.startsWith("Undo the last")`,
      );
      await browser.press("Enter");
      await ready(`!document.querySelector("dialog") && document.querySelector(".toast")`);
      expect(await browser.evaluate<string>(`document.getElementById("time_zone").value`)).toBe("Asia/Tokyo");
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "new threats are announced in the list and in the title, and move nothing",
    async () => {
      only(["example-bank-a.biz", "example-bank-b.biz"]);
      await list();
      const top = `document.querySelector("[data-row]").getBoundingClientRect().top`;
      const before = await browser.evaluate<number>(top);
      addThreats(app.app, Date.now(), [{ domain: "example-bank-c.biz" }]);
      // The script asks every ten seconds.
      await browser.evaluate(`void (Date.now = ((now) => () => now() + 60_000)(Date.now))`);
      await ready(`document.querySelector(".fresh a")?.innerText.includes("1 new, show")`);
      expect(await browser.evaluate<string>("document.title")).toBe("(1) Threats · phishwatch");
      await ready(`document.querySelector("[data-count='/console/threats']").innerText === "3"`);
      expect(await browser.evaluate<number>(top)).toBe(before);
      await browser.click(".fresh a");
      await ready(`document.querySelectorAll("[data-row]").length === 3`);
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "the command bar finds a threat, a page and the shortcuts, and single keys do nothing while one types",
    async () => {
      const [a] = only(["example-bank-a.info", "example-bank-b.info"]);
      await list();
      await browser.evaluate(pressCtrlK);
      await ready(`document.querySelectorAll("dialog [role=option]").length > 5`);
      for (const key of "bank-a.in") await browser.press(key);
      const chosen = `document.querySelector("dialog [aria-selected=true]")`;
      await ready(`${chosen}?.href?.includes("${a}")`);
      const named = `document.querySelector("dialog input").getAttribute("aria-activedescendant") === ${chosen}.id`;
      expect(await browser.evaluate<boolean>(named)).toBe(true);
      await expectAccessible(browser, "command bar");
      await browser.press("ArrowDown");
      await ready(`!${chosen}.href?.includes("${a}")`);
      await browser.press("ArrowUp");
      await browser.press("Enter");
      await ready(`location.pathname === "/console/threats/${a}"`);
      expect(statusOf(a!)).toBe("active");

      await browser.press("g");
      await browser.press("s");
      await ready(`location.pathname === "/console/sources" && document.querySelector(".toasts")`);
      await browser.press("?");
      await ready(`document.querySelector("dialog[open]")?.innerText.includes("undo the last decision")`);
      await browser.press("Escape");
      await ready(`!document.querySelector("dialog")`);

      // The preference of the reader.
      await browser.evaluate(`document.body.removeAttribute("data-shortcuts")`);
      await browser.press("?");
      await browser.press("g");
      await browser.press("o");
      await browser.evaluate(pressCtrlK);
      await ready(`document.querySelector("dialog[open] [role=option]")`);
      expect(await browser.evaluate<string>("location.pathname")).toBe("/console/sources");
      expect(await browser.evaluate<number>(`document.querySelectorAll("dialog").length`)).toBe(1);
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "the four tasks of an operator take at most 3, 2, 3 and 3 clicks",
    async () => {
      let clicks = 0;
      const clickOn = async (selector: string) => {
        await ready(`document.querySelector(${JSON.stringify(selector)})`);
        await browser.click(selector);
        clicks += 1;
      };
      /** Clicks on the first visible link or button whose label begins with this. */
      const click = async (label: string) => {
        const labeled = `[...document.querySelectorAll("main :is(a, button), #panel button")].find((one) =>
          one.checkVisibility() && one.innerText.trim().startsWith(${JSON.stringify(label)}))`;
        await ready(labeled, label);
        await browser.evaluate(`(document.querySelector("[data-meant]")?.removeAttribute("data-meant"),
          ${labeled}.setAttribute("data-meant", ""))`);
        await clickOn("[data-meant]");
      };
      const counted = async (task: () => Promise<void>) => {
        clicks = 0;
        await browser.open(`${app.url}/console`);
        await ready(`document.querySelector(".toasts")`);
        await task();
        return clicks;
      };

      // The newest high threat of one protected domain is resolved.
      only([]);
      const high = { page: secretsPage, mail: true, registeredDays: 2 };
      const [newest] = addThreats(app.app, Date.now(), [
        { domain: "example-bank-new.com", agoMs: minuteMs, evidence: high },
        ...[1, 2, 3, 4, 5].map((day) => ({
          domain: `example-bank-day${day}.com`,
          agoMs: day * 1440 * minuteMs,
          evidence: high,
        })),
      ]);
      const resolving = await counted(async () => {
        await clickOn(`main a[href*="domain=example-bank.com"]`);
        await ready(`location.pathname === "/console/threats" && document.querySelector(".toasts")`);
        await clickOn(`[data-id="${newest}"] a.go`);
        await clickOn(`#panel button[data-key=r]`);
        await message("resolved");
      });
      expect(statusOf(newest!)).toBe("resolved");

      const creating = await counted(async () => {
        await browser.evaluate(pressCtrlK);
        await ready(`document.querySelector("dialog [role=option]")`);
        for (const key of "api key") await browser.press(key);
        await ready(
          `document.querySelector("dialog [aria-selected=true]")?.innerText.includes("Create an API key")`,
        );
        await browser.press("Enter");
        await ready(`location.pathname === "/console/settings/keys/create"`);
        await browser.fill("#name", "feeder");
        await click("Create");
        await ready(`document.querySelector(".secret")`);
      });

      // A webhook endpoint fails; its deliveries are sent again.
      const endpoint = app.app.webhooks.endpoints.add(
        { url: receiver.url, name: "soc" },
        { by: tester },
      ).endpoint;
      responds = 503;
      addThreats(app.app, Date.now(), [{ domain: "example-bank-x.com" }, { domain: "example-bank-y.com" }]);
      const failed = () =>
        app.app.deliveries.recipients.list("webhook").some(({ failingSince }) => failingSince !== null);
      await until(failed, "the endpoint fails");
      const sending = await counted(async () => {
        await click("Review");
        await ready(`location.pathname.endsWith("${endpoint.id}")`);
        expect(await browser.text()).toContain("503");
        responds = 200;
        await click("Send all");
        await click("Send all");
        await until(() => receiver.received.length > 2, "it is sent again");
      });

      const protecting = await counted(async () => {
        await clickOn(`nav a[href="/console/domains"]`);
        await clickOn(`main a[href="/console/domains/new"]`);
        await ready(`document.querySelector("#domain")`);
        await browser.fill("#domain", "example-shop.com");
        await clickOn(`button[name=step][value=add]`);
        await until(() => app.app.domains.list().length === 2, "it is protected");
      });

      expect(resolving).toBeLessThanOrEqual(3);
      expect(creating).toBeLessThanOrEqual(2);
      expect(sending).toBeLessThanOrEqual(3);
      expect(protecting).toBeLessThanOrEqual(3);
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "selection, decisions, filters, search and undo work without scripts",
    async () => {
      const ids = only(["a", "b", "c", "d"].map((letter) => `example-bank-${letter}.shop`));
      const statuses = () => ids.map(statusOf);
      await browser.script(false);
      try {
        await list();
        expect(await browser.evaluate<boolean>(`document.querySelector("[data-script-only]").hidden`)).toBe(
          true,
        );
        await browser.click(`input[value="${ids[1]}"]`);
        await browser.click(`input[value="${ids[2]}"]`);
        await browser.click(`button[name=status][value=resolved]`);
        await ready(`document.querySelector(".note button")`);
        expect(statuses()).toEqual(["active", "resolved", "resolved", "active"]);
        await browser.click(".note button");
        await ready(`document.body.innerText.includes("Decision undone: 2 threats restored.")`);
        expect(statuses()).toEqual(["active", "active", "active", "active"]);
        await browser.fill("#q", "bank-d");
        await browser.press("Enter");
        await ready(
          `location.search.includes("q=bank-d") && document.querySelectorAll("[data-row]").length === 1`,
        );
        await browser.click(`[data-row] a.go`);
        await ready(`location.pathname === "/console/threats/${ids[3]}"`);
        await browser.click(".side a[href='/console/commands']");
        await ready(`location.pathname === "/console/commands"`);
        await browser.fill("main [name=q]", "audit");
        await browser.press("Enter");
        await ready(`document.querySelector(".command a[href='/console/settings/audit']")`);
      } finally {
        await browser.script(true);
      }
    },
    browserTimeoutMs,
  );

  test(
    "two people in two browsers work on one list without losing each other's decisions",
    async () => {
      const ids = only(["a", "b", "c", "d"].map((letter) => `example-bank-${letter}.dev`));
      const [a, b, c, d] = ids as [string, string, string, string];
      // A browser keeps the cookies of each host apart, like two browsers do.
      const elsewhere = app.url.replace("127.0.0.1", "localhost");
      const other = await openBrowser();
      await other.signIn(elsewhere);
      const { sqlite } = app.app.database;
      sqlite.run(
        "insert into accounts (name, role, password_hash, created_at) values ('alice', 'analyst', null, 0)",
      );
      sqlite.run(
        `update console_sessions set account_seq = (select seq from accounts where name = 'alice')
         where seq = (select max(seq) from console_sessions)`,
      );
      const says = (who: Browser, text: string) =>
        who.until(`document.querySelector(".toasts")?.innerText.includes(${JSON.stringify(text)})`, text);
      await list();
      await other.open(`${elsewhere}/console/threats`);
      await other.until(`document.querySelectorAll("[data-row]").length === 4`);

      // Both look at the same four threats. Alice decides about two of them.
      for (const id of [a, b]) await other.click(`input[value="${id}"]`);
      await other.press("f");
      await says(other, "2 threats are now false positive.");
      // The administrator decides about three of them: two decisions are kept.
      for (const id of [a, b, c]) await browser.click(`input[value="${id}"]`);
      await browser.press("r");
      await says(browser, "1 threat is now resolved. 2 threats keep decisions that others made meanwhile");
      await says(browser, "example-bank-a.dev (false positive, alice, just now)");
      expect(ids.map(statusOf)).toEqual(["false_positive", "false_positive", "resolved", "active"]);
      // Alice has not seen that c is resolved, and agrees with it.
      await other.click(`input[value="${c}"]`);
      await other.press("r");
      await says(
        other,
        "1 threat was already resolved. admin decided that about example-bank-c.dev just now.",
      );
      // One click decides anyway.
      await browser.evaluate(
        `[...document.querySelectorAll(".toasts button")].find((one) => one.innerText === "Decide anyway").click()`,
      );
      await says(browser, "2 threats are now resolved.");
      expect(ids.map(statusOf)).toEqual(["resolved", "resolved", "resolved", "active"]);
      expect(app.app.threats.history(a)[0]!.by!.name).toBe("admin");

      // The same on the page of one threat, and for all threats of a view.
      await browser.open(`${app.url}/console/threats/${d}`);
      await other.open(`${elsewhere}/console/threats`);
      await other.until(`document.querySelectorAll("[data-row]").length === 1`);
      await ready(`document.querySelector("button[data-key=r]")`);
      await other.click(`input[value="${d}"]`);
      await other.press("f");
      await says(other, "1 threat is now false positive.");
      await browser.click(`main button[data-key=r]`);
      await ready(
        `document.querySelector(".note")?.innerText.includes("example-bank-d.dev is not changed: alice decided just now")`,
      );
      expect(statusOf(d)).toBe("false_positive");

      // Each sees who decided what, and can undo what the other one decided.
      await other.open(`${elsewhere}/console/decisions`);
      await other.until(`document.body.innerText.includes("example-bank-a.dev")`);
      expect(
        await other.evaluate<number>(`document.querySelectorAll("main form[action$='/undo']").length`),
      ).toBeGreaterThanOrEqual(4);
      await browser.open(`${app.url}/console/decisions?by=console:alice`);
      await ready(`document.querySelector("main form[action$='/undo'] button")`);
      await expectAccessible(browser, "decisions");
      await browser.click("main form[action$='/undo'] button");
      await ready(`document.body.innerText.includes("Decision undone: 1 threat restored.")`);
      await ready(`document.querySelector("main").innerText.includes("by admin")`);
      expect(statusOf(d)).toBe("active");
      expect(other.complaints()).toEqual([]);
      expect(browser.complaints()).toEqual([]);
    },
    browserTimeoutMs,
  );
});
