import { afterEach, beforeEach, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { eventSchemas } from "../../../src/web/api/v1/openapi.ts";
import { apiOperations } from "../../../src/web/api/v1/operations.ts";
import { eventTypes } from "../../../src/platform/vocabulary/events.ts";
import { openApi, type Api } from "../../support/api.ts";

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

test("the server URL of the document ends with /v1, and the document states the version", async () => {
  const { json } = await api.call("GET", "/openapi.json");
  expect(json.servers).toEqual([{ url: "http://phishwatch.test/v1" }]);
  expect(json.info.version).toBe("1.2.3");
});

test("the document describes exactly the operations that are registered under /v1", async () => {
  const { json } = await api.call("GET", "/openapi.json");
  const described = Object.entries<object>(json.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} /v1${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    ),
  );
  const registered = api.server.routes
    .filter(({ method, path }) => path.startsWith("/v1") && method !== "ALL")
    .map(({ method, path }) => `${method} ${path}`);
  expect(described.sort()).toEqual(registered.sort());
});

test("the document states the scope of each operation", async () => {
  const { json } = await api.call("GET", "/openapi.json");
  for (const { method, path, scope } of apiOperations({ maxPerPage: 100, maxBatchIds: 1000 })) {
    const { description } = json.paths[path.replace("/v1", "")][method.toLowerCase()];
    expect(description).toEndWith(`Requires the scope \`${scope}\`.`);
  }
});

test("every example is valid against its own schema", async () => {
  const { json } = await api.call("GET", "/openapi.json");
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const addFormats = await import("ajv-formats");
  const ajv = new Ajv2020({ strict: false });
  addFormats.default.default(ajv);
  ajv.addSchema(json, "document");
  let examples = 0;
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value !== "object" || value === null) return;
    const { schema, example } = value as { schema?: unknown; example?: unknown };
    if (schema !== undefined && example !== undefined) {
      examples += 1;
      const validate = ajv.compile({ $ref: `document#${pointer}/schema` });
      expect([pointer, validate(example), validate.errors]).toEqual([pointer, true, null]);
    }
    for (const [name, part] of Object.entries(value)) {
      if (name !== "example")
        visit(part, `${pointer}/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`);
    }
  };
  visit(json, "");
  expect(examples).toBeGreaterThan(10);
});

test("the document describes the body of every event type", () => {
  expect(eventSchemas.map(({ type }) => type)).toEqual([...eventTypes, "webhook.ping"]);
});
