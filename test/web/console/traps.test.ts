import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { strFromU8, unzipSync } from "fflate";
import { system } from "../../../src/access/audit/actor.ts";
import { beacon } from "../../../src/response/traps/kinds/beacon/beacon.ts";
import { ownHosts } from "../../../src/response/traps/kinds/beacon/details.ts";
import { beaconSnippets } from "../../../src/response/traps/kinds/beacon/snippets.ts";
import { honeytoken } from "../../../src/response/traps/kinds/honeytoken/honeytoken.ts";
import { hostileText } from "../../support/console-pages.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";

let app: ConsoleApp;
let visitor: Visitor;
beforeEach(async () => {
  app = openConsoleApp({
    config: `[traps]\npublic_url = "https://traps.test"\n[[protected_domains]]\ndomain = "example-bank.com"\n`,
  });
  visitor = await app.signedIn();
});
afterEach(() => app.dispose());

const beacons = () => app.app.traps.of(beacon);
const honeytokens = () => app.app.traps.of(honeytoken);
const auditedActions = () => app.app.auditLog.list({}, { limit: 100, offset: 0 }).map(({ action }) => action);

test.each(["beacons", "honeytokens"] as const)(
  "the list of %s shows fifty per page and links to the next page",
  async (section) => {
    for (let number = 0; number < 60; number += 1) {
      const name = `trap ${number}.`;
      if (section === "beacons")
        beacons().create({ protectedDomain: "example-bank.com", name }, { by: system });
      else honeytokens().create({ kind: "url", name }, { by: system });
    }
    const [first, second] = [
      await visitor.get(`/console/${section}`),
      await visitor.get(`/console/${section}?page=2`),
    ];
    expect([first.text.includes("trap 49."), first.text.includes("trap 50.")]).toEqual([true, false]);
    expect([second.text.includes("trap 49."), second.text.includes("trap 59.")]).toEqual([false, true]);
    expect(first.html).toContain("page=2");
  },
);

test("the former address of the honeytokens redirects to the present one", async () => {
  const { id } = honeytokens().create({ kind: "url" }, { by: system });
  expect(await visitor.get("/console/tokens")).toMatchObject({
    status: 303,
    location: "/console/honeytokens",
  });
  expect(await visitor.get(`/console/tokens/${id}`)).toMatchObject({
    status: 303,
    location: `/console/honeytokens/${id}`,
  });
  expect(await visitor.get(`/console/tokens/${id}/visits/7`)).toMatchObject({
    status: 303,
    location: `/console/honeytokens/${id}/visits/7`,
  });
});

describe("the pages of beacons", () => {
  test("create a beacon with its snippets, disable and delete it, and audit each change", async () => {
    const created = await visitor.submit("/console/beacons/new", {
      domain: "example-bank.com",
      name: "sign-in",
      allow: "partner.example\nother.example",
      memo: "",
    });
    expect(created.text).toContain("Put the script below into the page");
    const trap = beacons().get("sign-in");
    const { script, style } = beaconSnippets(`https://traps.test/b/${trap.address}`, ownHosts(trap));
    expect(created.text).toContain(script);
    expect(created.text).toContain(style);
    expect(created.html).not.toContain(script);
    expect(ownHosts(trap)).toEqual(["example-bank.com", "partner.example", "other.example"]);
    const path = `/console/beacons/${trap.id}`;
    expect((await visitor.submit(`${path}/state`, { enabled: "no" })).text).toContain(
      "no longer reports visits",
    );
    expect((await visitor.get(`${path}/delete`)).text).toContain("Delete sign-in?");
    expect((await visitor.submit(`${path}/delete`)).text).toContain("sign-in was deleted");
    expect((await visitor.get(path)).status).toBe(404);
    expect(auditedActions().slice(0, 3)).toEqual(["beacon.remove", "beacon.disable", "beacon.create"]);
  });

  test("reject invalid input with the reason and keep what was entered", async () => {
    const rejected = await visitor.post("/console/beacons/new", {
      domain: "example-bank.com",
      allow: "partner.example no.host!",
      memo: hostileText,
    });
    expect(rejected.status).toBe(400);
    expect(rejected.text).toContain('"no.host!" is not a host name');
    expect(rejected.html).toContain("partner.example no.host!");
    expect(rejected.html).not.toContain("<script>alert");
  });

  test("show hostile visits as plain text", async () => {
    await visitor.post("/console/beacons/new", { domain: "example-bank.com" });
    const { id, address } = beacons().list()[0]!;
    const page = `https://evil.top/<script>alert(1)</script>\u202E`;
    await fetch(`${app.url}/b/${address}?${new URLSearchParams({ u: page, r: hostileText })}`, {
      headers: { "user-agent": `<script>alert(2)</script>` },
    });
    await app.app.traps.flush();
    const list = await visitor.get(`/console/beacons/${id}`);
    expect(list.text).toContain("https://evil.top/<script>alert(1)</script>\\u{202e}");
    // One visit is one dot, not a bar of full height.
    for (const { html } of [list, await visitor.get("/console/beacons")]) {
      expect(html.match(/<circle class="c-high"/g)).toHaveLength(1);
      expect(html).not.toMatch(/<rect class="c-high"/);
    }
    expect(list.html).not.toContain("<script>alert");
    const [, visit] = /href="([^"]+\/visits\/\d+)"/.exec(list.html)!;
    const one = await visitor.get(visit!);
    expect(one.text).toContain("<script>alert(2)</script>");
    const [, threat] = /href="(\/console\/threats\/thr_\w+)"/.exec(one.html)!;
    const threatPage = await visitor.get(threat!);
    expect(threatPage.text).toContain("Shown to visitors");
    expect(threatPage.html).toContain(visit!);
    expect((await visitor.get(`/console/beacons/${id}/visits/999`)).status).toBe(404);
  });
});

describe("the pages of honeytokens", () => {
  test("create, rotate, and delete a honeytoken, and audit each change", async () => {
    const created = await visitor.submit("/console/honeytokens/new", {
      kind: "url",
      name: "wiki",
      memo: "in the wiki",
      response: "redirect",
      redirect: "https://example-bank.com/",
      expires: "2999-01-01",
    });
    const { id, address } = honeytokens().get("wiki");
    expect(created.text).toContain(`https://traps.test/t/${address}`);
    expect(created.text).toContain("a redirect to https://example-bank.com/");
    // It ends at the end of that day, as an API key does.
    expect(created.text).toContain("Expires 2999-01-02 00:00 UTC");
    const path = `/console/honeytokens/${id}`;
    const rotated = await visitor.submit(`${path}/rotate`, { watch_old: "yes" });
    expect(rotated.text).toContain("1 previous address");
    expect(honeytokens().get("wiki").oldAddresses).toEqual([address]);
    await visitor.submit(`${path}/rotate`, { watch_old: "no" });
    expect(honeytokens().get("wiki").oldAddresses).toEqual([]);
    expect((await visitor.submit(`${path}/delete`)).text).toContain("wiki was deleted");
    expect(auditedActions().slice(0, 4)).toEqual([
      "token.remove",
      "token.rotate",
      "token.rotate",
      "token.create",
    ]);
  });

  test("reject an invalid redirect, kind, and day of expiry", async () => {
    const rejected = async (fields: Record<string, string>) => {
      const { status, text } = await visitor.post("/console/honeytokens/new", fields);
      expect(status).toBe(400);
      return text;
    };
    expect(await rejected({ kind: "url", response: "redirect", redirect: "x" })).toContain("to redirect to");
    expect(await rejected({ kind: "dns" })).toContain("must be one of url, pixel, document");
    expect(await rejected({ kind: "url", expires: "soon" })).toContain("a day such as 2027-01-31");
  });

  test("contain the fields of every kind and response in the form, so that it works where styles cannot hide them", async () => {
    const { html } = await visitor.get("/console/honeytokens/new");
    for (const [of, field] of [
      ["link", "response"],
      ["page", "title"],
      ["redirect", "redirect"],
    ])
      expect(html).toMatch(new RegExp(`<div class="only-${of}">(?:(?!<div class="only-).)*name="${field}"`));
  });

  test("ignore the response of a link for other kinds, because the form always contains one", async () => {
    await visitor.submit("/console/honeytokens/new", { kind: "pixel", response: "page", title: "x" });
    expect(honeytokens().get("pixel").details).toEqual({ kind: "pixel", response: { kind: "not_found" } });
  });

  test("download the files of a document with the address inside", async () => {
    await visitor.post("/console/honeytokens/new", { kind: "document", name: "salaries" });
    const { id, address } = honeytokens().get("salaries");
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    const get = (query: string) =>
      fetch(`${app.url}/console/honeytokens/${id}/file?${query}`, { headers: { cookie } });
    const pdf = await get("format=pdf&title=Salaries%202026&text=x");
    expect(pdf.headers.get("content-disposition")).toBe('attachment; filename="Salaries_2026.pdf"');
    expect(Buffer.from(await pdf.bytes()).toString("latin1")).toContain(`https://traps.test/t/${address}`);
    const docx = unzipSync(await (await get("format=docx")).bytes());
    expect(strFromU8(docx["word/_rels/document.xml.rels"]!)).toContain(`https://traps.test/t/${address}`);
    expect((await get("format=exe")).status).toBe(400);
  });
});
