import { expect, test } from "bun:test";
import { classify, type Progress } from "../../../../src/messaging/channels/email/outcome.ts";
import type { SmtpResult } from "../../../../src/messaging/channels/email/smtp.ts";

const conversation = { durationMs: 1, phases: {}, address: null };

function sent(accepted: string[], rejected: Record<string, string>): SmtpResult {
  const all = Object.entries(rejected).map(([address, reply]) => ({
    address,
    reply,
    temporary: reply.startsWith("4"),
  }));
  return accepted.length > 0
    ? { ...conversation, outcome: "done", accepted, rejected: all, reply: "250 ok" }
    : {
        ...conversation,
        outcome: "failed",
        step: "recipients",
        cause: null,
        message: "all rejected",
        reply: all[0]!.reply,
        rejected: all,
      };
}

test("a message counts as delivered when nobody is left who can accept it", () => {
  const some: Progress = { accepted: ["a"], attempts: 1 };
  const cases: [before: Progress | null, result: SmtpResult, expected: object][] = [
    [null, sent(["a"], {}), { failure: null, lost: [], progress: null }],
    [null, sent(["a"], { b: "550 no" }), { failure: null, lost: [{ address: "b" }], progress: null }],
    [null, sent(["a"], { b: "450 wait" }), { failure: "recipients", lost: [], progress: some }],
    [null, sent([], { a: "450 wait", b: "550 no" }), { failure: "recipients", progress: null }],
    [null, sent([], { a: "550 no", b: "550 no" }), { failure: "rejected", consequence: "drop" }],
    [some, sent(["b"], {}), { failure: null, progress: null }],
    [some, sent([], { b: "550 no" }), { failure: null, lost: [{ address: "b" }], progress: null }],
    [
      some,
      sent([], { b: "450 wait" }),
      { failure: "recipients", progress: { accepted: ["a"], attempts: 2 } },
    ],
  ];
  for (const [before, result, expected] of cases) expect(classify(result, before)).toMatchObject(expected);
});

test("after four attempts a message counts as delivered to those who accepted it, and names the others", () => {
  let progress: Progress | null = null;
  const failures: unknown[] = [];
  for (let attempt = 1; attempt <= 4; attempt++) {
    const outcome = classify(sent(attempt === 1 ? ["a"] : [], { b: "452 mailbox full" }), progress);
    failures.push(outcome.failure);
    progress = outcome.progress;
    if (attempt === 4) expect(outcome.lost).toMatchObject([{ address: "b", reply: "452 mailbox full" }]);
  }
  expect(failures).toEqual(["recipients", "recipients", "recipients", null]);
});

test("a test fails if one of its recipients is rejected, so that somebody sees it", () => {
  const outcome = classify(sent(["a"], { b: "550 5.1.1 no such user" }), null, { isTest: true });
  expect(outcome).toMatchObject({
    failure: "rejected",
    error: "the mail server rejected some recipients: b: 550 5.1.1 no such user",
  });
  expect(classify(sent(["a"], {}), null, { isTest: true })).toMatchObject({ failure: null });
});

test("a reply that a server gives for every recipient is reported once", () => {
  const greylisted = (address: string) => `450 4.2.0 <${address}>: Recipient address rejected: Greylisted`;
  const rejected = ["a@example.com", "b@example.com"].map((address) => ({
    address,
    reply: greylisted(address),
    temporary: true,
  }));
  const result = { ...sent([], { a: "450 no" }), reply: greylisted("b@example.com"), rejected } as SmtpResult;
  const text = "a@example.com, b@example.com: 450 4.2.0 Recipient address rejected: Greylisted";
  expect(classify(result, null, { isTest: true })).toMatchObject({
    error: `the mail server rejected all recipients: ${text}`,
    response: text,
    statusCode: 450,
  });
});

test("a failed connection keeps what is known about recipients that accepted the message", () => {
  const some: Progress = { accepted: ["a"], attempts: 1 };
  const failed = { ...conversation, outcome: "failed", rejected: [], message: "no", reply: "" } as const;
  expect(classify({ ...failed, step: "connect", cause: null }, some)).toMatchObject({
    failure: "connect",
    progress: some,
  });
  expect(classify({ ...failed, step: "content", cause: "closed" }, some)).toMatchObject({
    failure: "closed",
    progress: some,
  });
});

test("a message that is larger than the server accepts is not sent again", () => {
  const result: SmtpResult = {
    ...conversation,
    outcome: "failed",
    step: "content",
    cause: "size",
    message: "Message size larger than allowed 1000",
    reply: "",
    rejected: [],
  };
  expect(classify(result, null)).toMatchObject({
    failure: "rejected",
    consequence: "drop",
    statusCode: null,
  });
});
