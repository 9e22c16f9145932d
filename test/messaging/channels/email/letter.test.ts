import { describe, expect, test } from "bun:test";
import PostalMime from "postal-mime";
import { composeLetter } from "../../../../src/messaging/channels/email/letter.ts";
import type { Notice } from "../../../../src/messaging/content/notice.ts";

const notice: Notice = {
  id: "evt_01kf0z7m3yeqz9x8r4p6s2t5vw",
  kind: "threat",
  at: "2026-11-22T12:00:00.000Z",
  tone: "high",
  title: "High: examp1e-bank[.]com, look-alike of example-bank.com",
  summary: "The page asks for a password.",
  facts: [
    { label: "Registered", value: "2026-11-21 at Example Registrar" },
    { label: "Mail server", value: "mx.examp1e-bank[.]com" },
  ],
  items: [],
  more: 0,
  links: [{ text: "Open the threat", url: "https://phishwatch.example/console/threats/thr_1" }],
  threat: { id: "thr_1", status: "active" },
  condition: null,
};
const options = { from: "phishwatch@example.com", to: ["soc@example.com", "cert@example.org"], image: null };

async function compose(given: Partial<Notice> = {}, more: Partial<Parameters<typeof composeLetter>[1]> = {}) {
  const raw = Buffer.from(await composeLetter({ ...notice, ...given }, { ...options, ...more })).toString();
  const mail = await PostalMime.parse(raw);
  const headers = new Map(mail.headers.map(({ key, value }) => [key, value]));
  return { raw, mail, headers };
}

test("an email has the headers that filters and automatic responders expect", async () => {
  const { mail, headers } = await compose();
  expect(Object.fromEntries(headers)).toMatchObject({
    from: "phishwatch <phishwatch@example.com>",
    to: "soc@example.com, cert@example.org",
    subject: notice.title,
    date: "Sun, 22 Nov 2026 12:00:00 +0000",
    "message-id": "<evt_01kf0z7m3yeqz9x8r4p6s2t5vw@example.com>",
    "auto-submitted": "auto-generated",
    "x-auto-response-suppress": "All",
    precedence: "bulk",
    "list-id": "phishwatch <phishwatch.example.com>",
    importance: "High",
  });
  expect(headers.has("reply-to")).toBe(false);
  expect(mail.text).toMatchInlineSnapshot(`
    "The page asks for a password.

    Registered: 2026-11-21 at Example Registrar
    Mail server: mx.examp1e-bank[.]com

    Open the threat: https://phishwatch.example/console/threats/thr_1

    "
  `);
  expect(mail.html).toMatchInlineSnapshot(`
    "<!doctype html>
    <html lang="en">
    <head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>High: examp1e-bank[.]com, look-alike of example-bank.com</title></head>
    <body style="margin:0;padding:16px;font-family:-apple-system,'Segoe UI',Roboto,Arial,sans-serif;font-size:15px;line-height:1.5">
    <div style="max-width:640px;border-left:4px solid #d92d20;padding-left:16px">
    <h1 style="margin:0 0 12px;font-size:18px;line-height:1.3">High: examp1e-bank[.]com, look-alike of example-bank.com</h1>
    <p style="margin:0 0 12px">The page asks for a password.</p>
    <table style="border-collapse:collapse;margin:0 0 12px;font-size:14px">
    <tr><th scope="row" style="padding:2px 12px 2px 0;vertical-align:top;text-align:left;font-weight:600;white-space:nowrap">Registered</th><td style="padding:2px 12px 2px 0;vertical-align:top;text-align:left;overflow-wrap:anywhere">2026-11-21 at Example Registrar</td></tr>
    <tr><th scope="row" style="padding:2px 12px 2px 0;vertical-align:top;text-align:left;font-weight:600;white-space:nowrap">Mail server</th><td style="padding:2px 12px 2px 0;vertical-align:top;text-align:left;overflow-wrap:anywhere">mx.examp1e-bank[.]com</td></tr>
    </table>
    <p style="margin:0 0 12px"><a href="https://phishwatch.example/console/threats/thr_1">Open the threat</a></p>
    </div>
    </body>
    </html>

    "
  `);
});

test("all emails about one threat are one thread, and those about others are not", async () => {
  const created = await compose();
  const resolved = await compose({ id: "evt_2", tone: "good", threat: { id: "thr_1", status: "resolved" } });
  const other = await compose({ id: "evt_3", threat: { id: "thr_2", status: "active" } });
  const digest = await compose({ id: "evt_4", kind: "digest", threat: null });
  const began = await compose({
    id: "evt_5",
    threat: null,
    condition: { key: "disk:/var lib", phase: "began" },
  });
  const all = [created, resolved, other, digest, began];
  expect(new Set(all.map(({ mail }) => mail.messageId)).size).toBe(5);
  const root = "<thr_1@example.com>";
  expect(all.map(({ mail }) => [mail.inReplyTo, mail.references])).toEqual([
    [root, root],
    [root, root],
    ["<thr_2@example.com>", "<thr_2@example.com>"],
    [undefined, undefined],
    ["<condition.disk.var.lib@example.com>", "<condition.disk.var.lib@example.com>"],
  ]);
});

test("every attempt of a message has the same Message-ID and date", async () => {
  const attempts = [await compose(), await compose()];
  const [first, second] = attempts.map(({ mail: { messageId, date } }) => ({ messageId, date }));
  expect(first).toEqual(second!);
});

test("texts in any language arrive as they were written", async () => {
  const title = "High: аррӏе[.]com (xn--80ak6aa92e), look-alike of apple.com – “Größe” 日本語 🎣";
  const long = "ü".repeat(2_000);
  const { mail, raw } = await compose({
    title,
    summary: long,
    facts: [{ label: "Page", value: "Вход — 登录" }],
  });
  expect(mail.subject).toBe(title);
  expect(mail.text).toContain(long);
  expect(mail.text).toContain("Page: Вход — 登录");
  expect(mail.html).toContain("Вход — 登录");
  // RFC 5322: at most 998 characters in a line, ASCII only in headers.
  expect(Math.max(...raw.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998);
  expect(raw.split("\r\n\r\n")[0]).toMatch(/^[\r\n\t\x20-\x7e]*$/);
});

describe("texts that an attacker wrote", () => {
  const hostile =
    'x\r\nBcc: all@evil.example\r\n\r\n<script>alert(1)</script><img src="http://evil.example/">';

  test("add no header, recipient or part", async () => {
    const plain = await compose();
    const { mail, headers } = await compose({
      id: `evt_1>\r\nBcc: a@evil.example`,
      title: hostile,
      summary: hostile,
      facts: [{ label: hostile, value: hostile }],
      threat: { id: `thr_1>\r\nX-Evil: 1`, status: "active" },
    });
    expect([...headers.keys()]).toEqual([...plain.headers.keys()]);
    expect(mail.bcc).toBeUndefined();
    expect(mail.attachments).toEqual([]);
    expect(mail.subject).toBe(hostile.replaceAll(/\s+/g, " "));
    expect(mail.messageId).toBe("<evt_1.Bcc.a.evil.example@example.com>");
  });

  test("are text in HTML, and load nothing", async () => {
    const item = {
      name: hostile,
      protectedDomain: hostile,
      severity: "high",
      reason: hostile,
      url: null,
    } as const;
    const facts = [{ label: hostile, value: hostile }];
    const links = [{ text: hostile, url: `https://phishwatch.example/"><script>` }];
    const { mail } = await compose({
      title: hostile,
      summary: hostile,
      facts,
      items: [item],
      more: 2,
      links,
    });
    expect(mail.html).not.toMatch(/<script|<img/);
    expect(mail.html).toContain("and 2 more threats");
    expect(mail.html).toContain('href="https://phishwatch.example/&quot;&gt;&lt;script&gt;"');
  });

  test("show characters that would reorder or hide others", async () => {
    const { mail } = await compose({ title: "safe\u202egnp.exe\u200b" });
    expect(mail.subject).toBe("safe\\u{202e}gnp.exe\\u{200b}");
  });
});

test("a screenshot is attached and shown in the email, and nothing is loaded from elsewhere", async () => {
  const bytes = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
  const { mail } = await compose({}, { image: { mediaType: "image/jpeg", bytes } });
  const [attachment, ...others] = mail.attachments;
  expect(others).toEqual([]);
  expect(attachment).toMatchObject({ mimeType: "image/jpeg", disposition: "inline", related: true });
  expect(new Uint8Array(attachment!.content as ArrayBuffer)).toEqual(bytes);
  expect(attachment!.contentId).toBe("<screenshot>");
  expect(mail.html!.match(/src="[^"]*"/g)).toEqual(['src="cid:screenshot"']);
});
