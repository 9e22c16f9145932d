import { type Static, type TArray, type TObject, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import settings from "./settings.json" with { type: "json" };

/**
 * Building blocks of the schema. Each is a TypeBox schema whose static type is the value after reading (`"10s"` is a
 * number of milliseconds). `table` adds the documentation in `settings.json`, so that validation, the example file and
 * the manual's tables come from one definition.
 */

/** Documentation of a field in `settings.json`. Optional texts and arrays have an empty default. */
interface Documentation {
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

/** Returns a reader of texts of one form. Unlike others, it does not depend on the file around the text. */
export function matching(form: RegExp, allowed: string): (written: string) => { value: string } | Rejection {
  return (written) => (form.test(written) ? { value: written } : { allowed });
}

/** Text that `read` converts to the value. `kind` names the type in the manual. */
export function text<T>(kind: string, read: TextReader<T>): TUnsafe<T> {
  return Type.Unsafe<T>({ type: "string", kind, read });
}

/** Text where `""` means not set: the value is null. */
export function optionalText<T>(kind: string, read: TextReader<T>): TUnsafe<T | null> {
  const readOptional: TextReader<T | null> = (value, context) =>
    value === "" ? { value: null } : read(value, context);
  return { ...text(kind, readOptional), default: "" };
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
export function secret(rule: SecretRule): TUnsafe<string> {
  return Type.Unsafe<string>({ kind: "secret", rule });
}

/** Optional secret: `""` means not set, and the value is null. */
export function optionalSecret(rule: SecretRule): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ kind: "secret", rule, default: "" });
}

/** One of a fixed set of strings. */
export function choice<const T extends readonly string[]>(
  all: T,
  options: Pick<Documentation, "default"> = {},
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: "string", kind: "choice", choices: all, ...options });
}

export function boolean(): TUnsafe<boolean> {
  return Type.Unsafe<boolean>({ type: "boolean", kind: "boolean" });
}

export interface NumberRange {
  minimum: number;
  maximum: number;
}

export function integer(range: NumberRange): TUnsafe<number> {
  return Type.Unsafe<number>({ type: "integer", kind: "integer", ...range });
}

export function number(range: NumberRange): TUnsafe<number> {
  return Type.Unsafe<number>({ type: "number", kind: "number", ...range });
}

/** Array of texts, empty by default. None can occur twice, unless `uniqueItems` is false. */
export function texts<T>(
  kind: string,
  read: TextReader<T>,
  options: { maxItems: number; uniqueItems?: boolean },
): TArray<TUnsafe<T>> {
  return Type.Array(text(kind, read), { kind: "array", default: [], uniqueItems: true, ...options });
}

/** Array of some of a fixed set of strings, empty by default. */
export function choices<const T extends readonly string[]>(
  all: T,
  options: { minItems?: number; default?: T[number][] } = {},
): TArray<TUnsafe<T[number]>> {
  const limits = { maxItems: all.length, uniqueItems: true };
  return Type.Array(choice(all), { kind: "array", default: [], ...limits, ...options });
}

type TablePath = keyof typeof settings;

/** A schema for each documented key of a table. Keys of a `[[table]]` within it are documented at its own path. */
type SchemasOf<Path extends TablePath> = Record<keyof (typeof settings)[Path]["keys"], TSchema>;

/** Returns the schemas of the keys of a table with their documentation. */
export function documented<Path extends TablePath, T extends SchemasOf<Path>>(path: Path, schemas: T): T {
  const keys: Partial<Record<string, object>> = settings[path].keys;
  const fields = Object.entries<TSchema>(schemas).map(([key, schema]) => [key, { ...schema, ...keys[key] }]);
  return Object.fromEntries(fields) as T;
}

/** A `[table]`, which can be omitted. Its `reload` applies to all of its keys. */
export function table<Path extends TablePath, T extends SchemasOf<Path>>(path: Path, schemas: T): TObject<T> {
  const { keys: _, ...documentation } = settings[path];
  const fixed = { kind: "table", default: {}, additionalProperties: false };
  return Type.Object(documented(path, schemas), { ...fixed, ...documentation });
}

/** At most `maxItems` `[[tables]]`, none by default. Unless `live`, the entry is commented out in the example file. */
export function tables<Path extends TablePath, T extends SchemasOf<Path>>(
  path: Path,
  maxItems: number,
  schemas: T,
) {
  const { keys: _, ...documentation } = settings[path];
  const item = Type.Object(documented(path, schemas), { kind: "table", additionalProperties: false });
  return Type.Array(item, { kind: "tables", default: [], ...documentation, maxItems });
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
