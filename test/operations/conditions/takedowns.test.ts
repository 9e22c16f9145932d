import { afterEach, expect, test } from "bun:test";
import { createConditionMonitor } from "../../../src/operations/conditions/monitor.ts";
import { takedownConditions } from "../../../src/operations/conditions/observed.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { consoleLinks } from "../../../src/messaging/content/texts/links.ts";
import { conditionChanged } from "../../../src/messaging/content/texts/system-texts.ts";
import type { SystemMessage } from "../../../src/messaging/subscriptions/system-messages.ts";
import { analyst } from "../../support/stores.ts";
import { openTakedownWorld, reportOf } from "../../support/takedowns.ts";

const dayMs = 86_400_000;
const links = consoleLinks("https://phishwatch.example.com");
let world: ReturnType<typeof openTakedownWorld> | undefined;
afterEach(() => world?.dispose());

function openMonitored() {
  const opened = (world = openTakedownWorld());
  const { clock, database, takedowns } = opened;
  const sent: SystemMessage[] = [];
  const monitor = createConditionMonitor({
    clock,
    database,
    log: createLog({ level: "silent", format: "json", clock, write: () => {} }),
    messages: { send: (message) => void sent.push(message) },
    observe: () => Promise.resolve({ conditions: takedownConditions(takedowns), news: [] }),
  });
  /** Checks twice, and returns the messages since the last call as people read them. */
  const messages = async () => {
    await monitor.check();
    await monitor.check();
    return sent.splice(0).map((message) => {
      expect([message.type, message.phase]).toEqual(["system.takedown_attention", "began"]);
      const { title, summary, links: shown } = conditionChanged(message, links);
      return { title, summary, url: shown[0]!.url };
    });
  };
  return { ...opened, messages };
}

test("people hear once of a follow-up that is due, of a bounce, and of a site that came back, with a link", async () => {
  const { addThreat, clock, messages, setSite, takedowns } = openMonitored();
  const id = addThreat("exarnple-bank.com");
  setSite(id, "up");
  const manual = { method: "manual" as const, messageId: null };
  const { seq } = takedowns.add(reportOf([id], "PW-00000001", manual), { by: analyst }).report;
  expect(await messages()).toEqual([]);
  clock.advance(2 * dayMs);
  expect(await messages()).toEqual([
    {
      title: "The follow-up of the report PW-00000001 is due",
      summary: expect.stringMatching(
        /^1 site reported to Example Hosting on .*: exarnple-bank\[\.\]com\. Follow up, or escalate/,
      ),
      url: `https://phishwatch.example.com/console/takedowns/${seq}`,
    },
  ]);
  // Postponed and due again: it is another occurrence.
  takedowns.postpone(seq, clock.now() + dayMs, { by: analyst });
  expect(await messages()).toEqual([]);
  clock.advance(dayMs);
  expect((await messages()).map(({ title }) => title)).toEqual([
    "The follow-up of the report PW-00000001 is due",
  ]);

  const recipient = { ...reportOf([id], "PW-00000002").recipient, name: "Host\u202e @all" };
  const second = reportOf([id], "PW-00000002", { purpose: "follow_up", previousSeq: seq, recipient });
  const bounced = takedowns.add(second, { by: analyst }).report.seq;
  world!.database.sqlite.run(
    "UPDATE takedown_reports SET delivery = 'bounced', attempt_at = NULL, delivery_response = ? WHERE seq = ?",
    ["550 5.1.1 no such user\u202e http://evil.example/ @all", bounced],
  );
  expect(await messages()).toEqual([
    {
      title: "The report PW-00000002 was not delivered",
      summary: expect.stringMatching(/bounced \(550 5.*hxxp\[:\]\/\/evil\[\.\]example\/ \[at\]all\)/),
      url: `https://phishwatch.example.com/console/takedowns/${bounced}`,
    },
  ]);

  setSite(id, "down");
  expect(await messages()).toEqual([]);
  clock.advance(dayMs);
  setSite(id, "back");
  expect(await messages()).toEqual([
    {
      title: "exarnple-bank[.]com came back after a takedown",
      summary: expect.stringContaining("is up again since"),
      url: "https://phishwatch.example.com/console/takedowns",
    },
  ]);
  setSite(id, "down");
  expect(await messages()).toEqual([]);
});

test("many follow-ups at once are ten messages and one that says that there are more", async () => {
  const { addThreat, clock, messages, setSite, takedowns } = openMonitored();
  const seqs = Array.from({ length: 13 }, (_, index) => {
    const id = addThreat(`exarnple-bank${index}.com`);
    setSite(id, "up");
    const reference = `PW-000000${10 + index}`;
    const report = reportOf([id], reference, { method: "manual", messageId: null });
    return takedowns.add(report, { by: analyst }).report.seq;
  });
  clock.advance(2 * dayMs);
  const first = await messages();
  expect(first.length).toBe(11);
  expect(first.at(-1)).toMatchObject({
    title: "More than 10 follow-ups are due",
    url: "https://phishwatch.example.com/console/takedowns",
  });
  for (const seq of seqs.slice(0, 2)) takedowns.close(seq, { by: analyst });
  expect((await messages()).map(({ title }) => title)).toEqual([
    "The follow-up of the report PW-00000020 is due",
    "The follow-up of the report PW-00000021 is due",
  ]);
});
