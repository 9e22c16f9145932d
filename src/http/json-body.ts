import type { Static, TSchema } from "@sinclair/typebox";
import { TypeCompiler, type TypeCheck } from "@sinclair/typebox/compiler";
import { badRequest } from "../lib/errors.ts";
import { visible } from "../lib/safe-text.ts";
import { echoedMax } from "./query.ts";
import { describeFault } from "./schema-errors.ts";

export const bodyBytesMax = 1 << 20;

/** Reads a request's body as JSON of one schema. */
export type BodyReader<T> = (request: Request) => Promise<T>;

/**
 * @returns a reader that throws PublicError `bad_request` with a message that says what is wrong with the
 *   content type, the size, the encoding, the JSON or the field.
 */
export function jsonReader<S extends TSchema>(schema: S, bytesMax = bodyBytesMax): BodyReader<Static<S>> {
  // Compiled at first use: the start does not wait for it.
  let check: TypeCheck<S> | undefined;
  return async (request) => {
    requireContentType(request, ["application/json"]);
    const value = parseJson(await readText(request, bytesMax));
    check ??= TypeCompiler.Compile(schema);
    if (check.Check(value)) return value;
    throw badRequest(describeFault(check.Errors(value).First()));
  };
}

/** @returns the media type of the body, lower case, which is one of `allowed`. */
export function requireContentType<T extends string>(request: Request, allowed: readonly T[]): T {
  const header = request.headers.get("content-type");
  const [essence = "", ...parameters] = (header ?? "").toLowerCase().split(";");
  const type = essence.trim();
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith("charset="));
  const known = allowed.find((one) => one === type);
  const wanted = allowed.join(" or ");
  if (known === undefined) {
    const found = header === null ? "missing" : `"${visible(type, echoedMax)}"`;
    throw badRequest(`Content-Type is ${found}; send ${wanted}.`);
  }
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw badRequest(`Content-Type names another charset than UTF-8; send ${wanted} in UTF-8.`);
  }
  return known;
}

/** The whole body as text; a longer one is refused as soon as that is known, whatever its length claims. */
export async function readText(request: Request, bytesMax: number): Promise<string> {
  const bytes = await readBytes(request, bytesMax).catch(refuseCutShort);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badRequest("The body is not UTF-8.");
  }
}

/** A caller that goes away in the middle of its body is no fault of ours, and none for the log. */
function refuseCutShort(error: unknown): never {
  if ((error as { name?: unknown } | null)?.name !== "AbortError") throw error;
  throw badRequest("The connection was closed before the body was complete.");
}

async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const tooLong = () => badRequest(`The body is longer than ${bytesMax} bytes; send less at a time.`);
  // The HTTP parser holds a body to its Content-Length, so a short one can be taken in one piece.
  const announced = request.headers.get("content-length");
  if (announced !== null && Number(announced) > bytesMax) throw tooLong();
  if (announced !== null) {
    const bytes = await request.bytes();
    if (bytes.byteLength > bytesMax) throw tooLong();
    return bytes;
  }
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    length += chunk.byteLength;
    if (length > bytesMax) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** @throws PublicError `bad_request`: not JSON, a key twice in one object, or nested too deeply. */
function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest(text.trim() === "" ? "The body is empty; send JSON." : "The body is not valid JSON.");
  }
  refuseDuplicateKeys(text);
  return value;
}

const depthMax = 32;
// In valid JSON a string that a colon follows is a key, and braces outside of strings are objects.
const keyOrBrace = /"((?:[^"\\]|\\.)*)"(\s*:)?|[{}]/g;

/**
 * `JSON.parse` keeps the last of two equal keys without a word, so that two readers of one body may
 * disagree about what it says (RFC 8259 §4). Takes valid JSON only.
 */
function refuseDuplicateKeys(json: string): void {
  const open: Set<string>[] = [];
  for (const [token, content, colon] of json.matchAll(keyOrBrace)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (colon !== undefined) {
      const keys = open.at(-1)!;
      const key = content!.includes("\\") ? (JSON.parse(`"${content}"`) as string) : content!;
      if (keys.has(key)) throw badRequest(`The body has the key "${visible(key, echoedMax)}" twice.`);
      keys.add(key);
    }
    if (open.length > depthMax) throw badRequest(`The body is nested more than ${depthMax} objects deep.`);
  }
}
