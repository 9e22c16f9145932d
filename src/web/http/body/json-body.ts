import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { badRequest } from "../../../platform/lib/errors.ts";
import { echoedMax, visible } from "../../../platform/lib/safe-text.ts";
import type { BodyAccount } from "./body-budget.ts";
import { JsonParser, type JsonLimits, TooManyValues } from "./json-parser.ts";
import { type BodyLimits, readPieces } from "./read-body.ts";

/** Maximum size of a request body, in bytes, unless an operation states its own. */
const bodyBytesMaxDefault = 1 << 20;

/** The body of an operation's requests. */
export interface Body<Content> {
  /** False if an absent body reads as an empty object. */
  required: boolean;
  /** Schema by media type. */
  content: Record<string, { schema: TSchema; example?: unknown }>;
  /** @throws PublicError `bad_request` that names what is wrong: content type, size, encoding, JSON or field. */
  read(request: Request, account: BodyAccount): Promise<Content>;
}

/**
 * Returns a JSON body of one schema. The body may be absent if all fields of the schema are optional.
 * @param options.stringLengthMax see `JsonLimits`
 */
export function jsonBody<S extends TObject>(
  schema: S,
  {
    example,
    bytesMax = bodyBytesMaxDefault,
    stringLengthMax = bytesMax,
  }: { example?: unknown; bytesMax?: number; stringLengthMax?: number } = {},
): Body<Static<S>> {
  const required = schema.required !== undefined;
  const jsonLimits = { valuesMax: countValues(schema) + spareValues, stringLengthMax };
  // Compiled on first use, to keep it out of the startup time.
  let check: TypeCheck<S> | undefined;

  function validate(value: unknown): Static<S> {
    check ??= TypeCompiler.Compile(schema);
    if (check.Check(value)) return value;
    throw badRequest(describeSchemaError(check.Errors(value).First()));
  }

  /** Describes why a body with too many values is invalid. Fields may be missing because it was not read to its end. */
  function rejectPart(partial: unknown): Error {
    check ??= TypeCompiler.Compile(schema);
    const errors = [...check.Errors(partial)];
    const error = errors.find(({ type }) => type !== ValueErrorType.ObjectRequiredProperty);
    return badRequest(describeSchemaError(error));
  }

  return {
    required,
    content: { "application/json": { schema, example } },
    async read(request, account) {
      if (!required && isAbsent(request)) return validate({});
      try {
        return validate(await readJson(request, { bytesMax, account }, jsonLimits));
      } catch (error) {
        throw error instanceof TooManyValues ? rejectPart(error.partial) : error;
      }
    },
  };
}

function isAbsent(request: Request): boolean {
  return request.body === null || request.headers.get("content-length") === "0";
}

/**
 * Parses a JSON body while it arrives.
 * @throws PublicError `bad_request`: not JSON, a key twice in one object, nested too deeply; TooManyValues
 */
async function readJson(request: Request, limits: BodyLimits, jsonLimits: JsonLimits): Promise<unknown> {
  requireContentType(request, ["application/json"]);
  const parser = new JsonParser(jsonLimits);
  await readPieces(request, limits, (text) => parser.push(text));
  return parser.end();
}

/** Values beyond the largest valid body, so that the message about a slightly wrong body is exact. */
const spareValues = 100;
/** Number of values that an array or object of unknown content is assumed to have at most. */
const openValuesMax = 10_000;

/** Returns the number of values in the largest body that the schema allows. */
function countValues(schema: TSchema): number {
  const { type, properties, items, maxItems, anyOf } = schema as {
    type?: string;
    properties?: Record<string, TSchema>;
    items?: TSchema;
    maxItems?: number;
    anyOf?: TSchema[];
  };
  if (anyOf !== undefined) return Math.max(...anyOf.map(countValues));
  if (type === "array")
    return 1 + (maxItems ?? openValuesMax) * (items === undefined ? 1 : countValues(items));
  if (type !== "object") return type === undefined && !("const" in schema) ? openValuesMax : 1;
  if (schema["additionalProperties"] !== false) return openValuesMax;
  return 1 + Object.values(properties ?? {}).reduce((sum, one) => sum + countValues(one), 0);
}

/**
 * Returns the media type of the body in lowercase.
 * @throws PublicError `bad_request` unless it is one of `allowed`, in UTF-8 and not compressed
 */
export function requireContentType<T extends string>(request: Request, allowed: readonly T[]): T {
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding.trim().toLowerCase() !== "identity")
    throw badRequest(
      `Content-Encoding is "${visible(encoding, echoedMax)}"; send the body uncompressed, without it.`,
    );
  const header = request.headers.get("content-type");
  const [essence = "", ...parameters] = (header ?? "").toLowerCase().split(";");
  const type = essence.trim();
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith("charset="));
  const known = allowed.find((one) => one === type);
  const wanted = allowed.join(" or ");
  if (known === undefined) {
    const found = header === null ? "missing" : `"${visible(type, echoedMax)}"`;
    throw badRequest(`Content-Type is ${found}; send ${wanted}.`);
  }
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw badRequest(`Content-Type names another charset than UTF-8; send ${wanted} in UTF-8.`);
  }
  return known;
}

/** Describes a validation error: which field, and what is allowed. TypeBox's own messages would echo values. */
function describeSchemaError(error: ValueError | undefined): string {
  if (error === undefined) return "The body does not have the form that this operation takes.";
  const { type, path, schema } = error;
  const field = fieldName(path);
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return `${field} is missing; ${allowedBy(schema)}.`;
    case ValueErrorType.ObjectAdditionalProperties:
      return `There is no field ${field}; remove it.`;
    case ValueErrorType.ArrayMinItems:
    case ValueErrorType.ArrayMaxItems:
      return `${field} has the wrong number of items; ${allowedBy(schema)}.`;
    default:
      return `${field} is not ${noun(schema)}; ${allowedBy(schema)}.`;
  }
}

/** Turns the JSON pointer `/ids/3` into `ids[3]`, and an empty one into "The body". */
function fieldName(path: string): string {
  if (path === "") return "The body";
  const parts = path
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const text = parts.reduce((name, part) => (/^[0-9]+$/.test(part) ? `${name}[${part}]` : `${name}.${part}`));
  return `"${visible(text, echoedMax)}"`;
}

function noun(schema: TSchema): string {
  if (schema["type"] === "object") return "an object";
  if (schema["type"] === "array") return "an array";
  if (schema["type"] === "string") return schema["format"] === undefined ? "a string" : "a valid string";
  if (schema["type"] === "boolean") return "true or false";
  return "an allowed value";
}

/** Describes the values that the schema allows. */
function allowedBy(schema: TSchema): string {
  const { type, minItems, maxItems, minimum, maximum, properties, anyOf } = schema as {
    type?: string;
    minItems?: number;
    maxItems?: number;
    minimum?: number;
    maximum?: number;
    properties?: Record<string, TSchema>;
    anyOf?: { const?: unknown }[];
  };
  if (anyOf !== undefined) return `allowed: ${anyOf.map((one) => String(one.const)).join(", ")}`;
  if (type === "array") return `send an array of ${minItems ?? 0} to ${maxItems ?? "any number of"} strings`;
  if (type === "object") return `send an object with: ${Object.keys(properties ?? {}).join(", ")}`;
  if (type === "boolean") return "send true or false";
  if (type === "integer" || type === "number") {
    const range = minimum === undefined || maximum === undefined ? "" : ` from ${minimum} to ${maximum}`;
    return `send a ${type === "integer" ? "whole " : ""}number${range}`;
  }
  return "send a string";
}
