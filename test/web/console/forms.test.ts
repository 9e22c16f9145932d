import { afterEach, beforeEach, expect, test } from "bun:test";
import { openConsoleApp, type ConsoleApp } from "../../support/console.ts";
import { post, postAtOnce } from "../../support/post-body.ts";

let app: ConsoleApp;
beforeEach(() => {
  app = openConsoleApp();
});
afterEach(() => app.dispose());

const port = () => Number(new URL(app.url).port);
const form = { "content-type": "application/x-www-form-urlencoded" };

test("a sign-in form of more than 4 KiB is rejected before it arrives, so unfinished ones hold no memory", async () => {
  const connections = 1_000;
  await post(port(), { path: "/console/sign-in", headers: form, body: { repeated: "a", times: 10 } });
  const before = process.memoryUsage.rss();
  const responses = await postAtOnce(port(), connections, {
    path: "/console/sign-in",
    headers: { ...form, "content-length": `${256 << 10}` },
    body: { repeated: "a", times: 262_000 },
  });
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: connections }, () => 400));
  expect(responses[0]!.text).toContain("longer than 4096 bytes");
  // The bodies have 262 MB.
  expect(process.memoryUsage.rss() - before).toBeLessThan(130_000_000);
});

test("a sign-in form of unknown length is rejected as soon as it exceeds 4 KiB", async () => {
  const response = await post(port(), {
    path: "/console/sign-in",
    headers: { ...form, "content-length": "", "transfer-encoding": "chunked" },
    body: { before: "1400\r\n", repeated: "a", times: 0x1400, after: "\r\n" },
  });
  expect(response.status).toBe(400);
  expect(response.text).toContain("longer than 4096 bytes");
});

test("a form of a signed-in visitor may have up to 256 KiB", async () => {
  const visitor = await app.signedIn();
  const names = Array.from({ length: 10_000 }, (_, index) => `name-${index}.example`).join("\n");
  expect((await visitor.post("/console/imports/names", { names })).status).toBe(303);
  expect((await visitor.post("/console/imports/names", { names: "a".repeat(256 << 10) })).status).toBe(400);
});
