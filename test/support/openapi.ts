import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { apiBasePath, describeApi } from "../../src/web/api/v1/openapi.ts";

interface Described {
  responses: Record<string, unknown>;
}

const document = describeApi({
  publicUrl: "http://phishwatch.test",
  version: "1.2.3",
  maxPerPage: 100,
  maxBatchIds: 1000,
}) as {
  paths: Record<string, Record<string, Described>>;
  components: { responses: Record<string, { headers: Record<string, unknown> }> };
};

// Registers the document as one schema, so that its references resolve.
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, "document");
const compiled = new Map<string, ValidateFunction>();

/**
 * Fails unless the OpenAPI document describes the response: its status for this operation, its body and its
 * headers.
 */
export function expectDescribed(
  { method, path }: { method: string; path: string },
  response: { status: number; headers: Headers; text: string; json: unknown },
): void {
  const { pathname: full } = new URL(path, "http://localhost");
  // Paths of the document are relative to the URL of the server.
  const pathname = full.startsWith(`${apiBasePath}/`) ? full.slice(apiBasePath.length) : "undescribed";
  const fits = (one: string) => new RegExp(`^${one.replace(/\{\w+\}/g, "[^/]+")}$`).test(pathname);
  const paths = Object.keys(document.paths);
  const template = paths.includes(pathname) ? pathname : paths.find(fits);
  // The document does not repeat each GET for HEAD.
  const described = method === "HEAD" ? "get" : method.toLowerCase();
  const operation = template === undefined ? undefined : document.paths[template]?.[described];
  // Undescribed paths and methods only return errors.
  const pointer =
    operation === undefined ? errorPointer : pointerOf(operation, template!, described, response);
  const where = `${method} ${path.slice(0, 100)}: ${response.status}`;
  if (operation === undefined && ![400, 401, 403, 404, 429, 500].includes(response.status)) {
    throw new Error(`${where} is not described`);
  }
  if (response.headers.get("x-request-id") === null) throw new Error(`${where} carries no X-Request-Id`);
  if (method === "HEAD" || response.status === 304) return;
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` });
  compiled.set(pointer, validate);
  if (!validate(contentOf(response))) {
    throw new Error(`${where} is not as described: ${ajv.errorsText(validate.errors)}`);
  }
}

const errorPointer = "/components/schemas/Error";

function pointerOf(
  operation: Described,
  template: string,
  method: string,
  { status, headers }: { status: number; headers: Headers },
): string {
  if (operation.responses[status] === undefined) {
    throw new Error(`${method} ${template} returned ${status}, which the document does not name`);
  }
  if (status !== 200) return errorPointer;
  const escaped = (text: string) => text.replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D");
  return `/paths/${escaped(template)}/${method}/responses/200/content/${escaped(mediaTypeOf(headers))}/schema`;
}

function mediaTypeOf(headers: Headers): string {
  return headers.get("content-type")?.split(";")[0] ?? "";
}

/** Returns the body as its schema describes it. */
function contentOf({ headers, text, json }: { headers: Headers; text: string; json: unknown }): unknown {
  if (json !== undefined) return json;
  return mediaTypeOf(headers).endsWith("+json") ? JSON.parse(text) : text;
}
