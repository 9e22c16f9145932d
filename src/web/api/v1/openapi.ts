import { type TSchema, Type } from "@sinclair/typebox";
import { payloadSchemas } from "../../../threats/events/payloads.ts";
import { eventDescriptions, eventTypes, pingEventType } from "../../../platform/vocabulary/events.ts";
import { closed, time, typeId } from "../../../platform/vocabulary/schemas.ts";
import { type ErrorBody, errorStatuses, internalError } from "../../http/errors.ts";
import {
  createSchemaWriter,
  describeOperations,
  errorResponse,
  type Json,
  type SchemaWriter,
} from "../../http/openapi.ts";
import { apiOperations } from "./operations.ts";
import type { ApiLimits, ApiOperation } from "./services.ts";

const bodyOf = (name: string, data: TSchema) =>
  Type.Object(
    {
      id: typeId("event", "Event ID: the same in every attempt."),
      type: Type.Literal(name),
      created_at: time("When the event occurred."),
      data,
    },
    closed,
  );

/** Every event that a webhook endpoint can receive, with its trigger and its body. */
export const eventSchemas: { type: string; when: string; body: TSchema }[] = [
  ...eventTypes.map((name) => ({
    type: name,
    when: eventDescriptions[name],
    body: bodyOf(name, payloadSchemas[name]),
  })),
  {
    type: pingEventType,
    when: "Tests an endpoint. Sent once, without retries.",
    body: bodyOf(pingEventType, Type.Object({}, closed)),
  },
];

/** Path below which every operation lies. The server URL of the document ends with it, and its paths omit it. */
export const apiBasePath = "/v1";

/** Returns the OpenAPI 3.1 document of `/v1`, made from the definitions of its operations. */
export function describeApi({
  publicUrl,
  version,
  ...limits
}: { publicUrl: string; version: string } & ApiLimits): Json {
  const schemas = createSchemaWriter();
  const operations = describeOperations(apiOperations(limits), {
    schemas,
    successHeaders: (operation) => (isTagged(operation) ? taggedHeaders : limitHeaders),
    responses: otherResponses,
  });
  const paths = Object.fromEntries(
    Object.entries(operations).map(([path, methods]) => [path.slice(apiBasePath.length), methods]),
  );
  const responses = Object.fromEntries(errors.map((error) => [error.name, errorResponse(error, schemas)]));
  return {
    openapi: "3.1.0",
    info: {
      title: "phishwatch",
      version,
      summary: "Look-alikes of your domains.",
      description: introduction,
      contact: { name: "Manual", url: `${publicUrl}/docs` },
      license,
    },
    servers: [{ url: `${publicUrl}${apiBasePath}` }],
    security: [{ apiKey: [] }],
    tags: [
      { name: "Threats", description: "Look-alikes of protected domains." },
      { name: "Candidates", description: "Names to check." },
    ],
    paths,
    webhooks: Object.fromEntries(eventSchemas.map((event) => [event.type, describeWebhook(event, schemas)])),
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key: `phishwatch keys create`." },
      },
      schemas: schemas.components(),
      headers,
      responses,
    },
  };
}

const license = { name: "MIT", identifier: "MIT" };

const introduction = `Every request carries an API key: \`Authorization: Bearer <API key>\`. Times are ISO 8601 in UTC; domain names are in lowercase A-label form.

Responses to a rate-limited key state the limit and the remaining requests in headers. Errors are \`{ "error": { "code", "message" } }\`: the code is for programs, and the message states what to change. Every response has an \`X-Request-Id\`: the caller's value, if it sent one.

HEAD returns what GET returns, without the body. Responses of 1,400 bytes and more are compressed with gzip if \`Accept-Encoding\` allows it. A response to GET in JSON has an \`ETag\`: send it as \`If-None-Match\`, and the response is 304 without a body while nothing has changed.

Events are also sent to webhook endpoints. Their bodies are described under Webhooks.`;

const headers = {
  RequestId: header("The caller's X-Request-Id, or a new one.", { type: "string" }),
  RateLimit: header("Requests per minute that the key's plan allows. Absent for unlimited keys.", {
    type: "integer",
  }),
  Remaining: header("Remaining requests in this minute.", { type: "integer" }),
  Reset: header("Unix time in seconds at which the limit resets.", { type: "integer" }),
  RetryAfter: header("Seconds to wait before the next request.", { type: "integer" }),
  EntityTag: header("Tag of this state. Changes at a restart of the server, too.", { type: "string" }),
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
  description: string;
  error: ErrorBody["error"];
  headers: Json;
}

const errors: ErrorDescription[] = [
  {
    name: "BadRequest",
    description: "A parameter or the body is invalid. The message names it and states what is allowed.",
    error: { code: "bad_request", message: 'status is "open"; allowed: active, resolved, false_positive.' },
    headers: limitHeaders,
  },
  {
    name: "Unauthorized",
    description: "The API key is missing, unknown, revoked or expired.",
    error: { code: "unauthorized", message: "This API key is unknown, revoked or expired." },
    headers: { ...requestIdHeader, "WWW-Authenticate": headerRef("Authenticate") },
  },
  {
    name: "Forbidden",
    description: "The key lacks the scope or is bound to other protected domains.",
    error: { code: "forbidden", message: "This API key is bound to other protected domains." },
    headers: limitHeaders,
  },
  {
    name: "NotFound",
    description: "The threat does not exist.",
    error: { code: "not_found", message: "There is no threat with this ID." },
    headers: limitHeaders,
  },
  {
    name: "RateLimitExceeded",
    description: "The key has used up its requests for this minute.",
    error: {
      code: "rate_limit_exceeded",
      message: "This API key may make 60 requests a minute; try again in 59 seconds.",
    },
    headers: { ...limitHeaders, "Retry-After": headerRef("RetryAfter") },
  },
  {
    name: "InternalError",
    description: "Internal server error. With Retry-After, the database was busy: send the request again.",
    error: internalError,
    headers: { ...limitHeaders, "Retry-After": headerRef("RetryAfter") },
  },
];

const taggedHeaders = { ...limitHeaders, ETag: headerRef("EntityTag") };
const notModified = {
  description: "Not modified: `If-None-Match` names the state that the client has.",
  headers: taggedHeaders,
};

function isTagged({ method, response }: ApiOperation): boolean {
  return method === "GET" && !("files" in response);
}

function otherResponses(operation: ApiOperation): Json {
  return { ...(isTagged(operation) ? { 304: notModified } : {}), ...errorReferences(operation) };
}

function errorReferences({ notFound }: ApiOperation): Json {
  return Object.fromEntries(
    errors
      .filter(({ error }) => error.code !== "not_found" || notFound)
      .map(({ name, error }) => [errorStatuses[error.code], { $ref: `#/components/responses/${name}` }]),
  );
}

function describeWebhook({ type, when, body }: (typeof eventSchemas)[number], schemas: SchemaWriter): Json {
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
          "`sha256=` and the HMAC-SHA256 of the body's bytes in lowercase hexadecimal, keyed with the whole secret string of the endpoint as UTF-8.",
        ),
        headerParameter("webhook-id", "Event ID (Standard Webhooks)."),
        headerParameter("webhook-timestamp", "Unix time of the attempt in seconds (Standard Webhooks)."),
        headerParameter("webhook-signature", "`v1,` and the signature in Base64 (Standard Webhooks)."),
      ],
      requestBody: { required: true, content: { "application/json": { schema: schemas.write(body) } } },
      responses: {
        "2XX": { description: "Accepted. Any other status, or a timeout, leads to a retry." },
      },
    },
  };
}
