/** Returns names in the form in which `Archive.add` takes them. */
export function nameLines(names: readonly string[]): Uint8Array {
  return new TextEncoder().encode(names.map((name) => `${name}\n`).join(""));
}
