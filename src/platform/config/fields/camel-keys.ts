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
