import { type Static, type TArray, type TObject, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";

/**
 * Building blocks of the schema. Each is a TypeBox schema whose static type is the value after reading (`"10s"` is a
 * number of milliseconds). It carries its documentation, so that validation, the example file and the manual's
 * tables come from one definition.
 */

/** Documentation and default of a field. */
export interface FieldOptions {
  /** One short line for the example file and the manual; range and choices are added to it. */
  description: string;
  /** As written in the file. A field without a default is required. */
  default?: unknown;
  /** Replaces the default in the example file where the default explains nothing. */
  example?: unknown;
  /**
   * `restart`: a change takes effect only at the next start. `restart_if_switched`: so does setting and removing it.
   * Absent: a reload applies it.
   */
  reload?: ReloadMark;
}

export type ReloadMark = "restart" | "restart_if_switched";

/** Environment of the readers. */
export interface ReadContext {
  /** Absolute path of the folder of the configuration file. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Throws if the file cannot be read. */
  readFile: (path: string) => string | Uint8Array;
}

/** Reason why a text is invalid. `found` replaces the text where showing it would be harmful. */
export interface Rejection {
  allowed: string;
  found?: string;
  nearest?: string | undefined;
}

export type TextReader<T> = (text: string, context: ReadContext) => { value: T } | Rejection;

/** Text that `read` converts to the value. `kind` names the type in the manual. */
export function text<T>(kind: string, read: TextReader<T>, options: FieldOptions): TUnsafe<T> {
  return Type.Unsafe<T>({ type: "string", kind, read, ...options });
}

/** Text where `""` means not set: the value is null. */
export function optionalText<T>(kind: string, read: TextReader<T>, options: FieldOptions): TUnsafe<T | null> {
  const readOptional: TextReader<T | null> = (value, context) =>
    value === "" ? { value: null } : read(value, context);
  return text(kind, readOptional, { default: "", ...options });
}

export interface SecretRule {
  lengthMin: number;
  lengthMax: number;
  /** Visible ASCII only, for values that are sent in a header or key an HMAC. */
  ascii: boolean;
  /** How to create one; shown if it is missing. */
  hint?: string;
}

/** Required secret: text, `{ env = "NAME" }`, `{ file = "path" }` or `{ credential = "name" }`. */
export function secret(rule: SecretRule, options: FieldOptions): TUnsafe<string> {
  return Type.Unsafe<string>({ kind: "secret", rule, ...options });
}

/** Optional secret: `""` means not set, and the value is null. */
export function optionalSecret(rule: SecretRule, options: FieldOptions): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ kind: "secret", rule, default: "", ...options });
}

/** One of a fixed set of strings. */
export function choice<const T extends readonly string[]>(all: T, options: FieldOptions): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: "string", kind: "choice", choices: all, ...options });
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

/** Array of texts, empty by default. None can occur twice, unless `uniqueItems` is false. */
export function texts<T>(
  kind: string,
  read: TextReader<T>,
  { maxItems, uniqueItems = true, ...options }: FieldOptions & { maxItems: number; uniqueItems?: boolean },
): TArray<TUnsafe<T>> {
  const item = text(kind, read, { description: kind });
  return Type.Array(item, { kind: "array", default: [], maxItems, uniqueItems, ...options });
}

/** Array of some of a fixed set of strings, empty by default. */
export function choices<const T extends readonly string[]>(
  all: T,
  options: FieldOptions & { minItems?: number },
): TArray<TUnsafe<T[number]>> {
  const item = choice(all, { description: "a choice" });
  const range = { maxItems: all.length, uniqueItems: true };
  return Type.Array(item, { kind: "array", default: [], ...range, ...options });
}

/** A `[table]`, which can be omitted. `reload` applies to all of its keys. */
export function table<T extends Record<string, TSchema>>(
  properties: T,
  description: string,
  options: Pick<FieldOptions, "reload"> = {},
): TObject<T> {
  const fixed = { kind: "table", description, default: {}, additionalProperties: false };
  return Type.Object(properties, { ...fixed, ...options });
}

/** `[[tables]]`, empty by default. Unless `live`, the entry is commented out in the example file. */
export function tables<T extends Record<string, TSchema>>(
  properties: T,
  options: { description: string; maxItems: number; live: boolean },
) {
  const { description, ...rest } = options;
  const item = Type.Object(properties, { kind: "table", description, additionalProperties: false });
  return Type.Array(item, { kind: "tables", default: [], description, ...rest });
}

/** Properties of a schema node that the reader and the renderers use. */
export interface FieldSchema {
  kind: "table" | "tables" | "array" | "boolean" | "integer" | "number" | "choice" | "secret" | (string & {});
  description: string;
  default?: unknown;
  example?: unknown;
  reload?: ReloadMark;
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

/** Returns the node with its custom options, which TypeBox keeps but does not type. */
export function fieldSchema(schema: TSchema): FieldSchema {
  return schema as unknown as FieldSchema;
}

/** `T` with invalid fields missing. */
export type Partly<T> = T extends readonly (infer Item)[]
  ? (Partly<Item> | undefined)[]
  : T extends object
    ? { [Key in keyof T]?: Partly<T[Key]> | undefined }
    : T;

export type { Static };
