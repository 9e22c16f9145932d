import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openApi, type Api } from "../../support/api.ts";
import { meterEventLoop } from "../../support/event-loop.ts";
import { post, postAtOnce, type RepeatedBody } from "../../support/post-body.ts";

let api: Api;
let key: string;
beforeEach(() => {
  api = openApi();
  key = api.key();
  api.server.listen();
});
afterEach(async () => {
  await api.server.stop();
  api.dispose();
});

const submit = (body: RepeatedBody, type = "application/json") =>
  post(api.server.port!, {
    path: "/v1/candidates",
    headers: { authorization: `Bearer ${key}`, "content-type": type },
    body,
  });

/** The target is 50 ms of wall time; this is CPU time, doubled for slow machines. */
const longestMsMax = 100;
const tenMillionBytes = 10_000_000;

describe("a useless body of 10 MB", () => {
  const json = "application/json";
  const bodies: [string, RepeatedBody, string, number][] = [
    ["objects", { before: '{"domains":[', repeated: "{},", times: 3_300_000, after: "{}]}" }, json, 400],
    ["strings", { before: '{"domains":[', repeated: '"",', times: 3_300_000, after: '""]}' }, json, 400],
    [
      "one string",
      { before: '{"domains":["', repeated: "x", times: tenMillionBytes, after: '"]}' },
      json,
      200,
    ],
    [
      "escapes",
      { before: '{"domains":["', repeated: "\\\\", times: tenMillionBytes / 2, after: '"]}' },
      json,
      200,
    ],
    ["white space", { repeated: " ", times: tenMillionBytes, after: "{" }, json, 400],
    ["brackets", { repeated: "[", times: tenMillionBytes }, json, 400],
    ["digits", { repeated: "1", times: tenMillionBytes }, json, 400],
    ["line breaks", { repeated: "\n", times: tenMillionBytes }, "text/plain", 400],
    ["comments", { repeated: "#\n", times: tenMillionBytes / 2 }, "text/plain", 400],
    ["one line", { repeated: "x", times: tenMillionBytes }, "text/plain", 200],
  ];
  test.each(bodies)(
    "of %s never keeps the event loop for long",
    async (_what, body, type, status) => {
      // The first name that is checked loads the tables of detection.
      await submit({ repeated: '{"domains":["a.example"]}', times: 1 });
      const meter = meterEventLoop();
      const response = await submit(body, type);
      meter.stop();
      expect(response).toMatchObject({ status });
      expect(meter.longestMs()).toBeLessThan(longestMsMax);
    },
    60_000,
  );
});

test("twenty bodies of 9 MB at once never hold more than the budget, and each gets a response", async () => {
  // The least budget: 24 MiB.
  const small = openApi({ memoryBytes: 1 });
  const { bodies } = small.server;
  small.server.listen();
  let heldMax = 0;
  const sample = setInterval(() => void (heldMax = Math.max(heldMax, bodies.heldBytes)), 1);
  const responses = await postAtOnce(small.server.port!, 20, {
    path: "/v1/candidates",
    headers: { authorization: `Bearer ${small.key()}`, "content-type": "application/json" },
    body: { before: '{"domains":["', repeated: "x", times: 9_000_000, after: '"]}' },
  });
  clearInterval(sample);
  for (const { status, head } of responses)
    expect([status, /retry-after: 10/i.test(head)]).toEqual(status === 200 ? [200, false] : [500, true]);
  expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  expect(heldMax).toBeGreaterThan(0);
  expect(heldMax).toBeLessThanOrEqual(24 << 20);
  expect(bodies.heldBytes).toBe(0);
  await small.server.stop();
  small.dispose();
}, 60_000);

test("a key that occurs twice is rejected in a body of 10 MB", async () => {
  const response = await submit({
    before: '{"domains":["',
    repeated: "\\\\",
    times: 5_000_000,
    after: '"],"domains":["a"]}',
  });
  expect([response.status, JSON.parse(response.text).error.message]).toEqual([
    400,
    'The body has the key "domains" twice.',
  ]);
});

test("a request without a valid key, without the scope or over its limit is rejected before its body arrives", async () => {
  const free = api.key({ plan: "free" });
  const spend = () => api.call("GET", "/v1/threats", { key: free });
  while ((await spend()).status === 200);
  const send = (token: string) =>
    post(api.server.port!, {
      path: "/v1/candidates",
      // Never sent: the response cannot depend on it.
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": "9000000",
      },
      body: { repeated: "", times: 0 },
    });
  expect((await send("pw_wrong")).status).toBe(401);
  expect((await send(api.key({ scopes: ["threats:read"] }))).status).toBe(403);
  expect((await send(free)).status).toBe(429);
});
