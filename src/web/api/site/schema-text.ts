import { escapeMarkup } from "../../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../../platform/lib/wording.ts";

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
export function typeText(schema: Schema): string {
  const { $ref, anyOf, items, type, format, pattern, minimum, maximum, minItems, maxItems } = schema;
  if ($ref !== undefined) {
    const name = escapeMarkup(schemaName($ref));
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (anyOf !== undefined) return anyOf.map(typeText).join(" or ");
  if (schema.const !== undefined) return code(schema.const);
  const parts = [
    items === undefined ? escapeMarkup(type ?? "any value") : `array of: ${typeText(items)}`,
    ...(schema.enum === undefined ? [] : [`one of ${schema.enum.map((one) => code(one)).join(", ")}`]),
    ...(format === undefined ? [] : [escapeMarkup(format)]),
    ...(pattern === undefined ? [] : [`matches ${code(pattern, false)}`]),
    ...rangeText(minimum, maximum, (count) => grouped(count)),
    ...rangeText(minItems, maxItems, (count) => counted(count, "item")),
    ...(schema.default === undefined ? [] : [`default ${code(schema.default)}`]),
    ...(schema.examples === undefined
      ? []
      : [`such as ${schema.examples.map((one) => code(one)).join(", ")}`]),
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

function code(value: unknown, asJson = true): string {
  return `<code>${escapeMarkup(asJson ? JSON.stringify(value) : String(value))}</code>`;
}

/** Returns the last part of a reference, such as `#/components/schemas/Error`. */
export function schemaName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
