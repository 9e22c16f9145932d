import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createAuditLog } from "../../../src/access/audit/audit-log.ts";
import type { TrapKind } from "../../../src/response/traps/kind.ts";
import { trapKinds } from "../../../src/response/traps/kinds/kinds.ts";
import beaconTexts from "../../../src/response/traps/kinds/beacon/presentation.json" with { type: "json" };
import honeytokenTexts from "../../../src/response/traps/kinds/honeytoken/presentation.json" with { type: "json" };
import {
  honeytokenKinds,
  rotates,
  trapAuditAction,
  trapIdPrefix,
  trapKindNames,
  visitClasses,
} from "../../../src/platform/vocabulary/traps.ts";
import { schemaProblems } from "../../support/json-schema.ts";
import { analyst } from "../../support/stores.ts";
import { openTrapWorld, type TrapWorld } from "../../support/traps.ts";

test("every kind has its own name, prefix of identifiers, and path", () => {
  expect(trapKinds.map(({ name }) => name)).toEqual(trapKindNames);
  for (const values of [
    trapKindNames.map(trapIdPrefix),
    trapKinds.map(({ pathSegment }) => pathSegment),
    trapKinds.map(({ presentation }) => presentation.title),
  ])
    expect(new Set(values).size).toBe(values.length);
});

test("some kind describes every class of visits", () => {
  const described = new Set(trapKinds.flatMap(({ presentation }) => Object.keys(presentation.visitClasses)));
  expect(visitClasses.filter((name) => !described.has(name))).toEqual([]);
});

const text = { type: "string", minLength: 1 };
const listOf = (items: object) => ({ type: "array", items });
const oneOf = (...values: string[]) => ({ type: "string", enum: values });
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const field = {
  type: oneOf("protected_domain", "hosts", "expiry", "text", "multiline", "url", "choice"),
  lengthMax: { type: "integer" },
  choices: listOf(object({ value: text, label: text, hint: text })),
  only: oneOf("link", "page", "redirect"),
  excludes: listOf(text),
};
/** The choices among the texts of a presentation, which the compiler does not check. */
const presentationSchema = object({
  icon: oneOf("beacon", "honey"),
  create: object({ examples: listOf({ ...listOf(text), minItems: 2, maxItems: 2 }) }),
  fields: listOf(object(field, { required: ["type"] })),
  visitColumns: listOf(oneOf("page", "threat", "request", "user_agent", "referrer")),
  visitClasses: { type: "object", propertyNames: { enum: visitClasses }, additionalProperties: text },
  steps: listOf(object({ text, label: text, level: oneOf("fact", "advanced") })),
  fileTexts: object({ formats: listOf(object({ format: oneOf("docx", "pdf") })) }),
});

test.each([
  ["beacons", beaconTexts],
  ["honeytokens", honeytokenTexts],
])("the texts of %s have the form of a presentation", (_, texts) => {
  expect(schemaProblems(presentationSchema, texts)).toEqual([]);
  for (const { type, ...given } of texts.fields) {
    expect("choices" in given).toBe(type === "choice");
    expect("lengthMax" in given).toBe(["text", "multiline", "url"].includes(type));
  }
});

test("the choices for a new honeytoken are its kinds", () => {
  const kind = honeytokenTexts.fields.find(({ name }) => name === "kind");
  expect(kind?.choices?.map(({ value }) => value)).toEqual([...honeytokenKinds]);
});

/** Values of the fields of a new trap, by kind. */
const values: Record<string, Record<string, string>> = {
  beacon: { domain: "example-bank.com" },
  honeytoken: { kind: "url" },
};

describe.each(trapKinds.map((kind): [string, TrapKind] => [kind.name, kind]))("a %s", (name, kind) => {
  let world: TrapWorld;
  beforeEach(() => void (world = openTrapWorld()));
  afterEach(() => world.dispose());

  const create = () => world.traps.of(kind).create(kind.presentation.read(values[name]!), { by: analyst });
  const audited = () =>
    createAuditLog(world.stores)
      .list({ channel: analyst.channel }, { limit: 9, offset: 0 })
      .map(({ action, channel, address, subject }) => ({ action, channel, address, subject }))
      .reverse();

  test("records each change with its actor, and nothing for a change to the present state", () => {
    const traps = world.traps.of(kind);
    const { id, name: subject } = create();
    traps.setEnabled(id, true, { by: analyst });
    traps.setEnabled(id, false, { by: analyst });
    traps.setEnabled(id, false, { by: analyst });
    traps.setEnabled(id, true, { by: analyst });
    if (rotates(kind.name)) traps.rotate(id, { watchOld: true, by: analyst });
    traps.delete(id, { by: analyst });
    const rotated = rotates(kind.name) ? (["rotate"] as const) : [];
    const changes = ["create", "disable", "enable", ...rotated, "remove"] as const;
    expect(audited()).toEqual(
      changes.map((change) => ({
        action: trapAuditAction(kind.name, change),
        channel: analyst.channel,
        address: analyst.address,
        subject,
      })),
    );
  });

  test("is neither created nor audited if the input is invalid", () => {
    const input = kind.presentation.read(values[name]!);
    expect(() => world.traps.of(kind).create({ ...input, memo: "x".repeat(1_001) }, { by: analyst })).toThrow(
      "memo",
    );
    expect(world.traps.of(kind).list()).toEqual([]);
    expect(audited()).toEqual([]);
  });

  test("has a URL below the path of its kind, and at least one step of deployment with it", () => {
    const trap = create();
    const links = world.traps.links(kind, trap);
    expect(links.url).toStartWith(`https://traps.test/${kind.pathSegment}/${trap.address}`);
    const [first] = kind.presentation.deployment(trap, links);
    expect(first!.snippet).toContain(links.url);
  });

  test("counts a visit to its URL", async () => {
    const trap = create();
    world.request(new URL(world.traps.links(kind, trap).url).pathname);
    await world.traps.flush();
    expect(world.traps.visits.totals(trap.id)).toMatchObject([{ total: 1 }]);
  });
});
