import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Condition } from "../../../src/operations/conditions/condition.ts";
import { createConditionMonitor } from "../../../src/operations/conditions/monitor.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { openNotificationsWorld } from "../../support/notifications.ts";

const minuteMs = 60_000;

let world: ReturnType<typeof openNotificationsWorld>;
beforeEach(() => {
  world = openNotificationsWorld();
  world.addChannel("chat");
  world.start();
  world.subscribe({ events: ["system.source_stopped"] });
});
afterEach(async () => {
  await world.stop();
  world.folder.dispose();
});

function stopped(state: Condition["state"]): Condition {
  return {
    type: "system.source_stopped",
    key: "source feed nrd",
    state,
    began: { title: "The feed nrd has stopped", text: "No such file: https://evil.example/list" },
    ended: { title: "The feed nrd works again", text: "" },
    graceMs: 0,
  };
}

function openMonitor(states: readonly Condition["state"][]) {
  const left = [...states];
  const { clock, database, notifications } = world;
  return createConditionMonitor({
    clock,
    database,
    log: createLog({ level: "silent", format: "json", clock, write: () => {} }),
    messages: notifications.system,
    observe: () => Promise.resolve({ conditions: [stopped(left.shift() ?? "holds")], news: [] }),
  });
}

test("a condition becomes one message when it begins and one when it ends, also across a restart", async () => {
  await openMonitor([]).check();
  await openMonitor([]).check();
  await world.pass(minuteMs);
  const [notice, ...more] = world.notices();
  expect(more).toEqual([]);
  expect(notice).toMatchObject({
    kind: "system",
    title: "The feed nrd has stopped",
    summary: "No such file: hxxps[:]//evil[.]example/list",
    condition: { key: "source feed nrd", phase: "began" },
  });
  await openMonitor(["unknown"]).check();
  await openMonitor(["clear"]).check();
  await openMonitor(["clear"]).check();
  await world.pass(minuteMs);
  expect(world.titles()).toEqual(["The feed nrd works again"]);
});

test("a started monitor checks every half minute until it is stopped", async () => {
  const monitor = openMonitor([]);
  monitor.start();
  await world.pass(30_000);
  await monitor.stop();
  await world.pass(minuteMs);
  expect(world.titles()).toEqual(["The feed nrd has stopped"]);
});
