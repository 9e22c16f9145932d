import { afterAll, describe, expect, test } from "bun:test";
import type net from "node:net";
import { classifyStatus } from "../../../../src/messaging/channels/http/classify-response.ts";
import type {
  NoticeChannelType,
  NoticeRequest,
} from "../../../../src/messaging/channels/http/notice-type.ts";
import { pagerduty } from "../../../../src/messaging/channels/pagerduty/pagerduty.ts";
import { createSmallScreenshots } from "../../../../src/messaging/channels/http/screenshots.ts";
import type { AttemptResult, NotAttempted } from "../../../../src/messaging/deliveries/channel.ts";
import { systemClock } from "../../../../src/platform/lib/clock.ts";
import { emptyTarget, messageOf, openNoticeChannel, sampleNotices } from "../../../support/notices.ts";
import { webpOf } from "../../../support/pictures.ts";
import { startRawServer } from "../../../support/raw-server.ts";

// Sending of messages to people, over a real connection: what a response means, and what is kept of it.

const secretPath = "/services/T0SECRET01/B0SECRET02/xyzSECRET03";
const token = "tk_SECRETtoken04";

/** Sends the title, and the screenshot in a second request. */
const plainType: NoticeChannelType = {
  type: "template",
  label: "Plain",
  ratePerSecond: 1,
  usesScreenshot: true,
  validate: (target) => target,
  requests: ({ url }, { title }, { screenshot }): NoticeRequest[] => [
    { method: "POST", url: url!, headers: { "Content-Type": "text/plain" }, body: title },
    ...(screenshot === null
      ? []
      : [{ method: "PUT" as const, url: url!, headers: {}, body: screenshot.bytes, optional: true }]),
  ],
  classifyResponse: (response) =>
    response.body.startsWith("odd")
      ? { outcome: "retry", failure: "odd", error: response.body, retryAfterMs: 1_500 }
      : classifyStatus(response),
};

/** Responds to the next request. */
let respond: (socket: net.Socket) => void = () => {};
const server = await startRawServer((socket) => respond(socket));
afterAll(() => server.stop());
const target = {
  ...emptyTarget,
  url: `http://service.example:${server.port}${secretPath}?sig=SECRETsig05`,
  token,
};

async function send(
  response: string | ((socket: net.Socket) => void),
  options: Parameters<typeof openNoticeChannel>[1] = {},
): Promise<AttemptResult> {
  respond = typeof response === "string" ? (socket) => void socket.end(response) : response;
  const channel = openNoticeChannel(plainType, options);
  const result = await channel.send(target, messageOf(sampleNotices.threat));
  channel.close?.();
  return attempted(result);
}

function attempted(result: AttemptResult | NotAttempted): AttemptResult {
  if (typeof result === "string") throw new Error(result);
  return result;
}

const head = (status: string, headers = "") => `HTTP/1.1 ${status}\r\n${headers}Connection: close\r\n\r\n`;

describe("a response", () => {
  test.each<[string, string, Partial<AttemptResult>]>([
    ["200", head("200 OK"), { failure: null, statusCode: 200 }],
    ["202", head("202 Accepted"), { failure: null }],
    [
      "429 without a pause",
      head("429 Slow"),
      { failure: "rate_limited", consequence: "retry", pauseMs: 10_000 },
    ],
    [
      "429 with seconds",
      head("429 Slow", "Retry-After: 30\r\n"),
      { failure: "rate_limited", retryAfterMs: 30_000, pauseMs: 30_000 },
    ],
    ["429 with a fraction", head("429 Slow", "Retry-After: 0.25\r\n"), { retryAfterMs: 250 }],
    ["429 with a year", head("429 Slow", "Retry-After: 31536000\r\n"), { retryAfterMs: 86_400_000 }],
    ["429 with nonsense", head("429 Slow", "Retry-After: soon\r\n"), { retryAfterMs: undefined }],
    [
      "503 with seconds",
      head("503 Busy", "Retry-After: 5\r\n"),
      { failure: "status", consequence: "retry", retryAfterMs: 5_000 },
    ],
    ["500", head("500 Oops"), { failure: "status", consequence: "retry", error: "HTTP status 500" }],
    ["400", head("400 Bad"), { failure: "rejected", consequence: "drop" }],
    ["401", head("401 Who"), { failure: "unauthorized", consequence: "disable" }],
    ["404", head("404 Gone"), { failure: "gone", consequence: "disable" }],
    ["410", head("410 Gone"), { failure: "gone", consequence: "disable" }],
    [
      "a redirect",
      head("302 Found", "Location: https://other.example/token\r\n"),
      {
        failure: "redirect",
        error: "redirected to https://other.example/…; redirects are not followed",
      },
    ],
    [
      "a redirect on the same host",
      head("301 Moved", "Location: /SECRET\r\n"),
      {
        failure: "redirect",
        error: `redirected to http://service.example:${server.port}/…; redirects are not followed`,
      },
    ],
    [
      "a status that its type classifies",
      `${head("200 OK")}odd`,
      { failure: "odd", error: "odd", retryAfterMs: 1_500 },
    ],
  ])("of %s is classified by its meaning", async (_what, response, expected) => {
    expect(await send(response)).toMatchObject(expected);
  });

  test("with a date in Retry-After delays the next attempt until then", async () => {
    const clock = { ...systemClock, now: () => 0 };
    const result = await send(head("429 Slow", "Retry-After: Thu, 01 Jan 1970 00:01:00 GMT\r\n"), { clock });
    expect(result.retryAfterMs).toBe(60_000);
  });

  test("that breaks off or never comes leads to another attempt", async () => {
    expect(await send((socket) => void socket.destroy())).toMatchObject({ failure: "connect" });
    const partial = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\npart";
    expect(await send(partial)).toMatchObject({ failure: "connect", response: "part", statusCode: 200 });
    expect(await send(() => {}, { timeoutMs: 50 })).toMatchObject({
      failure: "timeout",
    });
  });

  test("is kept without the target's secrets, which it may repeat, also in the middle of a character limit", async () => {
    const echoed = `${target.url} ${decodeURIComponent(secretPath)} ${token}`;
    const all = `${echoed} ${echoed.toLowerCase()} ${encodeURIComponent(token)}`;
    for (const status of ["200 OK", "400 Bad"]) {
      const { response, error } = await send(`${head(status)}${all} ${"x".repeat(900)} ${all}`);
      expect(response).toStartWith(`http://service.example:${server.port}***`);
      expect(`${response} ${error}`).not.toMatch(/secret/i);
    }
    expect((await send(`${head("200 OK")}odd ${all}`)).error).not.toMatch(/secret/i);
  });
});

describe("a request", () => {
  test("of a screenshot follows the text, and its failure does not repeat the text", async () => {
    const screenshot = { mediaType: "image/jpeg" as const, bytes: Buffer.from("image") };
    const methods: string[] = [];
    const started = server.requests.length;
    const result = await send(
      (socket) => {
        const method = server.requests.at(-1)!.split(" ")[0]!;
        methods.push(method);
        socket.end(head(method === "POST" ? "200 OK" : "500 Oops"));
      },
      { screenshotOf: (id) => Promise.resolve(id === sampleNotices.threat.threat!.id ? screenshot : null) },
    );
    // Both requests count against the rate of one per second.
    expect(result).toMatchObject({ failure: null, statusCode: 200, pauseMs: 1_000 });
    expect(methods).toEqual(["POST", "PUT"]);
    const [text, image] = server.requests.slice(started);
    expect(text).toContain("User-Agent: phishwatch/1.2.3\r\n");
    expect(text).toEndWith(`\r\n\r\n${sampleNotices.threat.title}`);
    expect(image).toEndWith("\r\n\r\nimage");
  });

  test("about a threat that has ended since then resolves the alert that it would have opened", async () => {
    respond = (socket) => void socket.end(`${head("202 Accepted")}{"status":"success"}`);
    const started = server.requests.length;
    const duty = { ...target, routingKey: "k".repeat(32) };
    for (const status of [null, "active", "resolved", "false_positive"] as const) {
      const channel = openNoticeChannel(pagerduty, { statusOf: () => status });
      expect(attempted(await channel.send(duty, messageOf(sampleNotices.threat))).failure).toBeNull();
      channel.close?.();
    }
    const actions = server.requests
      .slice(started)
      .map((request) => /"event_action":"(.+?)"/.exec(request)?.[1]);
    expect(actions).toEqual(["trigger", "trigger", "resolve", "resolve"]);
  });

  test("is not made to an address that the settings do not allow", async () => {
    expect(await send(head("200 OK"), { allowPrivateNetworks: false })).toMatchObject({
      failure: "refused_address",
      error: expect.stringContaining("webhooks.allow_private_networks = true would allow it"),
    });
  });
});

describe("the validation of a target", () => {
  const url = "http://hooks.example/services/SECRET01";
  test.each([
    [
      url,
      { allowHttp: false },
      "http://hooks.example/… is not encrypted; use https://, or set webhooks.allow_http = true",
    ],
    [
      "http://10.0.0.1/SECRET01",
      { allowPrivateNetworks: false },
      "http://10.0.0.1/… cannot be delivered to:",
    ],
    ["SECRET01", {}, "the URL must be a complete URL such as https://host/path"],
    ["ftp://hooks.example/SECRET01", {}, "ftp://hooks.example/… must begin with https://"],
  ])("of %s rejects it without showing its secret", (text, options, error) => {
    const channel = openNoticeChannel(plainType, options);
    const validate = () => channel.validate({ ...emptyTarget, url: text });
    expect(validate).toThrow(error);
    expect(validate).not.toThrow("SECRET");
  });

  test("returns the normal form of the URL", () => {
    const channel = openNoticeChannel(plainType);
    expect(channel.validate({ ...emptyTarget, url: "HTTPS://Hooks.Example:443/a#b" }).url).toBe(
      "https://hooks.example/a",
    );
    expect(channel.recipients.describe({ target, events: [] })).toEqual({
      host: `service.example:${server.port}`,
    });
  });
});

test("screenshots are made smaller for messages, and one that cannot be read is left out", async () => {
  const webp = Buffer.from(await webpOf(1_280, 960, (x, y) => (x + y) % 256));
  const found = await createSmallScreenshots(() => Promise.resolve({ webp }))("thr_1");
  expect(found!.mediaType).toBe("image/jpeg");
  expect(await new Bun.Image(Buffer.from(found!.bytes)).metadata()).toMatchObject({
    format: "jpeg",
    width: 800,
    height: 600,
  });
  expect(await createSmallScreenshots(() => Promise.resolve({ why: "none" }))("thr_1")).toBeNull();
  expect(
    await createSmallScreenshots(() => Promise.resolve({ webp: new Uint8Array(9) }))("thr_1"),
  ).toBeNull();
  expect(await createSmallScreenshots(() => Promise.reject(new Error("disk")))("thr_1")).toBeNull();
});
