import { visible } from "../lib/safe-text.ts";

/** One thing that is wrong with the configuration, in words for the person who wrote the file. */
export interface Fault {
  file: string;
  /** From 1. Absent when the file could not be read at all. */
  line?: number;
  /** From 1. Syntax faults only: for the others the key path says more. */
  column?: number;
  /** Like `webhooks.endpoints[1].url`; empty for a fault of the whole file. */
  path: string;
  /** At most 100 characters, safe for a terminal, never a secret. */
  found: string;
  allowed: string;
  /** The known key or value that was probably meant. */
  nearest?: string;
}

const foundLengthMax = 100;

/** One line: `phishwatch.toml:3: server.listen: found 8080; expected host:port; did you mean …?` */
export function formatFault(fault: Fault): string {
  const place = [visible(fault.file, 1000), fault.line, fault.column]
    .filter((part) => part !== undefined)
    .join(":");
  const key = fault.path === "" ? "" : `${fault.path}: `;
  const hint = fault.nearest === undefined ? "" : `; did you mean ${fault.nearest}?`;
  return `${place}: ${key}found ${fault.found}; expected ${fault.allowed}${hint}`;
}

/** A text of the file between quotation marks, safe for a terminal; cut so that it fits `Fault.found`. */
export function quoted(text: string): string {
  // Escapes are longer than what they stand for, so there is a cut before and one after.
  return `"${cut(visible(text, foundLengthMax), foundLengthMax - 2)}"`;
}

/** What was found, within the limit of `Fault.found`. */
export function cutFound(found: string): string {
  return cut(found, foundLengthMax);
}

function cut(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}…`.toWellFormed() : text;
}

/** A key as it stands in a path: bare where TOML allows it, else quoted. */
export function pathKey(key: string): string {
  return /^[A-Za-z0-9_-]{1,60}$/.test(key) ? key : `"${visible(key, 60)}"`;
}

/** `1 character`, `2 characters` */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `a, b or c` */
export function oneOf(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1)}`;
}
