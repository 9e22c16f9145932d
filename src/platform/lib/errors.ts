/** Codes of the API's errors. One table in `http/` maps them to HTTP statuses. */
export type ErrorCode =
  "bad_request" | "unauthorized" | "forbidden" | "not_found" | "rate_limit_exceeded" | "internal_error";

/**
 * An error that a caller can act on. `message` is public: it says what to change and reveals nothing internal.
 * `detail` goes to the log only.
 */
export class PublicError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  /** When the same request may succeed, for the Retry-After header. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, detail?: string, retryAfterSeconds?: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
    // Minification changes class names.
    this.name = "PublicError";
    this.code = code;
    this.detail = detail;
  }
}

/** Invalid input of one field, so that a form can show the message beside it. */
export class FieldError extends PublicError {
  /** Name of the field, as the configuration file and the commands call it. */
  readonly field: string;

  constructor(field: string, message: string) {
    super("bad_request", message);
    this.name = "FieldError";
    this.field = field;
  }
}

/** Returns an error for invalid input; `message` says what to change. */
export function badRequest(message: string): PublicError {
  return new PublicError("bad_request", message);
}

/** Returns an error for something that does not exist; `message` names it. */
export function notFound(message: string): PublicError {
  return new PublicError("not_found", message);
}

/** Returns an error of the server that passes; `message` says when to try again. */
export function tryAgainLater(
  message: string,
  { retryAfterSeconds, detail }: { retryAfterSeconds: number; detail?: string },
): PublicError {
  return new PublicError("internal_error", message, detail, retryAfterSeconds);
}

/** Ends the start. The message tells the operator the reason and what to change. */
export class StartError extends Error {
  readonly exitCode: 1 | 2;

  /** @param options.exitCode 2: the configuration or the usage is wrong */
  constructor(message: string, { exitCode = 1, cause }: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = "StartError";
    this.exitCode = exitCode;
  }
}

/** Returns the code of an error of the system, such as `ENOENT`; undefined for one that has none. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

/** Returns undefined for the error of a file or folder that does not exist. @throws any other error */
export function undefinedIfMissing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
  return undefined;
}

/** Returns the message of anything that was thrown. Never throws, although what was thrown may have no text. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "an exception without a readable message";
  }
}
