import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { importBytesMax } from "../../../src/intake/sources/imports/imports.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { hostileText } from "../../support/console-pages.ts";
import { until } from "../../support/until.ts";

let folder: ReturnType<typeof temporaryFolder>;
let app: ConsoleApp;
let visitor: Visitor;
beforeAll(async () => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, "nrd"));
  app = openConsoleApp({
    config: `[[protected_domains]]
domain = "example-bank.com"
[[feeds]]
name = "nrd"
path = "${join(folder.path, "nrd")}"
[[feeds]]
name = "gone"
path = "${join(folder.path, "gone")}"`,
  });
  visitor = await app.signedIn();
});
afterAll(async () => {
  await app.dispose();
  folder.dispose();
});

const cookie = () => [...visitor.cookies].map((pair) => pair.join("=")).join("; ");

/** Sends a form as a browser without script does, and returns the location that it redirects to. */
async function upload(
  file: File | undefined,
  {
    fields = {},
    headers = {},
    token,
  }: { fields?: Record<string, string>; headers?: Record<string, string>; token?: string } = {},
) {
  const form = new FormData();
  form.set("form_token", token ?? (await visitor.formToken()));
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("file", file ?? new File([], ""));
  const response = await fetch(`${app.url}/console/imports`, {
    method: "POST",
    body: form,
    headers: { origin: app.url, cookie: cookie(), ...headers },
    redirect: "manual",
  });
  return { status: response.status, location: response.headers.get("location"), text: await response.text() };
}

const latest = () => app.app.imports.list(1)[0]!;
const feedActions = () =>
  app.app.auditLog
    .list({}, { limit: 20, offset: 0 })
    .flatMap(({ action, subject }) => (action.startsWith("feed.") ? [[action, subject]] : []));
const errorShown = async () => (await visitor.get("/console/sources")).text;

test("a file can be imported without scripts, and the next page shows its results", async () => {
  const content = gzipSync("rank,host\n1,example-bank.net\n2,not a name\n3,other.org\n");
  const { status, location } = await upload(new File([content], "nrd.csv.gz"), {
    fields: { format: "csv", column: "host" },
  });
  expect([status, location]).toEqual([303, `/console/imports/${latest().seq}`]);
  const shown = await visitor.get(location!);
  expect(shown.text).toContain("Import of nrd.csv.gz");
  expect(shown.text).toMatch(
    /Finished Read 3 names in \d+ B, .* Matched 1 name New threats 1 Rejected 1 line without a valid name/,
  );
  expect(shown.text).toContain("3 not a name It contains a space; enter one name per line.");
  expect(feedActions()[0]).toEqual(["feed.import", "nrd.csv.gz"]);
  expect((await visitor.get("/console/sources")).text).toContain(
    "nrd.csv.gz now Finished console 3 names 1 rejected 1 match 1 new threat",
  );
});

test("The result of an import links to exactly the threats that it created", async () => {
  const names = (prefix: string) => [1, 2, 3].map((n) => `${prefix}-${n}-example-bank.com\n`).join("");
  const { location } = await upload(new File([names("first"), "example-bank.net\n"], "first.txt"));
  const first = latest();
  // One of these is known, so it belongs to the first import.
  await upload(new File([names("second"), "first-1-example-bank.com\n"], "second.txt"));
  const second = latest();
  expect([first.created, second.created]).toEqual([3, 3]);
  const panel = await visitor.get(location!);
  const path = `/console/threats?status=all&import=${first.seq}`;
  for (const { html } of [panel, await visitor.get("/console/sources")])
    expect(html).toContain(`<a href="${path.replace("&", "&amp;")}">`);
  expect(panel.html).not.toContain(`href="/console/imports/${first.seq}"`);
  const list = await visitor.get(path);
  expect(list.text).toContain("New from one import");
  expect(list.text).toContain("1–3 of 3");
  for (const n of [1, 2, 3]) expect(list.text).toContain(`first-${n}- example-bank.com`);
  for (const other of ["second-", "example-bank.net"]) expect(list.text).not.toContain(other);
  // Filters narrow the view, and a link leaves it.
  expect(list.html).toContain(`<input type="hidden" name="import" value="${first.seq}"`);
  expect((await visitor.get(`${path}&severity=low`)).text).not.toContain("first-1-");
  expect((await visitor.get("/console/threats?status=all")).text).toContain("second-1-");
  expect((await visitor.get("/console/threats?import=x")).status).toBe(400);
});

test("Names that a person types are recorded as submissions, names in a file as from a feed", async () => {
  const sourceOf = (domain: string) =>
    app.app.threats.list({}, { page: 1, perPage: 100 }).threats.find((threat) => threat.domain === domain)
      ?.source;
  await visitor.submit("/console/imports/names", { names: "typed-example-bank.com" });
  await upload(new File(["in-file-example-bank.com\n"], "names.txt"));
  expect(sourceOf("typed-example-bank.com")).toBe("submission");
  expect(sourceOf("in-file-example-bank.com")).toBe("feed");
});

test("Pasted links, addresses and defanged names are checked, and each rejected line is explained", async () => {
  const lines = [
    "https://pasted1-example-bank.com/login?x=1#top",
    "pasted2-example-bank[.]com",
    "hxxps[:]//pasted3-example-bank[.]com:8443/",
    "Support <login@pasted4-example-bank.com>",
    "http://192.0.2.7/example-bank",
    "two names.com",
  ];
  const shown = await visitor.submit("/console/imports/names", { names: lines.join("\r\n") });
  expect(shown.text).toContain("From admin (console), 127.0.0.1");
  expect(shown.text).toMatch(/Read 6 names .* Matched 4 names New threats 4 Rejected 2 lines/);
  // In an uploaded list, it would be no error. A person who enters it wants to know why it was not checked.
  expect(shown.text).toContain(
    "5 http://192.0.2.7/example-bank It has a host that is an IP address, not a host name.",
  );
  expect(shown.text).toContain("6 two names.com It contains a space; enter one name per line.");
  const found = app.app.threats.list({}, { page: 1, perPage: 100 }).threats.map(({ domain }) => domain);
  for (const n of [1, 2, 3, 4]) expect(found).toContain(`pasted${n}-example-bank.com`);
  // Each line is shown with how it was read, and leads to its threat.
  expect(shown.text).toMatch(
    /How it was read .* 3 hxxps\[:\]\/\/pasted3-example-bank\[\.\]com:8443\/ Link pasted3-example-bank\.com Look-alike/,
  );
  expect(shown.text).toContain("5 http://192.0.2.7/example-bank Link to an IP address none Not checked");
  const link = /href="(\/console\/threats\?[^"]*q=pasted1[^"]*)"/
    .exec(shown.html)![1]!
    .replaceAll("&amp;", "&");
  expect((await visitor.get(link)).text).toContain("1–1 of 1");
});

test("A pasted email becomes threats of its links and senders, and an .eml file as well, as submissions", async () => {
  const email = (n: number) =>
    `Received: by mx.example-bank.com\r\nFrom: "${hostileText}" <x@sender${n}-example-bank.com>\r\nTo: abuse@example-bank.com\r\n` +
    `Subject: x\r\nContent-Type: text/html\r\n\r\n<a href='https://link${n}-example-bank.com/a'>x</a> <a href='https://other.org/"><script>'>`;
  const shown = await visitor.submit("/console/imports/names", { names: email(1) });
  expect(shown.text).toMatch(/Read 3 names .* Matched 2 names New threats 2 Rejected 0 lines/s);
  expect(shown.text).toContain("Link in the email link1-example-bank.com Look-alike");
  expect(shown.text).toContain("Sender of the email sender1-example-bank.com Look-alike");
  const { location } = await upload(new File([email(2)], "Re: x.eml"));
  expect((await visitor.get(location!)).text).toContain("Source of its threats submission");
  const { threats } = app.app.threats.list({}, { page: 1, perPage: 100 });
  const found = threats.filter(({ domain }) => /^(link|sender)\d-/.test(domain));
  expect(found.map(({ source }) => source)).toEqual(Array.from({ length: 4 }, () => "submission"));
  const link = found.find(({ domain }) => domain === "link1-example-bank.com")!;
  expect(app.app.threats.origins(link.id).urls.map(({ url }) => url)).toEqual([
    "https://link1-example-bank.com/a",
  ]);
});

test("typed names are checked like an imported file", async () => {
  const shown = await visitor.submit("/console/imports/names", {
    names: "login-example-bank.com\r\nother.org\r\n",
  });
  expect(shown.text).toContain("Import of typed names");
  expect(shown.text).toMatch(/Read 2 names .* New threats 1/);
  const none = await visitor.submit("/console/imports/names", { names: " \r\n" });
  expect(none.text).toContain("Enter at least one name.");
});

test.each([
  ["no file", undefined, {}, "Choose a file first."],
  [
    "an unknown format",
    new File(["a.com"], "a"),
    { format: "pdf" },
    "The format must be one of auto, lines, jsonl, json, misp, csv, hosts, adblock, zone, rpz, email.",
  ],
] as const)("an invalid upload is rejected with the reason: %s", async (_, file, fields, message) => {
  expect((await upload(file, { fields })).location).toBe("/console/sources");
  expect(await errorShown()).toContain(message);
  const scripted = await upload(file, { fields, headers: { "x-fragment": "1" } });
  expect(scripted).toMatchObject({ status: 400, text: message });
});

test("an upload without the CSRF token, which no address contains, from another site or without a session is not read", async () => {
  const { seq } = latest();
  const file = () => new File(["example-bank.org\n"], "a.txt");
  const page = await visitor.get("/console/sources");
  expect(page.html).toContain('action="/console/imports"');
  expect(page.html).not.toMatch(/[?&;]form_token=/);
  expect((await upload(file(), { token: "other" })).location).toBe("/console/sources");
  expect(await errorShown()).toContain("This form expired.");
  const scripted = await upload(file(), { token: "other", headers: { "x-fragment": "1" } });
  expect(scripted).toMatchObject({ status: 400, text: expect.stringContaining("This form expired.") });
  expect((await upload(file(), { headers: { origin: "https://evil.example" } })).status).toBe(403);
  expect((await upload(file(), { headers: { cookie: "" } })).status).toBe(401);
  expect(latest().seq).toBe(seq);
});

/** Starts an upload over a plain socket, which the test continues piece by piece. */
async function slowUpload() {
  const token = await visitor.formToken();
  const { hostname, port } = new URL(app.url);
  let received = "";
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: { data: (_, bytes) => void (received += bytes.toString()) },
  });
  socket.write(
    `POST /console/imports HTTP/1.1\r\nHost: ${hostname}:${port}\r\nOrigin: ${app.url}\r\n` +
      `Cookie: ${cookie()}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000000\r\n\r\n` +
      `--b\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n${token}\r\n` +
      `--b\r\nContent-Disposition: form-data; name="file"; filename="slow.txt"\r\n\r\n`,
  );
  return {
    send: (text: string) => void socket.write(text),
    leave: () => socket.terminate(),
    received: () => received,
  };
}
const manyNames = Array.from({ length: 3_000 }, (_, i) => `unrelated-${i}.org\n`).join("");

test("a running import shows its progress, blocks a second one, and keeps its results when it is cancelled", async () => {
  const sender = await slowUpload();
  sender.send(`example-bank-cancelled.com\n${manyNames}`);
  await until(() => (app.app.imports.running()?.received ?? 0) > 2_000, "the list is being read");
  const { seq } = app.app.imports.running()!;
  const running = await visitor.get("/console/imports/running", { "x-fragment": "1" });
  expect(running.text).toMatch(/slow\.txt Checking, \d+% Read [\d,]+ names in [\d.]+ KiB of 4\.8 MiB/);
  expect(running.html).toContain(`data-refresh="/console/imports/${seq}/panel"`);
  expect((await upload(new File(["a.com"], "second.txt"))).location).toBe("/console/sources");
  expect(await errorShown()).toContain(
    "Another list is being imported. Wait until it is done, or cancel it.",
  );

  const cancelled = await visitor.submit(`/console/imports/${seq}/cancel`);
  expect(cancelled.text).toContain("Its results so far are kept");
  await until(() => app.app.imports.running() === undefined, "the import has finished");
  const shown = await visitor.get(`/console/imports/${seq}`);
  expect(shown.text).toMatch(/Cancelled .* New threats 1 .* Results up to line 3,000 are recorded/);
  expect((await visitor.get("/console/imports/running", { "x-fragment": "1" })).status).toBe(204);
  expect(feedActions().slice(0, 2)).toEqual([
    ["feed.cancel_import", "slow.txt"],
    ["feed.import", "slow.txt"],
  ]);
  sender.leave();
});

test("an interrupted upload keeps its results, reports the interruption, and does not block the next import", async () => {
  const sender = await slowUpload();
  sender.send(`example-bank-broken.com\n${manyNames}`);
  await until(() => (app.app.imports.running()?.received ?? 0) > 2_000, "the list is being read");
  const { seq } = app.app.imports.running()!;
  sender.leave();
  await until(() => app.app.imports.running() === undefined, "the import has finished");
  const shown = await visitor.get(`/console/imports/${seq}`);
  expect(shown.text).toMatch(
    /Failed .* New threats 1 .* The list was cut off: the upload ended early\. Results up to line/,
  );
  expect((await upload(new File(["a.com\n"], "next.txt"))).location).toBe(`/console/imports/${seq + 1}`);
});

test("an upload whose Content-Length is over the limit is rejected before its body is sent", async () => {
  const token = await visitor.formToken();
  const { hostname, port } = new URL(app.url);
  let received = "";
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: { data: (_, bytes) => void (received += bytes.toString()) },
  });
  socket.write(
    `POST /console/imports HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Fragment: 1\r\nOrigin: ${app.url}\r\n` +
      `Cookie: ${cookie()}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${importBytesMax + 100_000}\r\n\r\n` +
      `--b\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n${token}\r\n` +
      `--b\r\nContent-Disposition: form-data; name="file"; filename="big.txt"\r\n\r\na.com\n`,
  );
  await until(() => received.includes("larger than 1 GiB"), "the upload is rejected");
  expect(received).toStartWith("HTTP/1.1 400 ");
  socket.terminate();
});

test("hostile file names and lines are rendered as text", async () => {
  const { location } = await upload(new File([`${hostileText}\n`], hostileText));
  for (const path of [location!, "/console/sources"]) {
    const { html, text } = await visitor.get(path);
    expect(html).not.toMatch(/<script>alert|<img src=x/);
    expect(text).toContain('"><script>alert(1)</script>');
    expect(text).toContain("\\u{202e}gnp.exe");
  }
});

test("a feed shows its files and counts and can be read again, and a missing folder is reported", async () => {
  writeFileSync(join(folder.path, "nrd", "2026-01-14.txt"), "example-bank.de\nother.org\n");
  for (const feed of app.app.feeds.sources) feed.start();
  const feed = () => app.app.feeds.status()[0]!;
  await until(() => (feed().files[0]?.completedAt ?? null) !== null, "the file is read");
  await until(() => feed().state === "watching", "the feed is idle");
  const all = await visitor.get("/console/sources");
  expect(all.text).toMatch(/Feed nrd .*nrd Healthy now 2 names 1 match 1 new threat Pause/);
  expect(all.text).toContain("1 of 2 healthy · declared as [[feeds]]");
  expect(all.text).toMatch(/Feed gone Not readable: the path does not exist\. Check its settings/);
  expect(all.text).toMatch(/Feed gone .*gone Unavailable never/);
  const one = await visitor.get("/console/sources/feed/nrd");
  expect(one.text).toMatch(
    /Feed nrd Healthy .* Latest 2026-01-14\.txt .* Read 1 file, 2 lines, 0 rejected Found 1 matched, 1 new threat/,
  );
  expect(one.text).toContain("configuration file");
  expect(one.text).toMatch(/2026-01-14\.txt Read .* 26 B 2 0 rejected 1 match 1 new threat Read again/);
  const before = feed().files[0]!.startedAt;
  const file = Buffer.from(feed().files[0]!.path).toString("base64url");
  const again = await visitor.submit("/console/sources/feed/nrd/read-again", { file });
  expect(again.text).toContain("The file is being read again");
  await until(() => (feed().files[0]?.startedAt ?? before) > before, "the file is read again");
  expect(feedActions()[0]).toEqual(["feed.read_again", "nrd"]);
  expect((await visitor.get("/console/sources/feed/none")).status).toBe(404);
  const other = Buffer.from("/etc/passwd").toString("base64url");
  expect((await visitor.post("/console/sources/feed/nrd/read-again", { file: other })).status).toBe(404);
}, 60_000);

test("The page of a feed names the links that leave its folder, and contains no raw control character of a file's name", async () => {
  const nrd = join(folder.path, "nrd");
  symlinkSync("/etc/passwd", join(nrd, "link.txt"));
  writeFileSync(join(nrd, "gnp\u001b\u202e.txt"), "other.org\n");
  for (const feed of app.app.feeds.sources) feed.start();
  const feed = () => app.app.feeds.status()[0]!;
  await until(() => feed().files.some(({ path }) => path.includes("gnp")), "the file is read");
  const { html, text } = await visitor.get("/console/sources/feed/nrd");
  expect(text).toContain("link.txt It is a link that leaves the folder.");
  expect(feed().files.some(({ path }) => path.endsWith("link.txt"))).toBe(false);
  for (const hidden of ["\u001b", "\u202e"]) expect(html).not.toContain(hidden);
  expect((await visitor.get("/console/sources")).text).toContain(
    "link.txt is a link that leaves the folder; it is not read",
  );
}, 60_000);
