import { afterEach, beforeEach, expect, test } from "bun:test";
import type { SubscriptionConfig } from "../../../src/platform/config/sections/notifications.ts";
import { by, openNotificationsWorld } from "../../support/notifications.ts";

let world: ReturnType<typeof openNotificationsWorld>;
beforeEach(() => {
  world = openNotificationsWorld();
  world.addChannel("chat");
});
afterEach(() => world.dispose());

const declared: SubscriptionConfig = {
  name: "urgent",
  channel: "chat",
  events: ["threat.created"],
  filter: { minSeverity: "high", protectedDomains: [], types: [], sources: [], verifiedOnly: false },
  digest: "none",
  at: 480,
  weekdays: [],
  timeZone: "UTC",
  quietHours: null,
};
const actions = () =>
  world.auditLog
    .list({}, { limit: 50, offset: 0 })
    .map(({ action }) => action)
    .filter((action) => action.startsWith("subscription"));

test("a subscription without settings sends new threats at once", () => {
  const { subscriptions } = world.notifications;
  const added = subscriptions.add({ name: "all", channel: "chat" }, { by });
  expect(added).toMatchObject({
    channel: { name: "chat", type: "slack" },
    events: ["threat.created"],
    filter: { minSeverity: "low", verifiedOnly: false },
    digest: "none",
    timeZone: "UTC",
    enabled: true,
    origin: "runtime",
  });
  expect(added.id).toStartWith("sub_");
  expect(subscriptions.find("all")).toEqual(added);
  expect(subscriptions.get(added.id)).toEqual(added);
});

test("settings are brought into their normal form", () => {
  const added = world.notifications.subscriptions.add(
    {
      name: "all",
      channel: world.channels.get("chat").id,
      events: ["threat.resolved", "threat.created", "threat.resolved"],
      filter: {
        ...declared.filter,
        protectedDomains: ["Example-Bank.COM", "example-bank.com"],
        sources: ["scan"],
      },
      weekdays: ["fri", "mon"],
    },
    { by },
  );
  expect(added).toMatchObject({
    events: ["threat.created", "threat.resolved"],
    filter: { protectedDomains: ["example-bank.com"], sources: ["scan"] },
    weekdays: ["mon", "fri"],
  });
});

const invalid: [settings: object, message: string][] = [
  [{ channel: "caht" }, "there is no channel caht; channels: chat"],
  [{ name: "sub_x" }, "a name cannot begin with sub_"],
  [{ name: " " }, "a name has 1 to 100 visible characters"],
  [{ events: [] }, "a subscription needs an event type, such as threat.created"],
  [{ events: ["threat.deleted"] }, "threat.deleted is no event type"],
  [
    { timeZone: "Mars/Phobos" },
    'the time zone must be a time zone such as "Europe/Berlin" or "UTC", not "Mars/Phobos"',
  ],
  [{ at: 1_440 }, 'the time of a daily digest must be a time such as "08:00"'],
  [{ quietHours: { from: 60, to: 60 } }, "the quiet hours must be two different times"],
  [{ filter: { ...declared.filter, protectedDomains: ["not a domain"] } }, '"not a domain" is not a domain'],
  [{ filter: { ...declared.filter, types: ["squatting"] } }, "squatting is no threat type"],
];
test.each(invalid)("a subscription with %j is rejected with what to change", (settings, message) => {
  const { subscriptions } = world.notifications;
  expect(() => subscriptions.add({ name: "all", channel: "chat", ...settings }, { by })).toThrow(message);
  expect(subscriptions.list()).toEqual([]);
  expect(actions()).toEqual([]);
});

test("every change is recorded in the audit log, and a change of nothing is not", async () => {
  const { subscriptions } = world.notifications;
  let notified = 0;
  subscriptions.onChanged(() => (notified += 1));
  const { id } = subscriptions.add({ name: "all", channel: "chat" }, { by });
  subscriptions.change(id, { digest: "daily", at: 510 }, { by });
  subscriptions.change(id, { digest: "daily" }, { by });
  subscriptions.disable(id, { by });
  subscriptions.disable(id, { by });
  subscriptions.enable(id, { by });
  await subscriptions.remove(id, { by });
  expect(actions()).toEqual([
    "subscription.remove",
    "subscription.enable",
    "subscription.disable",
    "subscription.change",
    "subscription.add",
  ]);
  const [, , , change] = world.auditLog.list({}, { limit: 50, offset: 0 });
  expect(change!.detail).toMatchObject({
    changed: ["digest", "at"],
    channel: "chat",
    digest: "daily at 08:30",
  });
  expect(notified).toBeGreaterThanOrEqual(5);
  expect(subscriptions.list()).toEqual([]);
});

test("a subscription disappears with its channel", async () => {
  const { subscriptions } = world.notifications;
  subscriptions.add({ name: "all", channel: "chat" }, { by });
  await world.channels.remove("chat", { by });
  expect(subscriptions.list()).toEqual([]);
});

test("removing a channel removes its subscriptions, with audit entries, unless one is declared", async () => {
  const { subscriptions } = world.notifications;
  world.addChannel("other");
  world.subscribe({ name: "kept", channel: "other" });
  world.subscribe({ name: "removed" });
  subscriptions.reconcile([declared]);
  const remove = () => world.channels.remove("chat", { by });
  await expect(remove()).rejects.toThrow(
    "urgent is declared in the configuration file; remove it there first",
  );
  expect(world.channels.get("chat").enabled).toBeTrue();
  subscriptions.reconcile([]);
  await remove();
  expect(subscriptions.list().map(({ name }) => name)).toEqual(["kept"]);
  expect(actions().slice(0, 2)).toEqual(["subscription.remove", "subscription.remove"]);
});
