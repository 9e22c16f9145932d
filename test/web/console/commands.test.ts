import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { commandFolder, type CommandFolder } from "../../support/command-line.ts";
import { consolePages, sampleConfig, seedSamples, type Samples } from "../../support/console-pages.ts";
import { logEntry, namesTile } from "../../support/log-entries.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";

let opened: ConsoleApp;
let visitor: Visitor;
let samples: Samples;
let folder: CommandFolder;
beforeAll(async () => {
  folder = commandFolder();
  opened = openConsoleApp({ config: sampleConfig });
  samples = await seedSamples(opened.app);
  visitor = await opened.signedIn();
});
afterAll(async () => {
  folder.dispose();
  await opened.dispose();
});

const decoded = (html: string) =>
  html.replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");

async function createdKeyPage(scopes: string[]) {
  const created = await visitor.post("/console/settings/keys/create", {
    name: "example",
    plan: "pro",
    scopes,
  });
  return visitor.get(created.location!);
}

describe("the command shown with a new key", () => {
  test.each([
    [["threats:read"]],
    [["threats:write"]],
    [["candidates:write"]],
    [["threats:write", "candidates:write"]],
    [["threats:read", "threats:write", "candidates:write"]],
  ])("succeeds when it is run in a shell, with the scopes %j", async (scopes) => {
    const { html } = await createdKeyPage(scopes);
    const command = decoded(/data-copy="(curl [^"]+)"/.exec(html)![1]!);
    const shell = Bun.spawn(["sh", "-c", `${command} --silent --write-out '\n%{http_code}'`], {
      env: { PATH: process.env["PATH"] },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, code] = await Promise.all([new Response(shell.stdout).text(), shell.exited]);
    const [body, status] = out.split("\n");
    expect([code, status]).toEqual([0, "200"]);
    expect(JSON.parse(body!)).toHaveProperty("data");
  });
});

test("every phishwatch command that a page shows runs", async () => {
  const shown = new Set<string>();
  for (const { path, signedOut } of consolePages) {
    const { html } = await (signedOut ? opened.visitor() : visitor).get(path(samples));
    for (const [, text] of html.matchAll(/<code>(phishwatch [^<]+)<\/code>/g)) shown.add(decoded(text!));
  }
  expect([...shown].sort()).toEqual([
    "phishwatch certificate-logs read PATH",
    "phishwatch permutations example-shop.com",
    "phishwatch restore FILE",
  ]);

  const tile = folder.file("names", namesTile([logEntry(0, { names: ["examp1e-shop.com"] })]));
  const read = await folder.run(["certificate-logs", "read", tile]);
  expect([read.code, read.out]).toEqual([0, "examp1e-shop.com\n"]);

  const permutations = await folder.run(["permutations", "example-shop.com"]);
  expect([permutations.code, permutations.out]).toEqual([0, expect.stringContaining("examp1e-shop.com")]);

  const backup = await fetch(`${opened.url}/console/settings/system/backup`, {
    method: "POST",
    headers: { cookie: [...visitor.cookies].map((pair) => pair.join("=")).join("; "), origin: opened.url },
    body: new URLSearchParams({ form_token: await visitor.formToken() }),
  });
  const file = folder.file("backup.db", await backup.bytes());
  const restored = await folder.run(["restore", file]);
  expect([restored.code, restored.err]).toEqual([0, expect.stringContaining("restored")]);
}, 60_000);
