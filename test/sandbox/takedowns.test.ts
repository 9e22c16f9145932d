import { afterAll, beforeAll, expect, test } from "bun:test";
import { createVisitor } from "../support/visitor.ts";
import { openSandbox } from "../support/sandbox.ts";

let sandbox: Awaited<ReturnType<typeof openSandbox>>;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.stop());

/** Returns the fields of the form on a page. */
function fieldsOf(html: string) {
  const form = /<form method="post" action="\/console\/takedowns\/new"[\s\S]*?<\/form>/.exec(html)![0];
  const inputs = [...form.matchAll(/<input[^>]* name="([^"]*)"[^>]*>/g)].map(
    ([tag, name]) => [name!, unescaped(/ value="([^"]*)"/.exec(tag!)?.[1] ?? "")] as const,
  );
  const [, body = ""] = /<textarea[^>]*>([\s\S]*?)<\/textarea>/.exec(form) ?? [];
  const { form_token: _token, ...fields } = Object.fromEntries(inputs);
  const { reference = "" } = fields;
  return { ...fields, reference, body: unescaped(body) };
}

const unescaped = (text: string) =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

test("a takedown goes from the report through its follow-up to down, with the correct figures", async () => {
  const { control, ready } = sandbox;
  const visitor = createVisitor(ready.url);
  const signIn = () =>
    visitor.submit("/console/sign-in", { name: "admin", password: ready.console_password });
  /** Advances the clock, and signs in again: sessions end meanwhile. */
  const advance = async (duration: string) => {
    await sandbox.advance(duration);
    visitor.cookies.clear();
    await signIn();
  };
  await signIn();
  const [threat] = (await control("POST", "/threats", {})).data as { id: string; domain: string }[];
  const { id } = threat!;
  const setSite = (state: string) => control("POST", "/sites", { threat: id, state });
  const mails = async () =>
    (await control("GET", "/inbox/mail")).data as { body: string; headers: Record<string, string> }[];
  const write = async (query: string, to: string) => {
    const { html } = await visitor.get(`/console/takedowns/new?${query}&method=email`);
    const attach = [...html.matchAll(/name="attach" value="([^"]*)" checked/g)].map(([, name]) => name!);
    expect(attach).toEqual(["evidence.json", "screenshot-1.jpg"]);
    const fields = { ...fieldsOf(html), email: to, attach };
    const sent = await visitor.post("/console/takedowns/new", fields);
    // A double click sends one email.
    const again = await visitor.post("/console/takedowns/new", fields);
    expect([sent.status, again.location]).toEqual([303, sent.location]);
    await advance("1s");
    return { path: sent.location!, seq: sent.location!.split("/").at(-1)!, fields };
  };

  await setSite("up");
  const prepared = await visitor.get(`/console/takedowns/new?threat=${id}&method=email`);
  expect(prepared.text).toContain("Attach evidence.json");
  const facts = await visitor.get(`/console/takedowns/files/evidence.json?threat=${id}`);
  expect(JSON.parse(facts.html)).toMatchObject({ threats: [{ id }] });
  // Without an attachment that the text names, the corrected text is shown before anything is sent.
  const without = { ...fieldsOf(prepared.html), email: "abuse@registrar.example", attach: "evidence.json" };
  const corrected = await visitor.post("/console/takedowns/new", without);
  expect([corrected.status, corrected.text]).toEqual([
    400,
    expect.stringContaining("did not list the attachments that you chose"),
  ]);
  expect(fieldsOf(corrected.html).body).toContain("  - attached: evidence.json\n");
  // A form that was submitted by hand never sends an email.
  const form = await visitor.post("/console/takedowns/new", { ...without, method: "form" });
  expect([form.status, form.text]).toEqual([400, expect.stringContaining("can no longer be reached")]);
  expect(await mails()).toEqual([]);
  const first = await write(`threat=${id}`, "abuse@registrar.example");
  const [report, ...others] = await mails();
  expect(others).toEqual([]);
  expect(report!.headers).toEqual({
    "mail-from": "abuse-reports@example-bank.com",
    "rcpt-to": "abuse@registrar.example",
  });
  expect(report!.body).toContain(`Message-ID: <${first.fields.reference.toLowerCase()}@example-bank.com>`);
  for (const name of ["evidence.json", "screenshot-1.jpg"])
    expect(report!.body).toContain(`filename=${name}`);
  expect(report!.body).not.toContain("filename=evidence.zip");
  expect(report!.body).not.toContain("Auto-Submitted");

  await advance("1d");
  expect((await visitor.get("/console/takedowns")).text).toContain("Nothing needs attention");
  await advance("1d");
  const due = await visitor.get("/console/takedowns");
  expect(due.text).toContain("Follow up");
  const second = await write(
    `previous=${first.seq}&purpose=follow_up&threat=${id}`,
    "abuse@registrar.example",
  );
  const followUp = (await mails()).at(-1)!;
  expect(followUp.body).toContain(`In-Reply-To: <${first.fields.reference.toLowerCase()}@example-bank.com>`);
  expect(followUp.body).toContain("Subject: Follow-up: ");
  expect(followUp.body.replaceAll("=\r\n", "")).toContain("still up after 2 days");

  await advance("1d");
  expect((await setSite("blocked")).data.site_state).toBe("blocked");
  const down = await visitor.get(second.path);
  expect(down.text).toContain("Down after 3 days");
  expect((await visitor.get("/console/takedowns")).text).toContain("Nothing needs attention");
  const { text } = await visitor.get("/console/takedowns/statistics");
  expect(text).toContain("Sites reported 1");
  expect(text).toContain("Went down 1");
  expect(text).toContain("Open 0");
  expect(text).toContain("Median time to down 3 days");
  expect((await mails()).length).toBe(2);

  await advance("1d");
  expect((await setSite("up")).data.site_state).toBe("back");
  expect((await visitor.get("/console/takedowns")).text).toContain("Came back after a takedown");
});

test("a resolved threat becomes active again when its site is back, and no false positive does", async () => {
  const { api, control, inbox } = sandbox;
  await control("POST", "/webhooks", { inbox: "back", events: ["threat.updated"] });
  for (const status of ["resolved", "false_positive"]) {
    const [threat] = (await control("POST", "/threats", {})).data as { id: string }[];
    const { id } = threat!;
    const setSite = (state: string) => control("POST", "/sites", { threat: id, state });
    await setSite("up");
    await setSite("down");
    await api("PATCH", `/v1/threats/${id}`, { status });
    expect((await setSite("up")).data.site_state).toBe("back");
    const { json } = await api("GET", `/v1/threats/${id}`);
    expect([status, json.data.status]).toEqual([status, status === "resolved" ? "active" : status]);
  }
  const { data } = await inbox("back", "?wait=10s&count=3");
  const changes = data.map(({ event }) => [
    event.data["previous_status"],
    (event.data["threat"] as { status: string }).status,
  ]);
  expect(changes).toEqual([
    ["active", "resolved"],
    ["resolved", "active"],
    ["active", "false_positive"],
  ]);
});
