import { afterEach, beforeEach, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { scopes } from "../../src/vocabulary/keys.ts";
import { eventSchemas } from "../../src/api/v1/event-schemas.ts";
import { describeOperations } from "../../src/api/v1/openapi-operations.ts";
import { eventTypes } from "../../src/vocabulary/events.ts";
import { openApi, type Api } from "../support/api.ts";

let api: Api;
beforeEach(() => void (api = openApi()));
afterEach(() => api.dispose());

test("the document is valid OpenAPI 3.1", async () => {
  const { json } = await api.call("GET", "/openapi.json");
  const validator = new Validator();
  const { valid, errors } = await validator.validate(json);
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

test("the document names this server and this version", async () => {
  const { json } = await api.call("GET", "/openapi.json");
  expect(json.servers).toEqual([{ url: "http://phishwatch.test" }]);
  expect(json.info.version).toBe("1.2.3");
});

test("every route under /v1 is described, and nothing else is", () => {
  const described = describeOperations({ maxPerPage: 100, maxBatchIds: 1000 })
    .map(({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`)
    .sort();
  const registered = api.server.routes
    .filter(({ method, path }) => path.startsWith("/v1") && method !== "ALL")
    .map(({ method, path }) => `${method} ${path}`)
    .sort();
  expect(described).toEqual(registered);
});

test("every described operation needs the scope that the document says", async () => {
  for (const { method, path, scope } of describeOperations({ maxPerPage: 100, maxBatchIds: 1000 })) {
    const lacking = api.key({ scopes: scopes.filter((one) => one !== scope) });
    const answer = await api.call(method.toUpperCase(), path.replace("{id}", "x"), { key: lacking });
    expect([path, answer.status, answer.json.error.message.includes(scope)]).toEqual([path, 403, true]);
  }
});

test("every example is what its own schema describes", async () => {
  const { json } = await api.call("GET", "/openapi.json");
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const addFormats = await import("ajv-formats");
  const ajv = new Ajv2020({ strict: false });
  addFormats.default.default(ajv);
  ajv.addSchema(json, "document");
  let examples = 0;
  const look = (value: unknown, pointer: string): void => {
    if (typeof value !== "object" || value === null) return;
    const { schema, example } = value as { schema?: unknown; example?: unknown };
    if (schema !== undefined && example !== undefined) {
      examples += 1;
      const validate = ajv.compile({ $ref: `document#${pointer}/schema` });
      expect([pointer, validate(example), validate.errors]).toEqual([pointer, true, null]);
    }
    for (const [name, part] of Object.entries(value)) {
      if (name !== "example")
        look(part, `${pointer}/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`);
    }
  };
  look(json, "");
  expect(examples).toBeGreaterThan(10);
});

test("every event type is described with its body", () => {
  expect(eventSchemas.map(({ type }) => type)).toEqual([...eventTypes, "webhook.ping"]);
});
