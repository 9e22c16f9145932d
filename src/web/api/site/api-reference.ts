import { escapeMarkup } from "../../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../../platform/lib/wording.ts";
import { contents, inline, layout, toHtml } from "./manual-pages.ts";

/** The keywords of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  format?: string;
  pattern?: string;
  default?: unknown;
  examples?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

export interface Field {
  /** Path from the body on: `data.threat.id`, `data[].id`. */
  name: string;
  schema: Schema;
  required: boolean;
}

/** Returns the fields of an object and of the objects in it, except those with a name of their own. */
export function fieldsOf(schema: Schema, prefix = ""): Field[] {
  const { properties, required = [], items, anyOf } = schema;
  if (anyOf !== undefined) return anyOf.flatMap((one) => fieldsOf(one, prefix));
  if (items !== undefined) return fieldsOf(items, `${prefix}[]`);
  return Object.entries(properties ?? {}).flatMap(([key, field]) => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    return [{ name, schema: field, required: required.includes(key) }, ...fieldsOf(field, name)];
  });
}

/** Returns the type of a value and what restricts it, as HTML. */
function typeText(schema: Schema): string {
  const { $ref, anyOf, items, type, format, pattern, minimum, maximum, minItems, maxItems } = schema;
  if ($ref !== undefined) {
    const name = escapeMarkup(schemaName($ref));
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (anyOf !== undefined) return anyOf.map(typeText).join(" or ");
  if (schema.const !== undefined) return codeOf(schema.const);
  const parts = [
    items === undefined ? escapeMarkup(type ?? "any value") : `array of: ${typeText(items)}`,
    ...(schema.enum === undefined ? [] : [`one of ${schema.enum.map((one) => codeOf(one)).join(", ")}`]),
    ...(format === undefined ? [] : [escapeMarkup(format)]),
    ...(pattern === undefined ? [] : [`matches ${codeOf(pattern, false)}`]),
    ...rangeText(minimum, maximum, (count) => grouped(count)),
    ...rangeText(minItems, maxItems, (count) => counted(count, "item")),
    ...(schema.default === undefined ? [] : [`default ${codeOf(schema.default)}`]),
    ...(schema.examples === undefined
      ? []
      : [`such as ${schema.examples.map((one) => codeOf(one)).join(", ")}`]),
  ];
  return parts.join(", ");
}

function rangeText(
  least: number | undefined,
  most: number | undefined,
  text: (count: number) => string,
): string[] {
  // The largest integer that every client can represent is no limit that a reader needs.
  const upper = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  return [
    ...(least === undefined ? [] : [`at least ${text(least)}`]),
    ...(upper === undefined ? [] : [`at most ${text(upper)}`]),
  ];
}

function codeOf(value: unknown, asJson = true): string {
  return `<code>${escapeMarkup(asJson ? JSON.stringify(value) : String(value))}</code>`;
}

/** Returns the last part of a reference, such as `#/components/schemas/Error`. */
function schemaName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/** The parts of an OpenAPI 3.1 document that the reference shows. */
export interface OpenApiDocument {
  info: { description: string };
  servers: readonly { url: string }[];
  tags: readonly { name: string; description: string }[];
  paths: Record<string, PathItem>;
  webhooks: Record<string, PathItem>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, Header>;
    responses: Record<string, ApiResponse>;
  };
}

type PathItem = Record<string, Operation>;
type Content = Record<string, { schema: Schema; example?: unknown }>;
type Reference = { $ref: string };
type Header = { description: string; schema: Schema };

interface Operation {
  operationId: string;
  tags?: readonly string[];
  summary: string;
  description?: string;
  parameters?: readonly {
    name: string;
    in: string;
    required: boolean;
    description?: string;
    schema: Schema;
  }[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, ApiResponse | Reference>;
}

interface ApiResponse {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Content;
}

/** Returns the OpenAPI document as an HTML page: every operation, webhook event, schema and error. */
export function apiReference(version: string, document: OpenApiDocument): string {
  const { info, servers, tags, paths, webhooks, components } = document;
  const base = servers[0]!.url;
  const basePath = new URL(base).pathname;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      operation,
      address: `${method.toUpperCase()} ${basePath}${path}`,
    })),
  );
  const groups = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name) === true);
    const parts = own.map(({ operation, address }) => operationPart(operation, address, document));
    return `<h2 id="${anchor(name)}">${escapeMarkup(name)}</h2><p>${inline(description)}</p>${parts.join("")}`;
  });
  const events = Object.entries(webhooks).flatMap(([type, item]) =>
    Object.values(item).map((operation) => eventPart(type, operation)),
  );
  const [event] = Object.values(webhooks).flatMap((item) => Object.values(item));
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<h3 id="schema-${escapeMarkup(name)}">${escapeMarkup(name)}</h3>${described(schema.description)}${fieldTable(schema, name)}`,
  );
  const text = `<h2 id="requests">Requests</h2>
<p>The base address is <code>${escapeMarkup(base)}</code>. The same facts are in the OpenAPI document,
<a href="/openapi.json">/openapi.json</a>, for programs.</p>
${toHtml(info.description)}
${groups.join("\n")}
<h2 id="webhooks">Webhooks</h2>
<p>A webhook endpoint receives each event as a POST request. Respond with a status from 200 to 299.
The headers are the same for all events.</p>
${parameterTable(event?.parameters ?? [], "Headers of a webhook request")}
${events.join("\n")}
<h2 id="headers">Response headers</h2>
${headerTable(components, operations)}
<h2 id="schemas">Schemas</h2>
${schemas.join("\n")}`;
  const main = `<h1>API reference</h1>
<p>Every operation, parameter, response and event of the HTTP API. For guides, see the <a href="/docs/http-api">manual</a>.</p>
${contents(text)}${text}`;
  return layout({ title: "API reference", version, main });
}

function operationPart(
  { operationId, summary, description, parameters = [], requestBody, responses }: Operation,
  address: string,
  document: OpenApiDocument,
): string {
  const { components } = document;
  const resolved = Object.entries(responses).map(([status, given]) => {
    const response = "$ref" in given ? components.responses[schemaName(given.$ref)]! : given;
    return { status, response };
  });
  return `<h3 id="${anchor(operationId)}">${escapeMarkup(summary)}</h3>
<p><code>${escapeMarkup(address)}</code></p>
${description === undefined ? "" : toHtml(description)}
${parameters.length === 0 ? "" : `<h4>Parameters</h4>${parameterTable(parameters, `Parameters of ${summary}`)}`}
${requestBody === undefined ? "" : bodyPart("Request body", requestBody.content, summary)}
<h4>Responses</h4>
${table(
  `Responses of ${summary}`,
  ["Status", "Meaning", "Code"],
  resolved.map(({ status, response }) => [
    `<code>${escapeMarkup(status)}</code>`,
    inline(response.description),
    errorCode(response),
  ]),
)}
${resolved
  .filter(({ status }) => status.startsWith("2"))
  .map(({ status, response }) => bodyPart(`Body of a ${status} response`, response.content ?? {}, summary))
  .join("")}`;
}

/** Returns the code in the example of an error response. */
function errorCode({ content = {} }: ApiResponse): string {
  const example = Object.values(content)[0]?.example as { error?: { code?: string } } | undefined;
  const code = example?.error?.code;
  return code === undefined ? "" : `<code>${escapeMarkup(code)}</code>`;
}

function eventPart(type: string, { operationId, summary, requestBody }: Operation): string {
  return `<h3 id="${anchor(operationId)}">${escapeMarkup(type)}</h3><p>${inline(summary)}</p>
${bodyPart("Request body", requestBody?.content ?? {}, type)}`;
}

/** Describes a body in each of its content types. */
function bodyPart(title: string, content: Content, of: string): string {
  return Object.entries(content)
    .map(([type, { schema, example }]) => {
      const shown = typeof example === "string" ? example : JSON.stringify(example, null, 2);
      const label = `${title} of ${of}, ${type}`;
      const code =
        example === undefined
          ? ""
          : `<pre tabindex="0" role="region" aria-label="${escapeMarkup(`Example: ${label}`)}"><code>${escapeMarkup(shown)}</code></pre>`;
      return `<h4>${escapeMarkup(title)} <span class="quiet">${escapeMarkup(type)}</span></h4>${described(schema.description)}${fieldTable(schema, label)}${code}`;
    })
    .join("");
}

function fieldTable(schema: Schema, label: string): string {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return `<p>${typeText(schema)}</p>`;
  return table(
    `Fields: ${label}`,
    ["Field", "Type", "Description"],
    fields.map(({ name, schema: field, required }) => [
      `<code>${escapeMarkup(name)}</code>${required ? "" : ` <span class="quiet">optional</span>`}`,
      typeText(field),
      inline(field.description ?? ""),
    ]),
  );
}

function parameterTable(parameters: NonNullable<Operation["parameters"]>, label: string): string {
  return table(
    label,
    ["Name", "In", "Type", "Description"],
    parameters.map(({ name, in: place, required, schema, description = "" }) => [
      `<code>${escapeMarkup(name)}</code>${required ? "" : ` <span class="quiet">optional</span>`}`,
      escapeMarkup(place),
      typeText(schema),
      inline(description),
    ]),
  );
}

/** Lists the headers of all responses, under the names that they are sent with. */
function headerTable(
  { headers, responses }: OpenApiDocument["components"],
  operations: readonly { operation: Operation }[],
): string {
  const own = operations.flatMap(({ operation }) => Object.values(operation.responses));
  const rows = new Map<string, Header>();
  for (const response of [...own, ...Object.values(responses)])
    for (const [name, header] of Object.entries("$ref" in response ? {} : (response.headers ?? {})))
      rows.set(name, "$ref" in header ? headers[schemaName(header.$ref)]! : header);
  return table(
    "Response headers",
    ["Header", "Type", "Description"],
    [...rows].map(([name, { schema, description }]) => [
      `<code>${escapeMarkup(name)}</code>`,
      typeText(schema),
      inline(description),
    ]),
  );
}

/** @param rows cells as HTML */
function table(label: string, titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = titles.map((title) => `<th scope="col">${escapeMarkup(title)}</th>`).join("");
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n");
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeMarkup(label)}"><table><thead><tr>${head}</tr></thead><tbody>
${body}</tbody></table></div>`;
}

function described(description: string | undefined): string {
  return description === undefined ? "" : `<p>${inline(description)}</p>`;
}

function anchor(name: string): string {
  return escapeMarkup(name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"));
}
