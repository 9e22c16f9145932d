import { toIsoTime } from "./clock.ts";

/** `server_port` → `serverPort` */
type CamelKey<Key> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : Key;

/** `T` with the names that the program uses: in camelCase, with the unit as the last part. */
export type Camel<T, Unit extends string = ""> = {
  [Key in keyof T as `${CamelKey<Key & string>}${Unit}`]: T[Key];
};

/** Returns the values of one table under the names that the program uses. Nested tables keep theirs. */
export function camelKeys<T extends object, Unit extends string = "">(
  values: T,
  unit = "" as Unit,
): Camel<T, Unit> {
  const named = Object.entries(values).map(([key, value]: [string, unknown]) => [
    key.replaceAll(/_(.)/g, (_, first: string) => first.toUpperCase()) + unit,
    value,
  ]);
  return Object.fromEntries(named) as Camel<T, Unit>;
}

/** `serverPort` → `server_port` */
type SnakeKey<Key> = Key extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeKey<Rest>}`
  : Key;

type JsonValue<Key, Value> = Value extends undefined
  ? null
  : Key extends `${string}At`
    ? Value extends number
      ? string
      : Value
    : Value;

/** `T` as programs read it. See `jsonFields`. */
export type JsonFields<T> = {
  [Key in keyof T as SnakeKey<Key & string>]-?: JsonValue<Key, T[Key]>;
};

/** `"id name"` → `"id" | "name"` */
export type Word<Text> = Text extends `${infer First} ${infer Rest}` ? First | Word<Rest> : Text;

/**
 * Returns values as programs read them: keys in snake_case, null in place of undefined, and a point in time, whose name ends
 * with `At`, in ISO 8601. Nested values stay as they are.
 *
 * @param names what programs read, separated by spaces, in the order of the JSON. Default: everything, for an object that was
 * made for this purpose.
 */
export function jsonFields<T extends object>(values: T): JsonFields<T>;
export function jsonFields<T extends object, Names extends string>(
  values: T,
  names: Word<Names> extends keyof T ? Names : never,
): JsonFields<Pick<T, Word<Names> & keyof T>>;
export function jsonFields(values: object, names?: string): object {
  const given: Record<string, unknown> = { ...values };
  const fields = (names?.split(" ") ?? Object.keys(given)).map((name) => {
    const value = given[name];
    const key = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [key, typeof value === "number" && name.endsWith("At") ? toIsoTime(value) : (value ?? null)];
  });
  return Object.fromEntries(fields);
}
