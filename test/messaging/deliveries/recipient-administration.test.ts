import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Actor } from "../../../src/access/audit/actor.ts";
import { createRecipientAdministration } from "../../../src/messaging/deliveries/administration/recipient-administration.ts";
import type { Channel } from "../../../src/messaging/deliveries/channel.ts";
import { createRecipients } from "../../../src/messaging/deliveries/recipients.ts";
import { systemClock as clock } from "../../../src/platform/lib/clock.ts";
import { openWebhooks, type OpenWebhooks } from "../../support/webhooks.ts";

const by: Actor = { channel: "command_line", name: "tester", address: null };
const channel: Channel<{ path: string }> = {
  kind: "file",
  recipients: {
    noun: "event file",
    idPrefix: "fil",
    configKey: "event_files",
    auditedProperties: ["path"],
    addressOf: ({ path }) => path,
    describe: ({ target: { path } }) => ({ path }),
  },
  subscribesToEvents: true,
  failures: {},
  validate: (target) => target,
  send: () => Promise.resolve("aborted"),
};
const declared = (path: string) => ({
  name: "siem",
  channel: "file",
  events: [],
  concurrency: null,
  ratePerSecond: null,
  target: () => ({ path }),
});

describe("the recipients of a second channel", () => {
  let webhooks: OpenWebhooks;
  beforeEach(() => {
    webhooks = openWebhooks();
  });
  afterEach(() => webhooks.dispose());

  function administer() {
    const { auditLog, database, ids } = webhooks;
    const recipients = createRecipients({ channels: new Map([[channel.kind, channel]]), clock, database });
    const { kind, recipients: traits } = channel;
    return createRecipientAdministration({
      auditLog,
      clock,
      database,
      ids,
      kinds: [kind],
      recipients,
      traits,
    });
  }

  test("are declared, disabled and enabled with audit actions that begin with the channel's name", () => {
    const files = administer();
    files.reconcile([declared("/a")]);
    files.reconcile([declared("/b")]);
    files.reconcile([]);
    expect(() => files.enable("siem", { by })).toThrow(/configuration file/);
    files.reconcile([declared("/b")]);
    expect(files.get("siem")).toMatchObject({ channel: "file", enabled: true, target: { path: "/b" } });
    files.disable("siem", { by });
    expect(files.get("siem")).toMatchObject({ enabled: false });
    files.enable("siem", { by });
    expect(files.get("siem")).toMatchObject({ enabled: true });
    const entries = webhooks.auditLog.list({}, { limit: 10, offset: 0 }).toReversed();
    expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
      ["file.add", { path: "/a" }],
      ["file.change", { changed: ["path"], path: "/b" }],
      ["file.disable", {}],
      ["file.enable", {}],
      ["file.disable", {}],
      ["file.enable", {}],
    ]);
  });

  test("are found by name for a replay, which is recorded for their channel", async () => {
    const { id } = administer().add({ ...declared("/a"), target: { path: "/a" }, enabled: true }, { by });
    expect(id).toStartWith("fil_");
    expect(webhooks.recipients.get("siem").id).toBe(id);
    await webhooks.replay.run({ which: "all", recipient: id, since: 0 });
    expect(webhooks.auditLog.list({}, { limit: 1, offset: 0 })[0]!.action).toBe("file.replay");
    expect(() => webhooks.recipients.get("nobody")).toThrow(/There is no endpoint nobody/);
    expect(() => webhooks.endpoints.get("siem")).toThrow(/There is no webhook endpoint siem/);
  });
});
