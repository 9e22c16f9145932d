import { FieldError } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";

/** Position in a template. */
export interface Cursor {
  readonly at: number;
  startsWith(text: string): boolean;
  isAtEnd(): boolean;
  /** Moves behind `token` (a sticky expression) if it is next, and returns its match. */
  take(token: RegExp): RegExpExecArray | null;
  /** Describes the next character in an error. */
  next(): string;
  /** @throws PublicError `bad_request` with the line and column of `offset`; default: the present position */
  fail(problem: string, offset?: number): never;
}

export function createCursor(template: string): Cursor {
  let at = 0;
  return {
    get at() {
      return at;
    },
    startsWith: (text) => template.startsWith(text, at),
    isAtEnd: () => at >= template.length,
    take(token) {
      token.lastIndex = at;
      const match = token.exec(template);
      if (match !== null) at = token.lastIndex;
      return match;
    },
    next: () =>
      at >= template.length ? "the end" : visible(String.fromCodePoint(template.codePointAt(at)!)),
    fail(problem, offset = at) {
      const before = template.slice(0, offset).split("\n");
      const column = (before.at(-1) ?? "").length + 1;
      throw new FieldError("template", `template, line ${before.length}, column ${column}: ${problem}`);
    },
  };
}
