/** A value that is made when it is first asked for, and then kept: what most runs of the program never need. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
