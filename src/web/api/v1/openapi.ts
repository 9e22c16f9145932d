import { type TSchema, Type } from "@sinclair/typebox";
import { payloadSchemas } from "../../../threats/events/payloads.ts";
import { eventDescriptions, eventTypes, pingEventType } from "../../../platform/vocabulary/events.ts";
import { closed, time, typeId } from "../../../platform/vocabulary/schemas.ts";
import type { ErrorCode } from "../../../platform/lib/errors.ts";
import { type ErrorBody, errorStatuses, internalError } from "../../http/errors.ts";
import {
  createSchemaWriter,
  describeOperations,
  errorResponse,
  type Json,
  type SchemaWriter,
} from "../../http/openapi.ts";
import introduction from "./introduction.md" with { type: "text" };
import texts from "./openapi.json" with { type: "json" };
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
      summary: texts.info.summary,
      description: introduction.trim(),
      contact: { name: "Manual", url: `${publicUrl}/docs` },
      license: texts.info.license,
    },
    servers: [{ url: `${publicUrl}${apiBasePath}` }],
    security: [{ apiKey: [] }],
    tags: texts.tags,
    paths,
    webhooks: Object.fromEntries(eventSchemas.map((event) => [event.type, describeWebhook(event, schemas)])),
    components: {
      securitySchemes: texts.securitySchemes,
      schemas: schemas.components(),
      headers: texts.headers,
      responses,
    },
  };
}

const headerRef = (name: keyof typeof texts.headers) => ({ $ref: `#/components/headers/${name}` });
const requestIdHeader = { "X-Request-Id": headerRef("RequestId") };
const limitHeaders = {
  ...requestIdHeader,
  "X-RateLimit-Limit": headerRef("RateLimit"),
  "X-RateLimit-Remaining": headerRef("Remaining"),
  "X-RateLimit-Reset": headerRef("Reset"),
};

const retryHeaders = { ...limitHeaders, "Retry-After": headerRef("RetryAfter") };
/** Headers of errors that differ from the headers of every response. */
const errorHeaders: Partial<Record<ErrorCode, Json>> = {
  unauthorized: { ...requestIdHeader, "WWW-Authenticate": headerRef("Authenticate") },
  rate_limit_exceeded: retryHeaders,
  internal_error: retryHeaders,
};
const errors = texts.errors.map(({ name, description, error: example }) => {
  const error = (example ?? internalError) as ErrorBody["error"];
  return { name, description, error, headers: errorHeaders[error.code] ?? limitHeaders };
});

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
  const parameters = texts.webhookHeaders.map(({ name, description }) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  }));
  return {
    post: {
      operationId: `on_${type.replace(".", "_")}`,
      summary: when,
      security: [],
      parameters,
      requestBody: { required: true, content: { "application/json": { schema: schemas.write(body) } } },
      responses: {
        "2XX": { description: "Accepted. Any other status, or a timeout, leads to a retry." },
      },
    },
  };
}
