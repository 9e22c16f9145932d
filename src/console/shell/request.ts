import type { Actor } from "../../access/audit/actor.ts";
import { readText, requireContentType } from "../../http/json-body.ts";
import type { Visitor } from "./visitors.ts";

/** A request to the console while it is being handled. */
export interface ConsoleRequest {
  request: Request;
  /** Response headers. */
  headers: Record<string, string>;
  /** Client address. */
  address: string | undefined;
  path: string;
  query: URLSearchParams;
  /** Undefined until the cookies have been read. */
  visitor: Visitor | undefined;
}

/** Returns the administrator as an actor. */
export function administrator(address: string | null | undefined): Actor {
  return { channel: "console", name: null, address: address ?? null };
}

const formBytesMax = 256 << 10;

/** @throws PublicError for another content type, or for a form over 256 KiB */
export async function readForm(request: Request): Promise<URLSearchParams> {
  requireContentType(request, ["application/x-www-form-urlencoded"]);
  return new URLSearchParams(await readText(request, formBytesMax));
}
