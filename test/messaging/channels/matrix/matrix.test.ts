import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { matrix } from "../../../../src/messaging/channels/matrix/matrix.ts";
import type { AttemptResult, NotAttempted } from "../../../../src/messaging/deliveries/channel.ts";
import type { Notice } from "../../../../src/messaging/content/notice.ts";
import {
  emptyTarget,
  hostileNotice,
  messageOf,
  openNoticeChannel,
  sampleNotices,
} from "../../../support/notices.ts";
import { startRawServer } from "../../../support/raw-server.ts";

// Format: spec.matrix.org, event schemas m.room.message$m.text, m.notice and m.image, and m.mentions.
const ajv = new Ajv2020({ strict: true });
const mentionsNobody = { type: "object", additionalProperties: false, properties: {} };
const isText = ajv.compile({
  type: "object",
  required: ["msgtype", "body", "m.mentions"],
  additionalProperties: false,
  dependentRequired: { format: ["formatted_body"], formatted_body: ["format"] },
  properties: {
    msgtype: { enum: ["m.text", "m.notice"] },
    body: { type: "string", minLength: 1 },
    format: { const: "org.matrix.custom.html" },
    formatted_body: { type: "string" },
    "m.mentions": mentionsNobody,
  },
});
const isImage = ajv.compile({
  type: "object",
  required: ["msgtype", "body", "url"],
  additionalProperties: false,
  properties: {
    msgtype: { const: "m.image" },
    body: { type: "string" },
    url: { type: "string", pattern: "^mxc://" },
    info: {
      type: "object",
      additionalProperties: false,
      properties: { mimetype: { type: "string" }, size: { type: "integer" } },
    },
    "m.mentions": mentionsNobody,
  },
});

const token = "syt_secretSECRETsecret";
const target = { ...emptyTarget, url: "https://matrix.example", room: "!room/?#:example.org", token };
const screenshot = { mediaType: "image/jpeg" as const, bytes: Buffer.from("image") };

interface Content {
  msgtype: string;
  body: string;
  formatted_body?: string;
}

function contentFor(notice: Notice): Content {
  const [request, ...more] = matrix.requests(target, notice, { screenshot: null });
  expect(more).toEqual([]);
  expect(request).toMatchObject({
    method: "PUT",
    url: `https://matrix.example/_matrix/client/v3/rooms/!room%2F%3F%23%3Aexample.org/send/m.room.message/${notice.id}`,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
  });
  const content = JSON.parse(String(request!.body)) as Content;
  expect(isText(content) || isText.errors).toBe(true);
  return content;
}

describe("a message to Matrix", () => {
  test.each(Object.values(sampleNotices))("about $kind follows the specification", (notice) => {
    expect(contentFor(notice)).toMatchSnapshot();
  });

  test("contains no markup but its own, and fits into an event, whatever it says", () => {
    const { formatted_body: html } = contentFor({
      ...hostileNotice,
      facts: hostileNotice.facts
        .slice(0, 3)
        .map(({ label, value }) => ({ label, value: value.slice(0, 500) })),
      items: hostileNotice.items.slice(0, 3).map((item) => ({ ...item, reason: item.reason.slice(0, 300) })),
      summary: hostileNotice.summary.slice(0, 600),
    });
    const tags = [...html!.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replace(/href="https:[^"<>]*"/, "href"));
    expect([...new Set(tags)].toSorted()).toEqual(
      [
        "</a>",
        "</li>",
        "</p>",
        "</strong>",
        "</ul>",
        "<a href>",
        "<br>",
        "<li>",
        "<p>",
        "<strong>",
        "<ul>",
      ].toSorted(),
    );
    expect(html).toContain("&lt;script&gt;");

    const content = contentFor(hostileNotice);
    expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(49_000);
    expect(content.formatted_body).toBeUndefined();
    expect(content.body.isWellFormed()).toBe(true);
  });

  test("notifies people unless it is of low severity or something ended well", () => {
    const types = (["high", "medium", "neutral", "low", "good"] as const).map(
      (tone) => contentFor({ ...sampleNotices.threats, tone }).msgtype,
    );
    expect(types).toEqual(["m.text", "m.text", "m.text", "m.notice", "m.notice"]);
  });
});

describe("a channel of Matrix", () => {
  test("accepts the IDs of rooms of all versions", () => {
    for (const room of ["!abc:example.org", "!31hneApxJ_1o-63DmFrpeqnkFfWppnzWso1JvH3ogLM"])
      expect(matrix.validate({ ...target, room }).room).toBe(room);
  });

  test.each([
    [
      "the address of a room",
      { room: "#soc:example.org" },
      `room must be the room's ID, which begins with "!"`,
    ],
    ["a name of a room", { room: "SOC" }, 'room must be the ID of a room, such as "!abc:example.org"'],
    ["a path to the room", { url: "https://matrix.example/?room=1" }, "the room is a key of its own"],
  ])("with %s is rejected with what to change", (_what, change, error) => {
    expect(() => matrix.validate({ ...target, ...change })).toThrow(error);
  });

  test.each([
    [200, { event_id: "$x" }, { outcome: "delivered" }],
    [200, { content_uri: "mxc://x/y" }, { outcome: "delivered" }],
    [200, "<html>Element</html>", { outcome: "retry", failure: "unexpected" }],
    [
      429,
      { errcode: "M_LIMIT_EXCEEDED", error: "Too many requests", retry_after_ms: 2_500 },
      { outcome: "retry", failure: "rate_limited", retryAfterMs: 2_500 },
    ],
    [429, { errcode: "M_LIMIT_EXCEEDED" }, { outcome: "retry", error: "HTTP status 429: M_LIMIT_EXCEEDED" }],
    [
      401,
      { errcode: "M_UNKNOWN_TOKEN", error: "Invalid access token" },
      {
        outcome: "disable",
        failure: "unauthorized",
        error: "HTTP status 401: M_UNKNOWN_TOKEN: Invalid access token",
      },
    ],
    [403, { errcode: "M_FORBIDDEN", error: "User not in room" }, { outcome: "disable" }],
    [404, { errcode: "M_UNRECOGNIZED" }, { outcome: "disable", failure: "gone" }],
    [400, { errcode: "M_NOT_FOUND" }, { outcome: "disable", failure: "gone" }],
    [413, { errcode: "M_TOO_LARGE" }, { outcome: "drop", failure: "rejected" }],
    [502, "Bad Gateway", { outcome: "retry", failure: "status", error: "HTTP status 502" }],
  ])("classifies the response %i %j by its code", (status, body, expected) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    expect(matrix.classifyResponse({ status, headers: new Headers(), body: text })).toMatchObject(expected);
  });
});

/** Events of the room. A transaction that is repeated adds none. */
const events = new Map<string, Content>();
const uploads: string[] = [];
let losesResponses = false;
let acceptsUploads = true;
const server = await startRawServer((socket, request) => {
  const [head = "", body = ""] = request.split("\r\n\r\n");
  const [, path = ""] = head.split(" ");
  const respond = (status: string, value: object) => {
    const text = JSON.stringify(value);
    socket.end(`HTTP/1.1 ${status}\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`);
  };
  if (path.startsWith("/_matrix/media/v3/upload?filename=screenshot.jpg")) {
    uploads.push(body);
    if (!acceptsUploads) return respond("403 Forbidden", { errcode: "M_FORBIDDEN" });
    return respond("200 OK", { content_uri: "mxc://example.org/abc" });
  }
  if (!events.has(path)) events.set(path, JSON.parse(body) as Content);
  if (losesResponses) socket.destroy();
  else respond("200 OK", { event_id: `$${path.length}` });
});
afterAll(() => server.stop());

describe("a Matrix server", () => {
  beforeEach(() => {
    events.clear();
    uploads.length = 0;
  });

  async function send({ withScreenshot = false } = {}): Promise<AttemptResult | NotAttempted> {
    const screenshotOf = () => Promise.resolve(withScreenshot ? screenshot : null);
    const channel = openNoticeChannel(matrix, { screenshotOf });
    const found = channel.validate({ ...target, url: `http://127.0.0.1:${server.port}` });
    const result = await channel.send(found, messageOf(sampleNotices.threat));
    channel.close?.();
    return result;
  }

  test("shows a message once, even if its response was lost and the message is sent again", async () => {
    losesResponses = true;
    expect(await send()).toMatchObject({ failure: "connect" });
    losesResponses = false;
    expect(await send()).toMatchObject({ failure: null, statusCode: 200 });
    expect([...events.values()].map(({ msgtype }) => msgtype)).toEqual(["m.text"]);
  });

  test("is uploaded the screenshot, which follows the text", async () => {
    expect(await send({ withScreenshot: true })).toMatchObject({ failure: null });
    expect(uploads).toEqual(["image"]);
    const [, image] = events.values();
    expect(isImage(image) || isImage.errors).toBe(true);
    expect(image).toMatchObject({ url: "mxc://example.org/abc", info: { mimetype: "image/jpeg", size: 5 } });
  });

  test("that accepts no files shows the text alone", async () => {
    acceptsUploads = false;
    expect(await send({ withScreenshot: true })).toMatchObject({ failure: null });
    expect(events.size).toBe(1);
  });
});
