/** What went wrong, in the words of the API's error codes. One table in `api/` maps them to HTTP statuses. */
export type ErrorCode =
  "bad_request" | "unauthorized" | "forbidden" | "not_found" | "rate_limit_exceeded" | "internal_error";

/**
 * An error that a caller can act on. `message` is public: it says what to change and holds nothing
 * of the inside; `detail` is for the log alone.
 */
export class PublicError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, message: string, detail?: string) {
    super(message);
    // Class names are changed when the executable is minified.
    this.name = "PublicError";
    this.code = code;
    this.detail = detail;
  }
}

/** What the caller sent has to be changed; `message` says how. */
export function badRequest(message: string): PublicError {
  return new PublicError("bad_request", message);
}

/** There is no such thing; `message` says what was looked for. */
export function notFound(message: string): PublicError {
  return new PublicError("not_found", message);
}

/** The start cannot go on; the message tells the operator why and what to change. */
export class StartError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, options: { exitCode: 1 | 2; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = "StartError";
    this.exitCode = options.exitCode;
  }
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
