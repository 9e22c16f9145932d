/**
 * Generates the TypeScript client from the OpenAPI documents of the API and of the sandbox's control plane. Run it
 * after a change to either; a test fails if the client is out of date:
 *   scripts/bun scripts/generate-client.ts
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiBasePath, describeApi } from "../src/web/api/v1/openapi.ts";
import { operations } from "../src/sandbox/control/control.ts";
import { describeControl } from "../src/sandbox/control/document.ts";

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  patternProperties?: Record<string, Schema>;
  description?: string;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}
interface Operation {
  summary: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses?: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema> };
}

export const clientPath = join(import.meta.dir, "client/phishwatch.ts");

/** Returns the content of the client file. */
export function renderClient(): string {
  const url = "http://127.0.0.1:8080";
  const limits = { maxPerPage: 100, maxBatchIds: 1000 };
  const api = describeApi({ publicUrl: url, version: "0", ...limits }) as unknown as Document;
  const control = describeControl(operations, url) as unknown as Document;
  const schemas = Object.entries(api.components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
  );
  const events = Object.entries(api.webhooks ?? {}).map(
    ([type, { post }]) =>
      `${comment(post.summary)}${quoted(type)}: ${typeOf(post.requestBody!.content["application/json"]!.schema)};\n`,
  );
  const calls = [
    ...Object.entries(api.paths).map(([path, methods]) => [`${apiBasePath}${path}`, methods] as const),
    ...Object.entries(control.paths),
  ].flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => returnsJson(operation))
      .map(([method, operation]) => renderCall(method, path, operation)),
  );
  return `// The client of phishwatch, generated from its OpenAPI documents. Copy it into your project: it has no dependencies.

${schemas.join("\n")}
/** Bodies of deliveries, by event type. */
export interface Events {
${events.join("")}}

/** Operations by method and path. */
export interface Calls {
${calls.join("")}}
${clientCode}`;
}

/** The client reads JSON. A file is best read as it arrives. */
function returnsJson({ responses = {} }: Operation): boolean {
  const content = responses["200"]?.content;
  return content === undefined || "application/json" in content;
}

function renderCall(method: string, path: string, operation: Operation): string {
  const { summary, parameters = [], requestBody, responses = {} } = operation;
  const parametersIn = (location: string) => parameters.filter((parameter) => parameter.in === location);
  const group = (name: string, members: Parameter[]) => {
    if (members.length === 0) return "";
    const optional = members.every(({ required }) => required !== true) ? "?" : "";
    const types = members.map(
      ({ name: field, required, schema }) =>
        `${quoted(field)}${required === true ? "" : "?"}: ${typeOf(schema)}`,
    );
    return `${name}${optional}: { ${types.join("; ")} };`;
  };
  const bodyTypes = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
    type === "application/json" ? typeOf(schema) : "string",
  );
  const body =
    bodyTypes.length === 0
      ? ""
      : `body${requestBody?.required === false ? "?" : ""}: ${bodyTypes.join(" | ")};`;
  const response = responses["200"]?.content?.["application/json"]?.schema;
  return `${comment(summary)}"${method.toUpperCase()} ${path}": {
    ${group("params", parametersIn("path"))}
    ${group("query", parametersIn("query"))}
    ${body}
    response: ${response === undefined ? "unknown" : typeOf(response)};
  };\n`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace("#/components/schemas/", "");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `(${typeOf(schema.items ?? {})})[]`;
    case "object":
      return objectType(schema);
    default:
      return "unknown";
  }
}

function objectType({ properties = {}, required = [], patternProperties }: Schema): string {
  const [anyValue] = Object.values(patternProperties ?? {});
  if (anyValue !== undefined) return `Record<string, ${typeOf(anyValue)}>`;
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(descriptionOf(schema))}${quoted(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema)};\n`,
  );
  return fields.length === 0 ? "Record<string, never>" : `{\n${fields.join("")}}`;
}

/** Returns the description of a schema or, for a nullable one, of its value. */
function descriptionOf({ description, anyOf = [] }: Schema): string | undefined {
  return description ?? anyOf.map(descriptionOf).find((text) => text !== undefined);
}

function comment(text: string | undefined): string {
  return text === undefined ? "" : `/** ${text.replaceAll("*/", "* /").replaceAll("\n", " ")} */\n`;
}

function quoted(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

/** The end of the file: the code that does not depend on the documents. */
const clientCode = `
type Options<Name extends keyof Calls> = Omit<Calls[Name], "response">;

/** An error response. */
export class CallError extends Error {
  readonly status: number;
  readonly code: string;
  /** Only for status 429. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, code: string, message: string, retryAfterSeconds: number | undefined) {
    super(message);
    this.name = "CallError";
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Returns a function that calls the API or a sandbox's control plane.
 * @param url URL of the server, without /v1
 * @throws CallError
 */
export function createClient({ url, key }: { url: string; key?: string }) {
  return async <Name extends keyof Calls>(
    name: Name,
    ...[options]: Record<string, never> extends Options<Name> ? [Options<Name>?] : [Options<Name>]
  ): Promise<Calls[Name]["response"]> => {
    const { params, query, body } = (options ?? {}) as {
      params?: Record<string, string>;
      query?: Record<string, string | number>;
      body?: unknown;
    };
    const [method, path] = name.split(" ") as [string, string];
    const filledPath = path.replace(/\\{(\\w+)\\}/g, (_, field: string) => encodeURIComponent(params?.[field] ?? ""));
    const search = new URLSearchParams(Object.entries(query ?? {}).map(([field, value]) => [field, \`\${value}\`]));
    const isText = typeof body === "string";
    const response = await fetch(\`\${url}\${filledPath}\${search.size > 0 ? \`?\${search}\` : ""}\`, {
      method,
      headers: {
        ...(key === undefined ? {} : { Authorization: \`Bearer \${key}\` }),
        ...(body === undefined ? {} : { "Content-Type": isText ? "text/plain" : "application/json" }),
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const result = (await response.json()) as Calls[Name]["response"] & {
      error?: { code: string; message: string };
    };
    if (response.ok) return result;
    const retryAfter = response.headers.get("Retry-After");
    const { code = "unknown", message = "no error message" } = result.error ?? {};
    throw new CallError(response.status, code, message, retryAfter === null ? undefined : Number(retryAfter));
  };
}
`;

if (import.meta.main) writeFileSync(clientPath, renderClient());
