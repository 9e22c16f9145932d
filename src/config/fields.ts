import { type Static, type TObject, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";

/**
 * The parts the schema is made of. Each is a TypeBox schema whose static type is the value after reading
 * (`"10s"` is a number of milliseconds) and which carries its documentation, so that validation, the example
 * file and the README's table all come from it.
 */

/** What a field says about itself beside its type. */
export interface FieldOptions {
  /** One short line for the example file and the table; the range and choices are added to it. */
  description: string;
  /** As it would stand in the file. A field without one is required. */
  default?: unknown;
  /** Stands in the example file where the default would teach nothing. */
  example?: unknown;
}

/** What readers may ask of the outside. */
export interface ReadContext {
  /** Absolute path of the configuration file's folder. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Throws when the file cannot be read. */
  readFile: (path: string) => string | Uint8Array;
}

/** A text that is not what the field allows. `found` replaces the text itself, where showing it would harm. */
export interface Refusal {
  allowed: string;
  found?: string;
  nearest?: string | undefined;
}

export type TextReader<T> = (text: string, context: ReadContext) => { value: T } | Refusal;

/** A text that `read` turns into the field's value. `kind` names it in the table. */
export function text<T>(kind: string, read: TextReader<T>, options: FieldOptions): TUnsafe<T> {
  return Type.Unsafe<T>({ type: "string", kind, read, ...options });
}

/** A text where `""` means that nothing is set: the value is then null. */
export function optionalText<T>(kind: string, read: TextReader<T>, options: FieldOptions): TUnsafe<T | null> {
  const readOptional: TextReader<T | null> = (value, context) =>
    value === "" ? { value: null } : read(value, context);
  return text(kind, readOptional, { default: "", ...options });
}

export interface SecretRule {
  lengthMin: number;
  lengthMax: number;
  /** Visible ASCII only, for what travels in a header or keys an HMAC. */
  ascii: boolean;
  /** How to make one; part of the message when it is missing. */
  hint?: string;
}

/** A secret that has to be there: text, `{ env = "NAME" }` or `{ file = "path" }`. */
export function secret(rule: SecretRule, options: FieldOptions): TUnsafe<string> {
  return Type.Unsafe<string>({ kind: "secret", rule, ...options });
}

/** A secret that may stay unset (`""`): the value is then null. */
export function optionalSecret(rule: SecretRule, options: FieldOptions): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ kind: "secret", rule, default: "", ...options });
}

/** One of a fixed set of texts. */
export function choice<const T extends readonly string[]>(
  choices: T,
  options: FieldOptions,
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: "string", kind: "choice", choices, ...options });
}

export function boolean(options: FieldOptions): TUnsafe<boolean> {
  return Type.Unsafe<boolean>({ type: "boolean", kind: "boolean", ...options });
}

export interface NumberRange {
  minimum: number;
  maximum: number;
}

export function integer(range: NumberRange, options: FieldOptions): TUnsafe<number> {
  return Type.Unsafe<number>({ type: "integer", kind: "integer", ...range, ...options });
}

export function number(range: NumberRange, options: FieldOptions): TUnsafe<number> {
  return Type.Unsafe<number>({ type: "number", kind: "number", ...range, ...options });
}

export interface ArrayRange {
  minItems?: number;
  maxItems: number;
  uniqueItems?: boolean;
}

/** `[a, b, c]`. The item's own description is not shown. */
export function array<T extends TSchema>(item: T, range: ArrayRange, options: FieldOptions) {
  return Type.Array(item, { kind: "array", ...range, ...options });
}

/** A `[table]`, which may be left out. */
export function table<T extends Record<string, TSchema>>(properties: T, description: string): TObject<T> {
  return Type.Object(properties, { kind: "table", description, default: {}, additionalProperties: false });
}

/** `[[tables]]`, none by default. `live` decides whether the example file has the entry commented out. */
export function tables<T extends Record<string, TSchema>>(
  properties: T,
  options: { description: string; maxItems: number; live: boolean },
) {
  const { description, ...rest } = options;
  const item = Type.Object(properties, { kind: "table", description, additionalProperties: false });
  return Type.Array(item, { kind: "tables", default: [], description, ...rest });
}

/** What the walk, the renderer and the table read of a schema node. */
export interface FieldSchema {
  kind: "table" | "tables" | "array" | "boolean" | "integer" | "number" | "choice" | "secret" | (string & {});
  description: string;
  default?: unknown;
  example?: unknown;
  properties?: Record<string, FieldSchema>;
  items?: FieldSchema;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  choices?: readonly string[];
  rule?: SecretRule;
  read?: TextReader<unknown>;
  live?: boolean;
}

/** The same node, untyped: TypeBox keeps options that it does not know, but not in its types. */
export function fieldSchema(schema: TSchema): FieldSchema {
  return schema as unknown as FieldSchema;
}

/** What is left of `T` when some of its fields were faulty. */
export type Partly<T> = T extends readonly (infer Item)[]
  ? (Partly<Item> | undefined)[]
  : T extends object
    ? { [Key in keyof T]?: Partly<T[Key]> | undefined }
    : T;

export type { Static };
