import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { TypeCompiler, type TypeCheck } from "@sinclair/typebox/compiler";
import { badRequest } from "../lib/errors.ts";
import { visible } from "../lib/safe-text.ts";
import { echoedMax } from "./query.ts";
import { describeSchemaError } from "./schema-errors.ts";

/** Maximum size of a request body, in bytes, unless an operation states its own. */
const bodyBytesMaxDefault = 1 << 20;

/** The body of an operation's requests. */
export interface Body<Content> {
  /** False if an absent body reads as an empty object. */
  required: boolean;
  /** Schema by media type. */
  content: Record<string, { schema: TSchema; example?: unknown }>;
  /** @throws PublicError `bad_request` that names what is wrong: content type, size, encoding, JSON or field. */
  read(request: Request): Promise<Content>;
}

/** Returns a JSON body of one schema. The body may be absent if all fields of the schema are optional. */
export function jsonBody<S extends TObject>(
  schema: S,
  { example, bytesMax = bodyBytesMaxDefault }: { example?: unknown; bytesMax?: number } = {},
): Body<Static<S>> {
  const required = schema.required !== undefined;
  // Compiled on first use, to keep it out of the startup time.
  let check: TypeCheck<S> | undefined;
  return {
    required,
    content: { "application/json": { schema, ...(example === undefined ? {} : { example }) } },
    async read(request) {
      const value = !required && isAbsent(request) ? {} : await readJson(request, bytesMax);
      check ??= TypeCompiler.Compile(schema);
      if (check.Check(value)) return value;
      throw badRequest(describeSchemaError(check.Errors(value).First()));
    },
  };
}

function isAbsent(request: Request): boolean {
  return request.body === null || request.headers.get("content-length") === "0";
}

async function readJson(request: Request, bytesMax: number): Promise<unknown> {
  requireContentType(request, ["application/json"]);
  return parseJson(await readText(request, bytesMax));
}

/**
 * Returns the media type of the body in lowercase.
 * @throws PublicError `bad_request` unless it is one of `allowed`, in UTF-8
 */
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

/**
 * Returns the whole body as text.
 * @throws PublicError `bad_request` as soon as the body exceeds `bytesMax`, whatever its Content-Length claims
 */
export async function readText(request: Request, bytesMax: number): Promise<string> {
  const bytes = await readBytes(request, bytesMax).catch(throwIncomplete);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badRequest("The body is not UTF-8.");
  }
}

/** A caller that disconnects in the middle of its body is not an internal error, and is not logged as one. */
function throwIncomplete(error: unknown): never {
  if ((error as { name?: unknown } | null)?.name !== "AbortError") throw error;
  throw badRequest("The connection was closed before the body was complete.");
}

async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const tooLong = () => badRequest(`The body is longer than ${bytesMax} bytes; send less at a time.`);
  // The HTTP parser enforces Content-Length, so a short body can be read in one piece.
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
  rejectDuplicateKeys(text);
  return value;
}

const depthMax = 32;
// In valid JSON, a string followed by a colon is a key, and a brace outside a string belongs to an object.
const keyOrBrace = /"((?:[^"\\]|\\.)*)"(\s*:)?|[{}]/g;

/**
 * Rejects duplicate keys. `JSON.parse` silently keeps the last of them, and other parsers the first, so two
 * readers of one body could disagree (RFC 8259 §4). Expects valid JSON.
 */
function rejectDuplicateKeys(json: string): void {
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
