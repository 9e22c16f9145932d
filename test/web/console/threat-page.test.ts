import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { unzipSync } from "fflate";
import { noteCharactersMax } from "../../../src/threats/threats/triage/notes.ts";
import { hostileText, longText, tester } from "../../support/console-pages.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { hosted } from "../../support/enrichment.ts";
import { startReceiver } from "../../support/receiver.ts";
import {
  capture,
  hostileFacts,
  hostileName,
  knowAbout,
  phishingFacts,
} from "../../support/threat-samples.ts";
import { until } from "../../support/until.ts";

let app: ConsoleApp;
let visitor: Visitor;
beforeAll(async () => {
  app = openConsoleApp({
    lookups: true,
    config: `[[protected_domains]]\ndomain = "example-bank.com"\nkeywords = ["expay"]\n`,
  });
  visitor = await app.signedIn();
});
afterAll(() => app.dispose());

let minutes = 0;
function sight(domain: string, similarity = 0.97): string {
  const match = {
    protectedDomain: "example-bank.com",
    type: similarity >= 0.95 ? ("homograph" as const) : ("typosquatting" as const),
    similarity,
    reasons: [],
  };
  // Distinct times give the list a defined order.
  const seenAt = Date.UTC(2026, 0, 1, 0, minutes++);
  return app.app.threats.record([{ domain, match, source: "feed", seenAt }])[0]!.threatId;
}
const pathOf = (id: string) => `/console/threats/${id}`;
const ends = ["", "/original", "/thumbnail", "/original/thumbnail", "/evidence", "/look", "/registration"];

test("A threat whose name does not resemble the domain shows no number as its similarity (operator minor)", async () => {
  const id = sight("unrelated.example", 0);
  for (const path of [pathOf(id), "/console/threats?q=unrelated"]) {
    const { text, html } = await visitor.get(path);
    expect(text).not.toContain("0.00");
    expect(html).not.toContain("<meter");
  }
});

test("a copied page at an unrelated name is not compared with the protected name letter by letter", async () => {
  const match = { protectedDomain: "example-bank.com", type: "cloned_site" as const };
  const sighting = { domain: "cheap-shoes.example", source: "submission", seenAt: Date.now() } as const;
  const [{ threatId } = { threatId: "" }] = app.app.threats.record([
    {
      ...sighting,
      match: { ...match, similarity: 0.98, reasons: [] },
      page: { score: 0.98, signals: [{ code: "some_signal", strength: 1, points: 2.25, params: {} }] },
    },
  ]);
  const path = pathOf(threatId);
  for (const { text, html } of [
    await visitor.get(path),
    await visitor.get(path, { "x-fragment": "panel" }),
  ]) {
    expect(text).toContain("Cloned site");
    expect(text).toContain("The name does not resemble example-bank.com . The threat is the page at it.");
    expect(text).toContain("Comparison with your pages Imitates example-bank.com Score 0.98");
    expect(text).toContain("Some signal +2.3");
    expect(text).not.toContain("Why it matches");
    expect(html).not.toContain('class="swap"');
    expect(html).not.toContain('class="versus"');
  }
});

describe("the page of a threat", () => {
  test("shows the reasons, name differences, facts, and decisions", async () => {
    const id = sight("examp1e-bank.com");
    await knowAbout(app.app, id, phishingFacts, Date.now());
    app.app.threats.changeStatus([id], "resolved", {
      by: { channel: "api", name: "soc", address: "192.0.2.44" },
    });
    app.app.threats.changeStatus([id], "active", { by: tester });
    const { text, html, status } = await visitor.get(pathOf(id));
    expect(status).toBe(200);
    for (const shown of [
      "Why high",
      "Homograph The name is a homograph: its characters look like those of the protected name (similarity 0.97)",
      "The page asks for a password",
      "Report it: the text, the evidence and those who can take it down are prepared.",
      "1 (U+0031, digit) looks like l",
      "Address https://exarnple-bank.com/login",
      "Title Example Bank – Sign in to online banking",
      "Mail servers mx1.mail.example",
      "Registrar Example Registrar, Inc.",
      "Issuer R11, Let's Encrypt",
      "Not reported yet.",
      "API key soc, 192.0.2.44 resolved it",
      "admin (console), 192.0.2.7 reactivated it",
      "Page asks for: password",
      "Recorded (source: feed)",
    ])
      expect(text).toContain(shown);
    expect(html).toContain(`href="/console/takedowns/new?threat=${id}"`);
  });

  test("A report requests the network that is not known, and then shows the hosting provider with its source", async () => {
    const id = sight("exarnple-bank.net");
    const { networks: _known, ...rest } = phishingFacts;
    const unknownHost = { ...rest, unknown: { networks: "rdap.registry.example: HTTP status 500" } };
    await knowAbout(app.app, id, unknownHost, Date.now());
    const reportPath = `/console/takedowns/new?threat=${id}`;
    expect((await visitor.get(reportPath)).text).toContain("The hosting provider is being looked up");
    expect(app.app.enrichment.isSettled(id)).toBe(false);
    expect((await visitor.get(pathOf(id))).text).toContain(
      "Hosting unknown: rdap.registry.example: HTTP status 500",
    );

    const networks = [
      {
        ...(hosted.ok ? hosted.network : { first: "", last: "", source: "rdap" as const, url: "" }),
        organization: "Host\u202e <b>LLC",
        addresses: phishingFacts.existence!.addresses,
        at: Date.now(),
      },
    ];
    await knowAbout(app.app, id, { ...phishingFacts, networks }, Date.now());
    const report = await visitor.get(reportPath);
    expect(report.text).not.toContain("is being looked up");
    expect(report.text).toContain("abuse@example-host.example");
    expect(report.text).toContain("Contact from registration data of the IP address");
    const page = await visitor.get(pathOf(id));
    expect(page.text).toMatch(/abuse@example-host\.example ?, from RDAP of the address/);
    for (const { html } of [report, page]) {
      expect(html).not.toContain("<b>LLC");
      expect(html).not.toContain("\u202e");
    }
  });

  test("shows the case beside the assessment, and assigns the threat and sets its due time without a script", async () => {
    const id = sight("examp1e-bamk.com");
    await knowAbout(app.app, id, phishingFacts, Date.now());
    const first = await visitor.get(pathOf(id));
    expect(first.text).toContain("Assessment Active Site Up since now");
    expect(first.text).toContain("The page responds with HTTP 200: Example Bank – Sign in to online banking");
    expect(first.text).toContain("Assignee Nobody Assign to me Due in 23 hours");
    const post = async (end: string, fields: Record<string, string>) => {
      await visitor.post(`${pathOf(id)}/${end}`, fields);
      return (await visitor.get(pathOf(id))).text;
    };
    expect(await post("assignee", { assignee: "me" })).toContain("examp1e-bamk.com is assigned to admin.");
    expect(await post("due", { due: "2027-03-01T12:30" })).toContain(
      "set the due time to 2027-03-01 12:30 UTC",
    );
    const { text } = await visitor.get(pathOf(id));
    expect(text).toContain("assigned it to admin");
    expect(text).toMatch(/Assignee admin Due in \d+ days/);
    expect(await post("due", { due: "2020-01-01T00:00" })).toContain("The due time is in the past");
    expect(await post("due", { due: "tomorrow" })).toContain(
      "Write the due time as 2026-01-31T12:00, in UTC.",
    );
    expect(await post("assignee", { assignee: "name:nobody-here" })).toContain("There is no such account");
    expect(await post("due", { due: "" })).toContain("removed the due time");
    const panel = await visitor.post(`${pathOf(id)}/assignee`, {
      assignee: "nobody",
      view: "q=bamk",
      from: "panel",
    });
    expect(panel.location).toBe(`/console/threats?q=bamk&open=${id}`);
  });

  test("marks an overdue threat with a word", async () => {
    const id = sight("examp1e-bahk.com");
    app.app.database.sqlite.run("update threats set due_at = ? where id = ?", [
      Date.now() - 3 * 3_600_000,
      id,
    ]);
    expect((await visitor.get(pathOf(id))).text).toContain("Overdue, due 3 hours ago");
    app.app.threats.changeStatus([id], "resolved", { by: tester });
    expect((await visitor.get(pathOf(id))).text).toContain("Due Closed");
  });

  test("explains why a fact is missing", async () => {
    const nothing = await visitor.get(pathOf(sight("example-bank.co")));
    expect(nothing.text).toContain("DNS Not looked up yet.");
    expect(nothing.text).toContain("Registration Not looked up yet.");
    expect(nothing.html).not.toContain("<img");
    const id = sight("example-bank.cm");
    for (const end of ["/original", "/thumbnail", "/original/thumbnail"])
      expect((await visitor.get(`${pathOf(id)}${end}`)).status).toBe(404);
    const { registration: _registration, page: _page, ...facts } = phishingFacts;
    const unknown = { registration: "the registry does not respond", page: "connection refused" };
    await knowAbout(app.app, id, { ...facts, unknown }, Date.now());
    const failed = await visitor.get(pathOf(id));
    expect(failed.text).toContain("Lookup failed: the registry does not respond .");
    expect(failed.text).toContain("No page could be fetched: connection refused .");
    await knowAbout(
      app.app,
      id,
      { unknown: {}, existence: { ...facts.existence!, exists: "no", addresses: [] } },
      Date.now(),
    );
    const gone = await visitor.get(pathOf(id));
    expect(gone.text).toContain("The domain is not in DNS, so there is no page.");
    expect(gone.text).toContain("The domain is not in DNS, so its registration was not looked up.");
    expect(gone.text).toContain("there is nothing to take down");
  });

  test("responds with 404 for an unknown threat, and requires a session", async () => {
    const id = sight("exampl-bank.com");
    for (const name of ["thr_none", "thr_01kf0z7m3yeqz9x8r4p6s2t5vw", "x%00", "x".repeat(9_000)])
      for (const end of ends) expect((await visitor.get(`${pathOf(name)}${end}`)).status).toBe(404);
    const stranger = app.visitor();
    for (const end of ends) {
      const response = await stranger.get(`${pathOf(id)}${end}`);
      expect([response.status, response.location?.split("?")[0]]).toEqual([303, "/console/sign-in"]);
    }
    for (const end of ["/status", "/notes", "/look"])
      expect((await stranger.post(`${pathOf(id)}${end}`, { status: "resolved", text: "x" })).status).toBe(
        401,
      );
    expect(app.app.threats.get(id)!.status).toBe("active");
    expect(app.app.threats.notes.list(id)).toEqual([]);
  });

  test("renders hostile content as text, reveals hidden characters, and truncates it", async () => {
    const hostile = `${hostileText}${longText}`;
    const id = sight(hostileName);
    await knowAbout(app.app, id, hostileFacts(hostile), Date.now());
    app.app.threats.notes.add(id, hostileText, { by: tester });
    app.app.threats.changeStatus([id], "resolved", {
      by: { channel: "api", name: hostile, address: hostile },
    });
    const { html, text } = await visitor.get(pathOf(id));
    expect(html).not.toMatch(/<script>alert|<img src=x/);
    expect(html).not.toMatch(/\u202e|\u200b/u);
    expect(text).toContain(
      `Title "><script>alert(1)</script><img src=x onerror=alert(2)>' \\u{202e}gnp.exe\\u{200b} &amp;`,
    );
    expect(text).toContain("exa\\u{202e}mple");
    expect(html).not.toContain("x".repeat(500));
  });

  test("links to its neighbors in the view that it was opened from, and back to that view", async () => {
    const names = ["neighbor-a.com", "neighbor-b.com", "neighbor-c.com", "neighbor-d.com"];
    const [first, second, decided, third] = names.map((domain) => sight(domain, 0.8));
    app.app.threats.changeStatus([decided!], "resolved", { by: tester });
    const view = "?q=neighbor-&sort=first_seen";
    const link = (id: string, rel: string) =>
      `href="${pathOf(id)}${view.replace("&", "&amp;")}" rel="${rel}"`;
    const { html, text } = await visitor.get(`${pathOf(second!)}${view}`);
    expect(html).toContain(link(third!, "prev"));
    expect(html).toContain(link(first!, "next"));
    expect(text).toContain("2 of 3");
    expect(html).toContain(`href="/console/threats${view.replace("&", "&amp;")}&amp;open=${second}"`);
    // A threat that was just decided keeps its neighbors.
    const after = await visitor.get(`${pathOf(decided!)}${view}`);
    expect(after.html).toContain(link(third!, "prev"));
    expect(after.html).toContain(link(second!, "next"));
    expect((await visitor.get(`${pathOf(second!)}?severity=extreme`)).status).toBe(400);
  });

  test("is also a panel beside the list, with the same links and decisions, in less than 15 kB", async () => {
    const id = sight("exampie-bank.com");
    await knowAbout(
      app.app,
      id,
      { ...phishingFacts, screenshot: { at: 0, hash: "0", visualSimilarity: 0.9 } },
      Date.now(),
    );
    await capture(app.app, id);
    const view = "?q=exampie&status=all";
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(`${app.url}${pathOf(id)}${view}`, {
      headers: { cookie, "x-fragment": "panel" },
    });
    const panel = await response.text();
    expect(panel).toStartWith(`<aside class="panel" id="panel" data-id="${id}"`);
    expect(Buffer.byteLength(panel)).toBeLessThan(15_000);
    for (const part of [
      "Lifecycle of exampie-bank.com",
      "1 of 1",
      "data-panel-close",
      "90 % alike",
      'data-key="r"',
    ])
      expect(panel).toContain(part);
    expect(panel).toContain(`href="/console/threats${view.replace("&", "&amp;")}"`);
    // A reload of the list's address shows the same.
    const list = await visitor.get(`/console/threats${view}&open=${id}`);
    expect(list.html).toContain(`<aside class="panel" id="panel" data-id="${id}"`);
    expect((await visitor.get(`/console/threats${view}&open=thr_none`)).html).not.toContain('id="panel"');
  });

  test("links to other sites that know about the name, and never to the name", async () => {
    const id = sight("examp1e-bank.net");
    await knowAbout(app.app, id, phishingFacts, Date.now());
    const { html } = await visitor.get(pathOf(id));
    const foreign = [...html.matchAll(/<a href="https?:([^"]*)"([^>]*)>/g)];
    expect(foreign.map(([, address]) => address!.split("/")[2])).toEqual([
      "crt.sh",
      "urlscan.io",
      "lookup.icann.org",
      "web.archive.org",
    ]);
    for (const [, , attributes] of foreign) expect(attributes).toContain('rel="noreferrer noopener"');
  });
});

describe("a decision about a threat", () => {
  test("changes its status, can be undone, and is recorded with the client's address", async () => {
    const id = sight("exarnple-bank.com");
    const decided = await visitor.submit(`${pathOf(id)}/status`, { status: "resolved" });
    expect(decided.text).toContain("exarnple-bank.com is now resolved.");
    expect(app.app.threats.get(id)!.status).toBe("resolved");
    const act = /name="act" value="(\d+)"/.exec(decided.html)![1]!;
    const again = await visitor.submit(`${pathOf(id)}/status`, { status: "resolved" });
    expect(again.text).toContain("exarnple-bank.com is already resolved.");
    const undone = await visitor.submit("/console/threats/undo", { act, back: pathOf(id) });
    expect(undone.text).toContain("Decision undone: 1 threat restored.");
    expect(app.app.threats.get(id)!.status).toBe("active");
    const by = { channel: "console" as const, name: "admin", address: "127.0.0.1" };
    expect(app.app.threats.history(id).map((change) => change.by)).toEqual([by, by]);
    expect((await visitor.post(`${pathOf(id)}/status`, { status: "gone" })).status).toBe(400);
  });

  test("leads to the next threat of the view, and to the list after the last one", async () => {
    const [first, second] = ["walk-a.com", "walk-b.com"].map((domain) => sight(domain, 0.8));
    const view = "q=walk-&sort=first_seen";
    const decide = (id: string) => visitor.post(`${pathOf(id)}/status`, { status: "false_positive", view });
    expect((await decide(second!)).location).toBe(`${pathOf(first!)}?${view}`);
    expect((await decide(first!)).location).toBe(`/console/threats?${view}`);
    const back = await visitor.post(`${pathOf(first!)}/status`, { status: "active", view });
    expect(back.location).toBe(`${pathOf(first!)}?${view}`);
  });
});

describe("a note", () => {
  test("is saved and shown, and a rejected one stays in the form", async () => {
    const id = sight("example-bnk.com");
    const added = await visitor.submit(`${pathOf(id)}/notes`, { text: "Line one <b>bold</b>\nLine two" });
    expect(added.text).toContain("Note added.");
    expect(added.text).toContain("Line one <b>bold</b> Line two");
    const long = "y".repeat(noteCharactersMax + 1);
    const rejected = await visitor.post(`${pathOf(id)}/notes`, { text: long });
    expect([rejected.status, rejected.text]).toEqual([400, expect.stringContaining("the maximum is 4000")]);
    expect(rejected.html).toContain(`>${long}</textarea>`);
    expect(app.app.threats.notes.list(id)).toHaveLength(1);
  });
});

describe("the evidence bundle", () => {
  test("is a ZIP file with screenshots of both pages, which the page shows side by side", async () => {
    const id = sight("examplle-bank.com");
    await knowAbout(
      app.app,
      id,
      { ...phishingFacts, screenshot: { at: 0, hash: "0", visualSimilarity: 0.9375 } },
      Date.now(),
    );
    await capture(app.app, id);
    const { text, html } = await visitor.get(pathOf(id));
    expect(html).toContain('aria-label="94 % visual similarity"');
    expect(text).toContain("alike, likely a copy");
    // The samples differ in the shade of their heading.
    expect(html).toContain("which differs at top center");
    const screenshots = [...html.matchAll(/<img src="([^"]+)"/g)].map(([, path]) => path!);
    expect(screenshots).toHaveLength(2);
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    for (const path of screenshots) {
      const response = await fetch(`${app.url}${path}`, { headers: { cookie } });
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/webp"]);
    }
    const thumbnails = await Promise.all(
      ["thumbnail?v=0", "thumbnail?v=1", "original/thumbnail"].map(async (end) => {
        const { status, headers } = await fetch(`${app.url}${pathOf(id)}/${end}`, { headers: { cookie } });
        return [status, headers.get("content-type"), headers.get("cache-control")];
      }),
    );
    // Only an address with the time of the screenshot always means the same image.
    expect(thumbnails).toEqual([
      [200, "image/webp", "private, max-age=31536000, immutable"],
      [200, "image/webp", "no-store"],
      [200, "image/webp", "private, max-age=3600"],
    ]);
    const response = await visitor.get(`${pathOf(id)}/registration`);
    expect([response.headers.get("content-disposition"), response.html]).toEqual([
      `attachment; filename="${id}-registration.txt"`,
      '{"ldhName":"examplle-bank.com"}',
    ]);
    const zip = await fetch(`${app.url}${pathOf(id)}/evidence`, { headers: { cookie } });
    expect(zip.headers.get("content-disposition")).toBe(`attachment; filename="${id}-evidence.zip"`);
    const files = unzipSync(await zip.bytes());
    expect(Object.keys(files)).toContainValues([
      "evidence.json",
      "screenshot.webp",
      "original.webp",
      "report.txt",
    ]);
  });

  test("says that the screenshot is blurred, or how alike the page was of which only a fingerprint is kept", async () => {
    const id = sight("examplle-bank.org");
    const read = async (kept: "blurred" | "fingerprints") => {
      const screenshot = { at: 0, hash: "0", visualSimilarity: 0.9375, kept };
      await knowAbout(app.app, id, { ...phishingFacts, screenshot }, Date.now());
      const { text } = await visitor.get(pathOf(id));
      const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
      const panel = await fetch(`${app.url}${pathOf(id)}`, { headers: { cookie, "x-fragment": "panel" } });
      return { text, panel: await panel.text() };
    };
    const withheld = await read("fingerprints");
    const explained =
      "Only the fingerprint of the screenshot is kept, as screenshots.keep says. It was 94 % like the original.";
    expect(withheld.text).toContain(explained);
    expect(withheld.panel).toContain(explained);
    // The list asks for no picture that does not exist.
    expect(app.app.enrichment.capturesOf([id]).get(id)).toBeNull();
    await capture(app.app, id);
    const blurred = await read("blurred");
    expect(blurred.text).toContain("The screenshot of the look-alike is blurred, as screenshots.keep says.");
    expect(blurred.panel).toContain("Look-alike (blurred)");
  });
});

describe("a check", () => {
  test("starts at once and shows when it has finished", async () => {
    const id = sight("example-banc.com");
    await knowAbout(app.app, id, phishingFacts, Date.now() - 60_000);
    const asked = await visitor.submit(`${pathOf(id)}/look`);
    expect(asked.html).toContain(`data-refresh="${pathOf(id)}/look"`);
    expect(asked.text).toContain("Checking…");
    expect((await visitor.get(`${pathOf(id)}/look`)).text).toContain("Checking…");
    await knowAbout(app.app, id, phishingFacts, Date.now());
    const done = await visitor.get(`${pathOf(id)}/look`);
    expect(done.text).toContain("Check finished. Show the results");
    expect(done.html).not.toContain("data-refresh");
  });

  test("is not offered, and rejected with the reason, while lookups are off", async () => {
    const other = openConsoleApp({
      config: '[[protected_domains]]\ndomain = "example-bank.com"\n',
    });
    const match = {
      protectedDomain: "example-bank.com",
      type: "typosquatting" as const,
      similarity: 0.9,
      reasons: [],
    };
    const sighting = { domain: "examp1e-bank.com", match, source: "feed" as const, seenAt: 0 };
    const id = other.app.threats.record([sighting])[0]!.threatId;
    const guest = await other.signedIn();
    const { html, text } = await guest.get(pathOf(id));
    expect(text).toContain(
      "registration data and screenshots are not looked up, because lookups.enabled is false",
    );
    expect(text).toContain("DNS Not looked up: lookups.enabled is false in the configuration.");
    expect(text).toContain("Registration Not looked up: lookups.enabled is false in the configuration.");
    expect(html).not.toContain(`action="${pathOf(id)}/look"`);
    expect(text).not.toMatch(/check now|wait for the first check/i);
    expect(html).not.toContain("<img");
    const response = await guest.submit(`${pathOf(id)}/look`);
    expect(response.text).toContain(
      "Nothing was looked up, because lookups.enabled is false in the configuration file.",
    );
    await other.dispose();
  });
});

test("events are shown with their deliveries, which link to the delivery log", async () => {
  const receiver = startReceiver();
  const { deliveries, webhooks, threats } = app.app;
  const id = sight("example-bamk.com");
  webhooks.endpoints.add({ name: "soc <b>", url: receiver.url }, { by: tester });
  threats.changeStatus([id], "resolved", { by: tester });
  deliveries.dispatcher.start();
  await until(() => deliveries.log.list({ threat: id, status: "succeeded" }, 9).length === 3, "deliveries");
  const { text, html } = await visitor.get(pathOf(id));
  expect(text).toMatch(/threat\.resolved now soc <b> (delivered|Delivered)/);
  const [delivery] = deliveries.log.list({ threat: id }, 1);
  expect(html).toContain(`href="/console/settings/webhooks/deliveries/${delivery!.id}"`);
  await deliveries.dispatcher.stop();
  await receiver.stop();
});
