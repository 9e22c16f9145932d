import type { TSchema } from "@sinclair/typebox";
import { eventSchemas } from "./event-schemas.ts";
import { describeOperations, type Operation } from "./openapi-operations.ts";
import { responseSchemas } from "./response-schemas.ts";

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document, made from the same schemas that requests are checked with. */
export function describeApi({
  publicUrl,
  version,
  maxPerPage,
  maxBatchIds,
}: {
  publicUrl: string;
  version: string;
  maxPerPage: number;
  maxBatchIds: number;
}): Json {
  const operations = describeOperations({ maxPerPage, maxBatchIds });
  return {
    openapi: "3.1.0",
    info: {
      title: "phishwatch",
      version,
      summary: "Look-alikes of your domains.",
      description: introduction,
      license,
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }],
    tags: [
      { name: "Threats", description: "Domains that imitate a protected one." },
      { name: "Candidates", description: "Names to be checked." },
    ],
    paths: pathsOf(operations),
    webhooks: Object.fromEntries(eventSchemas.map((event) => [event.type, webhookOf(event)])),
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key: `phishwatch keys create`." },
      },
      schemas: plain(responseSchemas),
      headers,
      responses: Object.fromEntries(errors.map((error) => [error.name, errorResponse(error)])),
    },
  };
}

const license = { name: "MIT", identifier: "MIT" };

const introduction = `Every request carries an API key: \`Authorization: Bearer <API key>\`. Times are ISO 8601 in UTC, domain names are lower case and in A-label form.

A limited key is told in every answer how it stands. Errors are \`{ "error": { "code", "message" } }\`: the code is for programs, the message says what to change. Every answer has an \`X-Request-Id\`, which is the caller's where it sent one.

What happens is also told by webhooks; their bodies are described under Webhooks.`;

const headers = {
  RequestId: header("The caller's X-Request-Id, or a new one.", { type: "string" }),
  RateLimit: header("Requests that the key's plan allows in a minute. Absent for unlimited keys.", {
    type: "integer",
  }),
  Remaining: header("Requests that are left in this minute.", { type: "integer" }),
  Reset: header("Unix time in seconds at which all of them may be made again.", { type: "integer" }),
  RetryAfter: header("Seconds until a request may be made again.", { type: "integer" }),
  Authenticate: header("How to authenticate.", { const: "Bearer" }),
};

function header(description: string, schema: Json): Json {
  return { description, schema };
}

const headerRef = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });
const requestIdHeader = { "X-Request-Id": headerRef("RequestId") };
const limitHeaders = {
  ...requestIdHeader,
  "X-RateLimit-Limit": headerRef("RateLimit"),
  "X-RateLimit-Remaining": headerRef("Remaining"),
  "X-RateLimit-Reset": headerRef("Reset"),
};

interface ErrorDescription {
  name: string;
  status: number;
  code: string;
  description: string;
  message: string;
  headers: Json;
}

const errors: ErrorDescription[] = [
  {
    name: "BadRequest",
    status: 400,
    code: "bad_request",
    description: "A parameter or the body is wrong; the message names it and says what is allowed.",
    message: 'status is "open"; allowed: active, resolved, false_positive.',
    headers: limitHeaders,
  },
  {
    name: "Unauthorized",
    status: 401,
    code: "unauthorized",
    description: "The API key is missing, unknown, revoked or expired.",
    message: "This API key is unknown, revoked or expired.",
    headers: { ...requestIdHeader, "WWW-Authenticate": headerRef("Authenticate") },
  },
  {
    name: "Forbidden",
    status: 403,
    code: "forbidden",
    description: "The key lacks the scope, or is bound to other protected domains.",
    message: "This API key is bound to other protected domains.",
    headers: limitHeaders,
  },
  {
    name: "NotFound",
    status: 404,
    code: "not_found",
    description: "There is no such threat.",
    message: "There is no threat with this id.",
    headers: limitHeaders,
  },
  {
    name: "RateLimitExceeded",
    status: 429,
    code: "rate_limit_exceeded",
    description: "The key has used up its requests of this minute.",
    message: "This API key may make 60 requests a minute; try again in 59 seconds.",
    headers: { ...limitHeaders, "Retry-After": headerRef("RetryAfter") },
  },
  {
    name: "InternalError",
    status: 500,
    code: "internal_error",
    description: "Our fault. Nothing was changed.",
    message: "Something went wrong on our side. The log holds the cause under this answer's X-Request-Id.",
    headers: limitHeaders,
  },
];

function errorResponse({ description, code, message, headers: sent }: ErrorDescription): Json {
  const schema = { $ref: "#/components/schemas/Error" };
  return {
    description,
    headers: sent,
    content: { "application/json": { schema, example: { error: { code, message } } } },
  };
}

function pathsOf(operations: readonly Operation[]): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation) };
  }
  return paths;
}

function describe({
  id,
  tag,
  summary,
  description,
  scope,
  parameters,
  body,
  answer,
  notFound,
}: Operation): Json {
  const refused = errors.filter(({ name }) => name !== "NotFound" || notFound);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\nNeeds the scope \`${scope}\`.`,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameter) }),
    ...(Object.keys(body).length === 0 ? {} : { requestBody: { required: true, content: plain(body) } }),
    responses: {
      200: {
        description: answer.description,
        headers: limitHeaders,
        content: { "application/json": { schema: plain(answer.schema), example: answer.example } },
      },
      ...Object.fromEntries(
        refused.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
    },
  };
}

function parameter({ name, in: place, description, schema }: Operation["parameters"][number]): Json {
  const { description: _, ...rest } = plain(schema) as Json;
  return { name, in: place, required: place === "path", description, schema: rest };
}

function webhookOf({ type, when, body }: (typeof eventSchemas)[number]): Json {
  const headerParameter = (name: string, description: string) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  });
  return {
    post: {
      operationId: `on_${type.replace(".", "_")}`,
      summary: when,
      security: [],
      parameters: [
        headerParameter(
          "X-Service-Signature",
          "`sha256=` and the HMAC-SHA256 of the body's bytes in lower-case hexadecimal, keyed with the endpoint's whole secret as UTF-8.",
        ),
        headerParameter("webhook-id", "Identifier of the event (Standard Webhooks)."),
        headerParameter("webhook-timestamp", "Unix time of the attempt in seconds (Standard Webhooks)."),
        headerParameter("webhook-signature", "`v1,` and the signature, base64 (Standard Webhooks)."),
      ],
      requestBody: { required: true, content: { "application/json": { schema: plain(body) } } },
      responses: {
        "2XX": { description: "Taken. Any other status, or none within the time-out, is tried again." },
      },
    },
  };
}

/** As plain JSON, with unions of literals in the shorter and more widely understood form of an `enum`. */
function plain(schema: TSchema | Json | readonly unknown[]): unknown {
  return shorten(JSON.parse(JSON.stringify(schema)));
}

function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== "object" || value === null) return value;
  const { anyOf, ...rest } = value as { anyOf?: { const?: string; type?: string }[] };
  if (anyOf?.every((one) => one.const !== undefined && one.type === "string") === true) {
    return { type: "string", enum: anyOf.map((one) => one.const), ...rest };
  }
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shorten(part)]));
}
