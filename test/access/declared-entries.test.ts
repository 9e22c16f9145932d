import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Entry } from "../../src/access/entries/administration.ts";
import type { App } from "../../src/app/app.ts";
import channelTexts from "../../src/messaging/channels/all/presentation.json" with { type: "json" };
import endpointTexts from "../../src/messaging/channels/webhook/presentation.json" with { type: "json" };
import subscriptionTexts from "../../src/messaging/subscriptions/subscriptions/presentation.json" with { type: "json" };
import { StartError } from "../../src/platform/lib/errors.ts";
import listTexts from "../../src/response/outputs/block-lists/presentation.json" with { type: "json" };
import { openConsoleApp, type ConsoleApp } from "../support/console.ts";
import { tester as actor } from "../support/console-pages.ts";
import { schemaProblems } from "../support/json-schema.ts";

// The contract of the entries of every kind. Their own tests cover only what is special about them.

const by = { by: actor };
const noFilter = { minSeverity: "low", protectedDomains: [], types: [], sources: [], verifiedOnly: false };
const emptyTarget = { token: null, chatId: null, routingKey: null, topic: null, room: null, to: [] };

/** The administration of one kind of entries, as this test needs it. */
interface Administration {
  list(): Entry[];
  find(key: string): Entry | undefined;
  get(key: string): Entry;
  add(entry: object, options: typeof by): unknown;
  change(key: string, settings: object, options: typeof by): Entry;
  enable(key: string, options: typeof by): Entry;
  disable(key: string, options: typeof by): Entry;
  remove(key: string, options: typeof by): unknown;
  rotate?(key: string, options: typeof by): unknown;
  reconcile(declared: readonly object[]): void;
}

interface Kind {
  kind: string;
  idPrefix: string;
  configKey: string;
  /** Begins the names of actions in the audit log. */
  action: string;
  of(app: App): object;
  /** Settings of a new entry, beside its name. */
  settings: object;
  /** A setting with another value, its names in the audit log, and the same in the configuration file. */
  change: object;
  changed: string[];
  /** A declaration, beside its name. */
  declared: object;
  /** A part of a declaration that is not valid, and the end of the message. */
  invalid: object;
  message: string;
}

const kinds: Kind[] = [
  {
    kind: "list",
    idPrefix: "lst",
    configKey: "lists",
    action: "list",
    of: ({ lists }) => lists,
    settings: {},
    change: { minSeverity: "low" },
    changed: ["min_severity"],
    declared: {
      token: "a-token-of-the-configuration",
      statuses: ["active"],
      minSeverity: "high",
      verifiedOnly: true,
      protectedDomains: [],
      maxAgeMs: null,
    },
    invalid: { maxAgeMs: 1 },
    message: "the maximum age must be from 1h to 3650d",
  },
  {
    kind: "channel",
    idPrefix: "chn",
    configKey: "channels",
    action: "channel",
    of: ({ channels }) => ({
      ...channels,
      add: ({ name, ...target }: { name: string; url: string }, options: typeof by) =>
        channels.add({ name, type: "slack", target }, options),
    }),
    settings: { url: "https://hooks.slack.com/services/T0/B0/one" },
    change: { url: "https://hooks.slack.com/services/T0/B0/two" },
    changed: ["url"],
    declared: {
      ...emptyTarget,
      type: "slack",
      url: "https://hooks.slack.com/services/T0/B0/one",
      template: null,
      headers: {},
    },
    invalid: { url: null },
    message: "a channel of the type slack needs url",
  },
  {
    kind: "subscription",
    idPrefix: "sub",
    configKey: "subscriptions",
    action: "subscription",
    of: ({ notifications }) => notifications.subscriptions,
    settings: { channel: "team" },
    change: { digest: "hourly" },
    changed: ["digest"],
    declared: {
      channel: "team",
      events: ["threat.created"],
      filter: noFilter,
      digest: "none",
      at: 480,
      weekdays: [],
      timeZone: "UTC",
      quietHours: null,
    },
    invalid: { channel: "nobody" },
    message: "there is no channel nobody; channels: team",
  },
  {
    kind: "webhook endpoint",
    idPrefix: "whk",
    configKey: "webhooks.endpoints",
    action: "webhook",
    of: ({ webhooks }) => webhooks.endpoints,
    settings: { url: "https://1.1.1.1/hooks" },
    change: { ratePerSecond: 5 },
    changed: ["ratePerSecond"],
    declared: { url: "https://1.1.1.1/hooks", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
    invalid: { url: "https://169.254.169.254/" },
    message: "metadata address",
  },
];

const text = { type: "string", minLength: 1 };
/** Returns the schema of an object that has these properties and may have others of them. */
const objectOf = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const verbs = ["list", "show", "add", "change", "rotate", "enable", "disable", "remove"];
const commandTexts = objectOf({ summary: text, purpose: text, argument: text }, ["summary"]);
const control = objectOf(
  {
    key: { type: "string", pattern: "^[a-z_]+$" },
    label: text,
    hint: text,
    help: objectOf({ about: text, text, manual: { type: "string", pattern: "^[a-z-]+#[a-z-]+$" } }),
    placeholder: text,
    maxLength: { type: "integer" },
  },
  ["key", "label"],
);
const fieldTypes = ["secret", "texts", "headers", "path", "protected_domains", "yes_no", "all_threats"];
const ownType = {
  anyOf: [
    { enum: fieldTypes },
    objectOf({ clear: {} }),
    objectOf({ duration: text }),
    objectOf({ maximum: { type: "integer" }, whole: { type: "boolean" } }),
  ],
};
const option = { type: "string", pattern: "^--[a-z-]+( <[a-z|]+>)?$" };
const fieldTexts = {
  anyOf: [
    objectOf({ name: { const: "filter" }, type: { const: "filter" } }),
    objectOf(
      {
        name: { type: "string", pattern: "^[a-zA-Z]+$" },
        type: ownType,
        option,
        description: text,
        in: { type: "array", items: { enum: ["add", "change", "rotate"] } },
        required: text,
        control,
      },
      ["name", "option", "description"],
    ),
  ],
};

test.each([listTexts, channelTexts, subscriptionTexts, endpointTexts])(
  "the texts of $group are complete",
  (texts) => {
    const schema = objectOf({
      noun: text,
      group: text,
      summary: text,
      example: text,
      commands: objectOf(
        Object.fromEntries(verbs.map((verb) => [verb, commandTexts])),
        verbs.filter((verb) => verb !== "rotate"),
      ),
      fields: { type: "array", items: fieldTexts },
    });
    expect(schemaProblems(schema, texts)).toEqual([]);
  },
);

let opened: ConsoleApp;
beforeAll(() => {
  opened = openConsoleApp();
  const target = { url: "https://hooks.slack.com/services/T0/B0/team" };
  opened.app.channels.add({ name: "team", type: "slack", target }, by);
});
afterAll(() => opened.dispose());

describe.each(kinds)("entries of the kind $kind", (given) => {
  const { action, changed, configKey, idPrefix, kind, message } = given;
  const { change, declared, invalid, settings } = given;
  const entries = () => given.of(opened.app) as Administration;
  const own = () =>
    entries()
      .list()
      .filter(({ name }) => name !== "team");
  const attempt = async (work: () => unknown) => work();

  /** Returns the names of the actions that `work` recorded, with who made them. */
  async function recorded(work: () => unknown): Promise<string[]> {
    const { auditLog } = opened.app;
    const before = auditLog.count({});
    await work();
    const added = auditLog.list({}, { limit: auditLog.count({}) - before, offset: 0 });
    return added.toReversed().map((entry) => `${entry.channel} ${entry.action}`);
  }

  afterEach(async () => {
    entries().reconcile([]);
    for (const { id } of own()) await entries().remove(id, by);
  });

  test("are added, changed, disabled, enabled and removed, and each step is in the audit log", async () => {
    const all = await recorded(async () => {
      entries().add({ ...settings, name: "first" }, by);
      entries().change("first", change, by);
      expect(entries().disable("first", by)).toMatchObject({ enabled: false, disabledReason: "operator" });
      expect(entries().enable("first", by)).toMatchObject({ enabled: true, disabledReason: null });
      await entries().remove("first", by);
    });
    const steps = ["add", "change", "disable", "enable", "remove"];
    expect(all).toEqual(steps.map((step) => `console ${action}.${step}`));
    expect(own()).toEqual([]);
  });

  test("are found by name and by identifier, and listed by name", async () => {
    for (const name of ["second", "first"]) entries().add({ ...settings, name }, by);
    expect(own().map(({ name }) => name)).toEqual(["first", "second"]);
    const first = entries().get("first");
    expect(first).toMatchObject({ origin: "runtime", enabled: true });
    expect(first.id).toStartWith(`${idPrefix}_`);
    expect(entries().find(first.id)).toEqual(first);
    expect(entries().find("nobody")).toBeUndefined();
    for (const work of [
      () => entries().get("nobody"),
      () => entries().change("nobody", change, by),
      () => entries().remove("nobody", by),
    ])
      await expect(attempt(work)).rejects.toThrow(`There is no ${kind} nobody.`);
  });

  test("have names of their own", () => {
    entries().add({ ...settings, name: "first" }, by);
    const before = own();
    expect(() => entries().add({ ...settings, name: "first" }, by)).toThrow(/already taken|exists already/);
    expect(own()).toEqual(before);
  });

  test("record no change of nothing, and name what is changed", async () => {
    entries().add({ ...settings, name: "first" }, by);
    expect(await recorded(() => entries().change("first", change, by))).toHaveLength(1);
    const [entry] = opened.app.auditLog.list({}, { limit: 1, offset: 0 });
    expect(entry!.detail).toMatchObject({ changed });
    const again = await recorded(() => {
      entries().change("first", change, by);
      entries().enable("first", by);
      entries().disable("first", by);
      entries().disable("first", by);
    });
    expect(again).toEqual([`console ${action}.disable`]);
  });

  test("of the configuration file stay as they are when the server restarts", async () => {
    entries().reconcile([{ ...declared, name: "first" }]);
    const [first] = own();
    expect(first).toMatchObject({ name: "first", origin: "file", enabled: true });
    expect(await recorded(() => entries().reconcile([{ ...declared, name: "first" }]))).toEqual([]);
    expect(own()).toEqual([first!]);
  });

  test("follow the file: they are changed, disabled when no longer declared, and enabled when declared again", async () => {
    const both = [
      { ...declared, name: "first" },
      { ...declared, name: "second" },
    ];
    entries().reconcile(both);
    const { id } = entries().get("second");
    const actions = await recorded(() => {
      entries().reconcile([{ ...declared, ...change, name: "first" }]);
      entries().reconcile(both);
    });
    expect(actions).toEqual(
      ["change", "disable", "change", "enable"].map((step) => `configuration ${action}.${step}`),
    );
    expect(entries().get("second")).toMatchObject({ id, enabled: true, disabledReason: null });
  });

  test("of the file cannot be changed elsewhere, and are only removed when they are no longer declared", async () => {
    entries().reconcile([{ ...declared, name: "first" }]);
    const { rotate } = entries();
    const changes = [
      () => entries().change("first", change, by),
      ...(rotate === undefined ? [] : [() => rotate("first", by)]),
    ];
    for (const work of [...changes, () => entries().remove("first", by)])
      await expect(attempt(work)).rejects.toThrow(
        "first is declared in the configuration file; change it there",
      );
    entries().reconcile([]);
    expect(entries().get("first")).toMatchObject({ enabled: false, disabledReason: "undeclared" });
    for (const work of [...changes, () => entries().enable("first", by)])
      await expect(attempt(work)).rejects.toThrow(
        "first is no longer declared in the configuration file; declare it again, or remove it",
      );
    await entries().remove("first", by);
    expect(own()).toEqual([]);
  });

  test("of the file that a person disabled stay disabled across restarts, until a person enables them", async () => {
    entries().reconcile([{ ...declared, name: "first" }]);
    entries().disable("first", by);
    const disabled = { enabled: false, disabledReason: "operator", origin: "file" };
    entries().reconcile([{ ...declared, ...change, name: "first" }]);
    expect(entries().get("first")).toMatchObject(disabled);
    entries().enable("first", by);
    entries().reconcile([{ ...declared, name: "first" }]);
    expect(entries().get("first")).toMatchObject({ enabled: true, disabledReason: null });
  });

  test("that were added at run time are left alone by the file, unless it declares their name", () => {
    entries().add({ ...settings, name: "own" }, by);
    entries().add({ ...settings, name: "first" }, by);
    const { id } = entries().get("first");
    entries().reconcile([{ ...declared, name: "first" }]);
    expect(entries().get("own")).toMatchObject({ enabled: true, origin: "runtime" });
    expect(entries().get("first")).toMatchObject({ id, origin: "file" });
  });

  test("that are not valid end the start with their name, and change nothing", () => {
    const wrong = [
      { ...declared, name: "first" },
      { ...declared, ...invalid, name: "bad" },
    ];
    expect(() => entries().reconcile(wrong)).toThrow(StartError);
    expect(() => entries().reconcile(wrong)).toThrow(`${configKey} "bad": `);
    expect(() => entries().reconcile(wrong)).toThrow(message);
    expect(own()).toEqual([]);
  });
});
