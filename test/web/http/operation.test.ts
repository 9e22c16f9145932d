import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { jsonBody } from "../../../src/web/http/body/json-body.ts";
import { createSchemaWriter, describeOperations } from "../../../src/web/http/openapi.ts";
import { operationsOf } from "../../../src/web/http/operation.ts";
import { choiceParameter, integerParameter, textParameter } from "../../../src/web/http/query.ts";
import { choice, closed } from "../../../src/platform/vocabulary/schemas.ts";
import { testBodies } from "../../support/bodies.ts";

interface Services {
  greeting: string;
}

const operation = operationsOf<Services, string>();
const common = {
  path: "/things/{id}",
  id: "thing",
  summary: "Does a thing",
  params: { id: Type.String({ description: "ID of the thing" }) },
  response: { description: "The thing", schema: Type.Object({}) },
} as const;

const read = operation({
  ...common,
  method: "GET",
  query: {
    color: choiceParameter(["red", "green"], "Color of the thing"),
    page: integerParameter({ description: "Page number", maximum: 9, absent: 1 }),
    name: textParameter("Name of the thing"),
  },
  run: ({ greeting }, { caller, params, query, body }) => ({ greeting, caller, params, query, body }),
});

const write = operation({
  ...common,
  method: "POST",
  body: jsonBody(Type.Object({ count: Type.Integer() }, closed), { example: { count: 1 } }),
  run: (_services, { body }) => ({ doubled: body.count * 2 }),
});

const optional = operation({
  ...common,
  method: "POST",
  body: jsonBody(Type.Object({ count: Type.Optional(Type.Integer()) }, closed)),
  run: (_services, { body }) => ({ count: body.count ?? "none" }),
});

function call(target: typeof read, query = "", body?: string) {
  const init =
    body === undefined
      ? { method: "POST" }
      : { method: "POST", body, headers: { "content-type": "application/json" } };
  const request = new Request(`http://localhost/things/1${query}`, init);
  return target.execute(
    { greeting: "hello" },
    { caller: "me", request, params: { id: "1" }, bodies: testBodies() },
  );
}

describe("an operation", () => {
  test("without a body returns its result synchronously, with parsed parameters and the values of absent ones", () => {
    expect(call(read)).toEqual({
      greeting: "hello",
      caller: "me",
      params: { id: "1" },
      query: { color: undefined, page: 1, name: undefined },
      body: undefined,
    });
    expect(call(read, "?page=3&color=red&name=a%20b")).toMatchObject({
      query: { color: "red", page: 3, name: "a b" },
    });
  });

  test.each([
    ["?color=blue", 'color is "blue"; allowed: red, green.'],
    ["?page=10", 'page is "10"; allowed: a whole number from 1 to 9.'],
    ["?page=1&page=1", "page is given more than once"],
    ["?name=", "name is empty"],
    ["?size=1", 'There is no parameter "size"; there are: color, page, name.'],
  ])("rejects the query %s", (query, message) => {
    expect(() => call(read, query)).toThrow(message);
  });

  test("checks the query before it reads the body", async () => {
    await expect(call(write, "?x=1", "{")).rejects.toThrow('There is no parameter "x"; there are none here.');
    await expect(call(write, "", "{")).rejects.toThrow("The body is not valid JSON.");
    await expect(call(write, "", '{"count":"1"}')).rejects.toThrow('"count"');
    expect(await call(write, "", '{"count":2}')).toEqual({ doubled: 4 });
  });

  test("needs no body if all fields of the body are optional", async () => {
    expect(await call(optional)).toEqual({ count: "none" });
    expect(await call(optional, "", '{"count":2}')).toEqual({ count: 2 });
    await expect(call(write)).rejects.toThrow("Content-Type is missing; send application/json.");
  });
});

describe("the description of operations", () => {
  test("contains parameters, body and responses, without the code that runs the operation", () => {
    const schemas = createSchemaWriter();
    const paths = describeOperations([read, write], {
      schemas,
      responses: () => ({ 400: { description: "invalid" } }),
    });
    expect(paths).toEqual({
      "/things/{id}": {
        get: {
          operationId: "thing",
          summary: "Does a thing",
          parameters: [
            {
              name: "id",
              in: "path",
              required: true,
              description: "ID of the thing",
              schema: { type: "string" },
            },
            {
              name: "color",
              in: "query",
              required: false,
              description: "Color of the thing",
              schema: { type: "string", enum: ["red", "green"] },
            },
            {
              name: "page",
              in: "query",
              required: false,
              description: "Page number",
              schema: { type: "integer", minimum: 1, maximum: 9, default: 1 },
            },
            {
              name: "name",
              in: "query",
              required: false,
              description: "Name of the thing",
              schema: { type: "string" },
            },
          ],
          responses: {
            200: {
              description: "The thing",
              content: { "application/json": { schema: { type: "object", properties: {} } } },
            },
            400: { description: "invalid" },
          },
        },
        post: {
          operationId: "thing",
          summary: "Does a thing",
          parameters: [
            {
              name: "id",
              in: "path",
              required: true,
              description: "ID of the thing",
              schema: { type: "string" },
            },
          ],
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  required: ["count"],
                  properties: { count: { type: "integer" } },
                  additionalProperties: false,
                },
                example: { count: 1 },
              },
            },
          },
          responses: {
            200: {
              description: "The thing",
              content: { "application/json": { schema: { type: "object", properties: {} } } },
            },
            400: { description: "invalid" },
          },
        },
      },
    });
  });

  test("refers to schemas that have an $id, and collects them as components", () => {
    const schemas = createSchemaWriter();
    const part = Type.Object({ color: choice(["red", "green"], { description: "Color" }) }, { $id: "Part" });
    const whole = Type.Object({ parts: Type.Array(part) }, { $id: "Whole" });
    expect(schemas.write(Type.Object({ whole, part }))).toMatchObject({
      properties: {
        whole: { $ref: "#/components/schemas/Whole" },
        part: { $ref: "#/components/schemas/Part" },
      },
    });
    expect(schemas.components()).toEqual({
      Part: {
        type: "object",
        required: ["color"],
        properties: { color: { type: "string", enum: ["red", "green"], description: "Color" } },
      },
      Whole: {
        type: "object",
        required: ["parts"],
        properties: { parts: { type: "array", items: { $ref: "#/components/schemas/Part" } } },
      },
    });
  });
});
