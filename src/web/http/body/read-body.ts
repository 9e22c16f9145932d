import { badRequest } from "../../../platform/lib/errors.ts";
import { type BodyAccount, freeBodyBytes } from "./body-budget.ts";
import { tooLong } from "./json-parser.ts";

/** Maximum amount of work between two checks for other work that waits. */
const pieceBytesMax = 64 << 10;

export interface BodyLimits {
  bytesMax: number;
  account: BodyAccount;
}

/**
 * Passes the body to `consume` as text, in pieces as it arrives. Stops reading when `consume` throws.
 * @throws PublicError `bad_request` as soon as the body exceeds `bytesMax`, whatever its Content-Length claims, or is
 *   not UTF-8
 */
export async function readPieces(
  request: Request,
  { bytesMax, account }: BodyLimits,
  consume: (text: string) => void,
): Promise<void> {
  const tooLarge = () => badRequest(`The body is longer than ${bytesMax} bytes; send less at a time.`);
  const decode = createDecoder();
  const announced = Number(request.headers.get("content-length") ?? Number.NaN);
  if (announced > bytesMax) throw tooLarge();
  // In one piece, which takes half the time of a stream. The HTTP parser enforces Content-Length.
  if (announced <= freeBodyBytes) {
    consume(decode(await request.bytes().catch(throwIncomplete), true));
    return;
  }
  if (request.body === null) return;
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  try {
    for (let length = 0; ;) {
      const { done, value } = await reader.read().catch(throwIncomplete);
      if (done) break;
      length += value.byteLength;
      if (length > bytesMax) throw tooLarge();
      await account.take(value.byteLength);
      for (let from = 0; from < value.byteLength; from += pieceBytesMax) {
        consume(decode(value.subarray(from, from + pieceBytesMax), false));
        await account.pause();
      }
    }
  } finally {
    // The HTTP layer discards the rest.
    reader.cancel().catch(() => {});
  }
  consume(decode(new Uint8Array(), true));
}

/** Returns the whole body as text. @throws PublicError like `readPieces` */
export async function readText(request: Request, limits: BodyLimits): Promise<string> {
  let whole = "";
  await readPieces(request, limits, (text) => void (whole += text));
  return whole;
}

function createDecoder(): (bytes: Uint8Array, isLast: boolean) => string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return (bytes, isLast) => {
    try {
      return decoder.decode(bytes, { stream: !isLast });
    } catch {
      throw badRequest("The body is not UTF-8.");
    }
  };
}

/** A caller that disconnects in the middle of its body is not an internal error, and is not logged as one. */
function throwIncomplete(error: unknown): never {
  if ((error as { name?: unknown } | null)?.name !== "AbortError") throw error;
  throw badRequest("The connection was closed before the body was complete.");
}

const lineBreak = 0x0a;

/**
 * Collects the lines of a text that arrives in pieces. Skips blank lines and comments, which begin with `#`.
 * @param options.lineLengthMax a longer line is read as `tooLong`, so that it needs no memory
 */
export function createLineReader({ lineLengthMax }: { lineLengthMax: number }) {
  const read: string[] = [];
  /** Beginning of the line that is not complete yet. */
  let held = "";
  let isTooLong = false;

  function keep(text: string): void {
    if (isTooLong) return;
    isTooLong = held.length + text.length > lineLengthMax;
    held += text.slice(0, Math.max(0, lineLengthMax - held.length));
  }

  function endLine(): void {
    const line = held.trim();
    if (line !== "" && !line.startsWith("#")) read.push(isTooLong ? tooLong(lineLengthMax) : line);
    held = "";
    isTooLong = false;
  }

  return {
    /** Complete lines up to now. */
    read: read as readonly string[],
    push(text: string) {
      for (let from = 0; from < text.length;) {
        const isBlank = text.charCodeAt(from) === lineBreak;
        const end = isBlank ? from : text.indexOf("\n", from);
        keep(text.slice(from, end === -1 ? text.length : end));
        if (end === -1) return;
        endLine();
        from = end + 1;
      }
    },
    /** Ends the last line. Returns all lines. */
    end(): readonly string[] {
      endLine();
      return read;
    },
  };
}
