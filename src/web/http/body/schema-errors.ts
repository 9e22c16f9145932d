import type { TSchema } from "@sinclair/typebox";
import { ValueErrorType, type ValueError } from "@sinclair/typebox/errors";
import { echoedMax, visible } from "../../../platform/lib/safe-text.ts";

/** Describes a validation error: which field, and what is allowed. TypeBox's own messages would echo values. */
export function describeSchemaError(error: ValueError | undefined): string {
  if (error === undefined) return "The body does not have the form that this operation takes.";
  const { type, path, schema } = error;
  const field = fieldName(path);
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return `${field} is missing; ${allowed(schema)}.`;
    case ValueErrorType.ObjectAdditionalProperties:
      return `There is no field ${field}; remove it.`;
    case ValueErrorType.ArrayMinItems:
    case ValueErrorType.ArrayMaxItems:
      return `${field} has the wrong number of items; ${allowed(schema)}.`;
    default:
      return `${field} is not ${noun(schema)}; ${allowed(schema)}.`;
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
function allowed(schema: TSchema): string {
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
