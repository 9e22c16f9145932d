import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { unzipSync, strFromU8 } from "fflate";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../support/console.ts";
import { hostileText } from "../support/console-pages.ts";

let app: ConsoleApp;
let visitor: Visitor;
beforeEach(async () => {
  app = openConsoleApp({
    config: `[traps]\npublic_url = "https://traps.test"\n[[protected_domains]]\ndomain = "example-bank.com"\n`,
  });
  visitor = await app.signedIn();
});
afterEach(() => app.dispose());

const acts = () => app.app.auditLog.list({}, { limit: 100, offset: 0 }).map(({ action }) => action);
const idAt = (path: string) => app.app.traps[path.startsWith("/b") ? "beacons" : "tokens"].list()[0]!.id;
/** What visitors left is written. */
const written = async (id: string) => {
  while (app.app.traps.hits.rows(id) === 0) await Bun.sleep(5);
};

test.each(["beacons", "tokens"] as const)(
  "a page of %s lists fifty of them and leads on to the rest",
  async (kind) => {
    const by = { channel: "system", name: null, address: null } as const;
    const { beacons, tokens } = app.app.traps;
    for (let number = 0; number < 60; number += 1) {
      const name = `trap ${number}.`;
      if (kind === "beacons") beacons.create({ protectedDomain: "example-bank.com", name }, by);
      else tokens.create({ kind: "url", name }, by);
    }
    const [first, second] = [
      await visitor.get(`/console/${kind}`),
      await visitor.get(`/console/${kind}?page=2`),
    ];
    expect([first.text.includes("trap 49."), first.text.includes("trap 50.")]).toEqual([true, false]);
    expect([second.text.includes("trap 49."), second.text.includes("trap 59.")]).toEqual([false, true]);
    expect(first.html).toContain("page=2");
  },
);

describe("beacons", () => {
  test("are made with what to put into the page, disabled and removed; the audit log has it all", async () => {
    const made = await visitor.submit("/console/beacons/new", {
      domain: "example-bank.com",
      name: "sign-in",
      allow: "partner.example\nother.example",
      memo: "",
    });
    expect(made.text).toContain("Put the script below into the page");
    const beacon = app.app.traps.beacons.get("sign-in");
    const { script, style } = app.app.traps.beacons.snippets(beacon, "https://traps.test");
    expect(made.text).toContain(script);
    expect(made.text).toContain(style);
    expect(made.html).not.toContain(script);
    expect(beacon.own).toEqual(["example-bank.com", "partner.example", "other.example"]);
    const path = `/console/beacons/${beacon.id}`;
    expect((await visitor.submit(`${path}/state`, { enabled: "no" })).text).toContain(
      "reports nothing any more",
    );
    expect((await visitor.get(`${path}/remove`)).text).toContain("Remove sign-in?");
    expect((await visitor.submit(`${path}/remove`)).text).toContain("sign-in is removed");
    expect((await visitor.get(path)).status).toBe(404);
    expect(acts().slice(0, 3)).toEqual(["beacon.remove", "beacon.disable", "beacon.create"]);
  });

  test("that cannot be made are refused with the reason, and what was filled in stays", async () => {
    const refused = await visitor.post("/console/beacons/new", {
      domain: "example-bank.com",
      allow: "partner.example no.host!",
      memo: hostileText,
    });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('"no.host!" is not a host name');
    expect(refused.html).toContain("partner.example no.host!");
    expect(refused.html).not.toContain("<script>alert");
  });

  test("show who showed the page, as text whatever it is", async () => {
    await visitor.post("/console/beacons/new", { domain: "example-bank.com" });
    const { id, address } = app.app.traps.beacons.list()[0]!;
    const page = `https://evil.top/<script>alert(1)</script>\u202E`;
    await fetch(`${app.url}/b/${address}?${new URLSearchParams({ u: page, r: hostileText })}`, {
      headers: { "user-agent": `<script>alert(2)</script>` },
    });
    await written(id);
    const list = await visitor.get(`/console/beacons/${id}`);
    expect(list.text).toContain("https://evil.top/<script>alert(1)</script>\\u{202e}");
    expect(list.html).toContain("<svg");
    expect(list.html).not.toContain("<script>alert");
    const [, visit] = /href="([^"]+\/visits\/\d+)"/.exec(list.html)!;
    const one = await visitor.get(visit!);
    expect(one.text).toContain("<script>alert(2)</script>");
    const [, threat] = /href="(\/console\/threats\/thr_\w+)"/.exec(one.html)!;
    expect((await visitor.get(threat!)).text).toContain("Shown to visitors");
    expect((await visitor.get(`/console/beacons/${id}/visits/999`)).status).toBe(404);
  });
});

describe("honeytokens", () => {
  test("are made, rotated and removed", async () => {
    const made = await visitor.submit("/console/tokens/new", {
      kind: "url",
      name: "wiki",
      memo: "in the wiki",
      answer: "redirect",
      redirect: "https://example-bank.com/",
      expires: "2999-01-01",
    });
    const { id, address } = app.app.traps.tokens.get("wiki");
    expect(made.text).toContain(`https://traps.test/t/${address}`);
    expect(made.text).toContain("a redirect to https://example-bank.com/");
    const path = `/console/tokens/${id}`;
    const rotated = await visitor.submit(`${path}/rotate`, { watch_old: "yes" });
    expect(rotated.text).toContain("1 earlier address");
    expect(app.app.traps.tokens.get("wiki").oldAddresses).toEqual([address]);
    await visitor.submit(`${path}/rotate`, { watch_old: "no" });
    expect(app.app.traps.tokens.get("wiki").oldAddresses).toEqual([]);
    expect((await visitor.submit(`${path}/remove`)).text).toContain("wiki is removed");
    expect(acts().slice(0, 4)).toEqual(["token.remove", "token.rotate", "token.rotate", "token.create"]);
    const refused = await visitor.post("/console/tokens/new", {
      kind: "url",
      answer: "redirect",
      redirect: "x",
    });
    expect([refused.status, refused.text.includes("to redirect to")]).toEqual([400, true]);
  });

  test("of kind document are downloaded with the address inside", async () => {
    await visitor.post("/console/tokens/new", { kind: "document", name: "salaries" });
    const path = `/console/tokens/${idAt("/t")}`;
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    const get = (query: string) => fetch(`${app.url}${path}/document?${query}`, { headers: { cookie } });
    const { address } = app.app.traps.tokens.get("salaries");
    const pdf = await get("format=pdf&title=Salaries%202026&text=x");
    expect(pdf.headers.get("content-disposition")).toBe('attachment; filename="Salaries_2026.pdf"');
    expect(Buffer.from(await pdf.bytes()).toString("latin1")).toContain(`https://traps.test/t/${address}`);
    const docx = unzipSync(await (await get("format=docx")).bytes());
    expect(strFromU8(docx["word/_rels/document.xml.rels"]!)).toContain(`https://traps.test/t/${address}`);
    expect((await get("format=exe")).status).toBe(400);
  });
});
