import { afterEach, expect, test } from "bun:test";
import PostalMime from "postal-mime";
import type { DeliveryState } from "../../../../src/response/cases/takedowns/report.ts";
import { startBadMailServer, startMailServer } from "../../../support/mail-server.ts";
import { analyst } from "../../../support/stores.ts";
import { openTakedownWorld, reportOf } from "../../../support/takedowns.ts";
import { until } from "../../../support/until.ts";

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).toReversed()) await step();
});

async function openWorld(rules: Parameters<typeof startMailServer>[0] = {}) {
  const server = await startMailServer({ tls: "none", ...rules });
  const world = openTakedownWorld({ smtp: { ...server.settings, from: "phishwatch@defender.example" } });
  cleanup.push(world.dispose, server.stop, world.takedowns.stop);
  return { ...world, server, id: world.addThreat("exarnple-bank.com") };
}

type World = Pick<Awaited<ReturnType<typeof openWorld>>, "takedowns">;

/** Resolves with the report once its delivery is in a state. */
async function settledAs({ takedowns }: World, seq: number, state: DeliveryState) {
  await until(() => takedowns.get(seq).report.delivery === state, `the report is ${state}`);
  await takedowns.settled();
  return takedowns.get(seq).report;
}

test("a report arrives as a person's email: text with dots and long lines, attachments, and no automatic headers", async () => {
  const world = await openWorld();
  const { id, server, takedowns } = world;
  takedowns.start();
  const body = `Grüße\n.\n..two dots\n${"x".repeat(3_000)}\n-- \nAda`;
  const content = new TextEncoder().encode('{"a":1}\n');
  // Every byte, and line breaks that a mail server may change in text.
  const image = Uint8Array.from({ length: 1_000 }, (_, index) => index % 256);
  const { seq } = takedowns.add(
    reportOf([id], "PW-00000001", {
      body,
      subject: "Phishing: exämple [PW-00000001]",
      files: [
        { name: "evidence.json", mediaType: "application/json", sha256: "0", attached: true, content },
        { name: "screenshot-1.jpg", mediaType: "image/jpeg", sha256: "0", attached: true, content: image },
        { name: "evidence.zip", mediaType: "application/zip", sha256: "0", attached: false, content },
      ],
    }),
    { by: analyst },
  ).report;
  const report = await settledAs(world, seq, "sent");
  expect(report.sentAt).not.toBeNull();
  const [mail, ...others] = server.mails;
  expect(others).toEqual([]);
  expect([mail!.from, mail!.to]).toEqual(["soc@defender.example", ["abuse@hosting.example"]]);
  const parsed = await PostalMime.parse(mail!.raw);
  expect(parsed.subject).toBe("Phishing: exämple [PW-00000001]");
  expect(parsed.text?.trimEnd()).toBe(body);
  expect(parsed.from?.address).toBe("soc@defender.example");
  expect(parsed.replyTo?.[0]?.address).toBe("abuse-reports@defender.example");
  expect(parsed.messageId).toBe("<pw-00000001@defender.example>");
  expect(
    parsed.attachments.map(({ filename, mimeType, disposition }) => [filename, mimeType, disposition]),
  ).toEqual([
    ["evidence.json", "application/json", "attachment"],
    ["screenshot-1.jpg", "image/jpeg", "attachment"],
  ]);
  expect(parsed.attachments.map((file) => Buffer.from(file.content as ArrayBuffer))).toEqual([
    Buffer.from(content),
    Buffer.from(image),
  ]);
  expect(parsed.headers.find(({ key }) => key === "content-type")?.value).toStartWith("multipart/mixed");
  const headers = parsed.headers.map(({ key }) => key);
  for (const automatic of ["auto-submitted", "precedence", "list-id"])
    expect(headers).not.toContain(automatic);
});

test("a recipient that the mail server rejects makes the report bounce, with the words of the server and no retry", async () => {
  const world = await openWorld({ rejectRecipient: () => ({ code: 550, text: "5.1.1 no such user" }) });
  const { clock, id, server, takedowns } = world;
  takedowns.start();
  const { seq } = takedowns.add(reportOf([id], "PW-00000001"), { by: analyst }).report;
  const report = await settledAs(world, seq, "bounced");
  expect(report.deliveryResponse).toContain("5.1.1 no such user");
  expect(report.attemptAt).toBeNull();
  expect(takedowns.attention()).toEqual({ cameBack: 0, notDelivered: 1, followUps: 0 });
  clock.advance(2 * 86_400_000);
  await takedowns.settled();
  expect(server.named("abuse@hosting.example")).toBe(1);
  expect(() => takedowns.sendAgain(seq, { by: analyst })).toThrow("can be sent again");
});

test("a report that the mail server defers is sent later, with the same Message-ID, and fails after the last attempt", async () => {
  let deferrals = 1;
  const world = await openWorld({
    rejectContent: () => (deferrals-- > 0 ? { code: 451, text: "4.7.1 greylisted" } : undefined),
  });
  const { clock, id, server, takedowns } = world;
  takedowns.start();
  const add = (reference: string) => takedowns.add(reportOf([id], reference), { by: analyst }).report.seq;
  const first = add("PW-00000001");
  await until(() => takedowns.get(first).report.attempts === 1, "the attempt was recorded");
  await takedowns.settled();
  clock.advance(60_000);
  await settledAs(world, first, "sent");
  expect(server.mails.length).toBe(1);

  deferrals = 100;
  const second = add("PW-00000002");
  for (let attempts = 1; attempts <= 6; attempts++) {
    await until(() => takedowns.get(second).report.attempts === attempts, "the attempt was recorded");
    await takedowns.settled();
    clock.advance(6 * 3_600_000);
  }
  const report = await settledAs(world, second, "failed");
  expect(report.deliveryResponse).toContain("4.7.1 greylisted");
  deferrals = 0;
  takedowns.sendAgain(second, { by: analyst });
  await settledAs(world, second, "sent");
  expect(server.mails.map(({ raw }) => /Message-ID: (\S+)/i.exec(raw)![1])).toEqual([
    "<pw-00000001@defender.example>",
    "<pw-00000002@defender.example>",
  ]);
});

test("a queued report is not sent any more once its threats are false positives", async () => {
  const world = await openWorld({ rejectContent: () => ({ code: 451, text: "4.3.2 try later" }) });
  const { clock, id, server, takedowns, threats } = world;
  takedowns.start();
  const { seq } = takedowns.add(reportOf([id], "PW-00000001"), { by: analyst }).report;
  await until(() => takedowns.get(seq).report.attempts === 1, "the attempt was recorded");
  await takedowns.settled();
  threats.changeStatus([id], "false_positive", { by: analyst });
  clock.advance(60_000);
  const report = await settledAs(world, seq, "failed");
  expect(report.deliveryResponse).toContain("false positives");
  expect(server.named("abuse@hosting.example")).toBe(1);
});

test("a report that was queued when the process was killed is sent by the next one, and one that was being sent is not", async () => {
  const world = await openWorld();
  const { database, id, open, server, takedowns } = world;
  const add = (reference: string) => takedowns.add(reportOf([id], reference), { by: analyst }).report.seq;
  // This process never sends: it is killed first.
  const [queued, halfSent] = [add("PW-00000001"), add("PW-00000002")];
  database.sqlite.run("UPDATE takedown_reports SET delivery = 'sending', attempt_at = NULL WHERE seq = ?", [
    halfSent,
  ]);
  const next = open();
  cleanup.push(next.stop);
  next.start();
  await settledAs({ takedowns: next }, queued, "sent");
  expect(next.get(halfSent).report.delivery).toBe("interrupted");
  expect(server.mails.map(({ raw }) => raw.includes("PW-00000001"))).toEqual([true]);
  expect(next.attention().notDelivered).toBe(1);
  expect(world.lines.join("")).toContain("takedown.interrupted");
});

test("the outcome of an attempt is stored later if the database cannot be written, and nothing is sent twice", async () => {
  const world = await openWorld();
  const { clock, database, id, server, takedowns } = world;
  database.sqlite.run(
    `create trigger broken before update on takedown_reports when new.delivery = 'sent'
     begin select raise(abort, 'disk'); end`,
  );
  takedowns.start();
  const [first, second] = ["PW-00000001", "PW-00000002"].map(
    (reference) => takedowns.add(reportOf([id], reference), { by: analyst }).report.seq,
  );
  await until(() => world.lines.join("").includes("takedown.not_sent"), "the outcome was not stored");
  await takedowns.settled();
  expect(takedowns.get(first!).report.delivery).toBe("sending");
  database.sqlite.run("drop trigger broken");
  clock.advance(60_000);
  await settledAs(world, first!, "sent");
  await settledAs(world, second!, "sent");
  expect(server.mails.length).toBe(2);
});

test("a start at which the database cannot be written sends the queued reports a minute later", async () => {
  const world = await openWorld();
  const { clock, database, id, server, takedowns } = world;
  const { seq } = takedowns.add(reportOf([id], "PW-00000001"), { by: analyst }).report;
  const other = takedowns.add(reportOf([id], "PW-00000002"), { by: analyst }).report.seq;
  database.sqlite.run("update takedown_reports set delivery = 'sending', attempt_at = null where seq = ?", [
    other,
  ]);
  database.sqlite.run(
    "create trigger broken before update on takedown_reports begin select raise(abort, 'disk'); end",
  );
  takedowns.start();
  await until(() => world.lines.join("").includes("takedown.not_sent"), "the start failed");
  await takedowns.settled();
  database.sqlite.run("drop trigger broken");
  clock.advance(60_000);
  await settledAs(world, seq, "sent");
  expect(takedowns.get(other).report.delivery).toBe("interrupted");
  expect(server.mails.length).toBe(1);
});

test("a connection that breaks after the text was sent leaves the report interrupted, and nothing is sent twice", async () => {
  const server = await startBadMailServer(
    ["220 ready", "250 hello", "250 sender", "250 recipient", "354 go ahead"],
    (socket) => socket.destroy(),
  );
  const world = openTakedownWorld({ smtp: { ...server.settings, from: "phishwatch@defender.example" } });
  cleanup.push(world.dispose, server.stop, world.takedowns.stop);
  world.takedowns.start();
  const id = world.addThreat("exarnple-bank.com");
  const { seq } = world.takedowns.add(reportOf([id], "PW-00000001"), { by: analyst }).report;
  const report = await settledAs(world, seq, "interrupted");
  expect(report.attemptAt).toBeNull();
  world.clock.advance(86_400_000);
  await world.takedowns.settled();
  expect(world.takedowns.get(seq).report.attempts).toBe(1);
});

test("a report that was being sent at shutdown is not sent again by the next start", async () => {
  let isSent = false;
  const server = await startBadMailServer(
    ["220 ready", "250 hello", "250 sender", "250 recipient", "354 go ahead"],
    () => (isSent = true),
  );
  const world = openTakedownWorld({ smtp: { ...server.settings, from: "phishwatch@defender.example" } });
  cleanup.push(world.dispose, server.stop);
  const { open, takedowns } = world;
  takedowns.start();
  const id = world.addThreat("exarnple-bank.com");
  const { seq } = takedowns.add(reportOf([id], "PW-00000001"), { by: analyst }).report;
  await until(() => isSent, "the mail server has the text");
  await takedowns.stop();
  expect(takedowns.get(seq).report).toMatchObject({ delivery: "interrupted", attemptAt: null });
  const next = open();
  cleanup.push(next.stop);
  next.start();
  await next.settled();
  expect(next.get(seq).report.delivery).toBe("interrupted");
});
