import { afterAll, describe, expect, test } from "bun:test";
import { template, templateValues } from "../../../../src/messaging/channels/template/template.ts";
import type { Notice } from "../../../../src/messaging/content/notice.ts";
import { plainText } from "../../../../src/messaging/content/plain-text.ts";
import {
  emptyTarget,
  hostileNotice,
  messageOf,
  openNoticeChannel,
  sampleNotices,
} from "../../../support/notices.ts";
import { startReceiver } from "../../../support/receiver.ts";

const url = "https://chat.example/hook";
const targetOf = (text: string) => ({ ...emptyTarget, url, template: text });

/** Returns the body for a message, after the validation that happens when a channel is saved. */
function render(text: string, notice: Notice): string {
  const [request, ...more] = template.requests(template.validate(targetOf(text)), notice, {
    screenshot: null,
  });
  expect(more).toEqual([]);
  return String(request!.body);
}

const everything = `{
  "id": "{{id}}", "kind": "{{kind}}", "at": "{{at}}", "tone": "{{tone}}", "severity": {{severity}},
  "title": "phishwatch: {{title}}", "summary": "{{ summary }}", "text": "{{text}}", "url": "{{url}}",
  "more": {{more}}, "facts": {{facts}}, "items": {{items}}, "links": {{links}},
  "threat": [{{threat}}, "{{threat.id}}", {{threat.status}}],
  "condition": [{{condition}}, "{{condition.key}}/{{condition.phase}}"],
  "{{kind}}": {"nested": [[{{notice}}]]}, "plain": [null, -1.5e3, true, "\\u0041\\n{}"]
}`;

const brokenNotice: Notice = {
  ...hostileNotice,
  title: `"},"x":{{title}}\\\u2028\ud800`,
  threat: { id: `thr_"\\`, status: "active" },
  condition: { key: `\u0000"`, phase: "ended" },
};

describe("the body that a template produces", () => {
  test.each([...Object.values(sampleNotices), hostileNotice, brokenNotice])(
    "is valid JSON with exactly the values of the message ($kind)",
    (notice) => {
      const body = render(everything, notice);
      expect(body.isWellFormed()).toBe(true);
      const { tone, title, summary, threat, condition, links } = notice;
      const whole: unknown = JSON.parse(JSON.stringify(notice));
      expect(JSON.parse(body)).toEqual({
        id: notice.id,
        kind: notice.kind,
        at: notice.at,
        tone,
        severity: tone === "neutral" ? null : tone,
        title: `phishwatch: ${title}`,
        summary,
        text: plainText(notice),
        url: links[0]?.url ?? "",
        more: notice.more,
        facts: notice.facts,
        items: notice.items,
        links,
        threat: [threat, threat?.id ?? "", threat?.status ?? null],
        condition: [condition, `${condition?.key ?? ""}/${condition?.phase ?? ""}`],
        [notice.kind]: { nested: [[whole]] },
        plain: [null, -1500, true, "A\n{}"],
      });
    },
  );

  test.each([
    ["{{title}}", `"Test message from phishwatch"`],
    [`"{{title}}!"`, `"Test message from phishwatch!"`],
    [" [ ] ", " [ ] "],
    [`{"text":"a { b } {"}`, `{"text":"a { b } {"}`],
    [`{"severity":{{severity}}}`, `{"severity":null}`],
    [`{"severity":"{{severity}}"}`, `{"severity":""}`],
  ])("for the template %s is %s", (text, body) => {
    expect(render(text, sampleNotices.test)).toBe(body);
  });
});

test("the manual describes every placeholder, and its example is accepted", async () => {
  const manual = await Bun.file(new URL("../../../../src/manual/channels.md", import.meta.url)).text();
  const described = [...manual.matchAll(/^\|.*$/gm)].join("\n");
  expect(Object.keys(templateValues).filter((name) => !described.includes(`\`{{${name}}}\``))).toEqual([]);
  const [, example = ""] = /template = '''([^]*?)'''/.exec(manual) ?? [];
  expect(JSON.parse(render(example, sampleNotices.threat))).toMatchObject({ priority: "high" });
});

describe("a template is rejected with the position and what to change", () => {
  test.each([
    ["", "template, line 1, column 1: expected a value, found the end; a text needs double quotes"],
    [
      `{\n  "text": {{titel}}\n}`,
      "template, line 2, column 11: {{titel}} is not known; use one of id, kind, at,",
    ],
    [`{"text": "{{facts}}"}`, "column 11: {{facts}} is not a text; write it without quotes around it"],
    [`{"text": "{{title}"}`, "column 11: {{ must be followed by a name and }}, as in {{title}}"],
    [`{"text": {{#if title}}}`, "column 10: {{ must be followed by a name"],
    [`{{{title}}}`, "column 1: {{ must be followed by a name"],
    [`{{__proto__}}`, "{{__proto__}} is not known"],
    [`{"text": {{title}}, }`, "column 21: remove the comma before }"],
    [`[1, 2,]`, "column 7: remove the comma before ]"],
    [`{"text": {{title}}`, "column 19: expected , or }, found the end"],
    [`{text: {{title}}}`, "column 2: expected a key in double quotes, found t"],
    [`{"text" {{title}}}`, "column 9: expected : after the key, found {"],
    [`{"text": 'x'}`, "column 10: expected a value, found '; a text needs double quotes"],
    [`{"text": "x}`, "column 10: this text has no closing quote"],
    [`{"text": "a\nb"}`, `column 12: a line break or another control character must be written as an escape`],
    [`{"text": "C:\\x"}`, `column 13: a backslash must be written as "\\\\"`],
    [`{"a": 1} {"b": 2}`, "column 10: expected the end of the template, found {"],
    [`{"a": 01}`, "column 8: expected , or }, found 1"],
    [`{"a": \u202e1}`, "expected a value, found \\u{202e}"],
    ["[".repeat(60), "more than 50 levels of brackets"],
    [`[${"{{title}},".repeat(51)}1]`, "at most 50 {{…}} are allowed"],
  ])("for %j", (text, error) => {
    expect(() => template.validate(targetOf(text))).toThrow(error);
  });

  test("for one that is as long as the configuration file permits", () => {
    const long = `"${"\\u0041{".repeat(2_800)}`;
    expect(() => template.validate(targetOf(long))).toThrow("this text has no closing quote");
  });
});

describe("a channel with a template", () => {
  const receiver = startReceiver((request) => (request.path === "/hook" ? 204 : 422));
  afterAll(() => receiver.stop());

  test("posts JSON with its headers and token, and accepts any status from 200 to 299", async () => {
    const channel = openNoticeChannel(template);
    const target = channel.validate({
      ...targetOf(`{"text": "{{title}}"}`),
      url: receiver.url,
      token: "secret-token",
      headers: { "X-Team": "soc" },
    });
    const result = await channel.send(target, messageOf(sampleNotices.test));
    expect(result).toMatchObject({ failure: null, statusCode: 204 });
    expect(receiver.received).toMatchObject([
      {
        method: "POST",
        body: `{"text": "${sampleNotices.test.title}"}`,
        headers: {
          authorization: "Bearer secret-token",
          "content-type": "application/json",
          "x-team": "soc",
        },
      },
    ]);
    const elsewhere = { ...target, url: receiver.url.replace("/hook", "/other") };
    expect(await channel.send(elsewhere, messageOf(sampleNotices.test))).toMatchObject({
      failure: "rejected",
      consequence: "drop",
      error: "HTTP status 422",
    });
    channel.close?.();
  });

  test("sends no half of a surrogate pair, which services reject", async () => {
    const channel = openNoticeChannel(template);
    const target = channel.validate({ ...targetOf(`{"text": "{{title}}"}`), url: receiver.url });
    await channel.send(target, messageOf({ ...sampleNotices.test, title: "a\ud800b" }));
    expect(receiver.received.at(-1)!.body).toBe(`{"text": "a\ufffdb"}`);
    channel.close?.();
  });

  test("has a token or a header Authorization, not both", () => {
    const target = { ...targetOf("{{text}}"), token: "t", headers: { authorization: "Basic eDp5" } };
    expect(() => template.validate(target)).toThrow("exclude each other; remove one of them");
  });
});
