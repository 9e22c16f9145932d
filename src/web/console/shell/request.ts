import type { Account } from "../../../access/accounts/accounts.ts";
import type { Actor } from "../../../access/audit/actor.ts";
import { freeBodyBytes, type BodyAccount } from "../../http/body/body-budget.ts";
import { requireContentType } from "../../http/body/json-body.ts";
import { readText } from "../../http/body/read-body.ts";
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
  /** Limits the memory of the body. */
  body: BodyAccount;
  /** Undefined until the cookies have been read. */
  visitor: Visitor | undefined;
}

/** Returns who sent a request whose cookies have been read. */
export function visitorOf({ visitor }: ConsoleRequest): Visitor {
  if (visitor === undefined) throw new Error("the cookies have not been read");
  return visitor;
}

/** Returns an account as an actor; null before the sign-in. */
export function consoleActor(account: Pick<Account, "name"> | null, address: string | undefined): Actor {
  return { channel: "console", name: account?.name ?? null, address: address ?? null };
}

/** Returns the name under which an account shares what is limited. */
export function ownerOf({ seq }: Pick<Account, "seq">): string {
  return `account ${seq}`;
}

/** Maximum size of a form, in bytes, by whether its sender is signed in. */
export const formBytesMax = { signedIn: 256 << 10, signedOut: freeBodyBytes } as const;

/** @throws PublicError for another content type, or for a form over `bytesMax` */
export async function readForm(
  { request, body }: Pick<ConsoleRequest, "request" | "body">,
  bytesMax: number,
): Promise<URLSearchParams> {
  requireContentType(request, ["application/x-www-form-urlencoded"]);
  return new URLSearchParams(await readText(request, { bytesMax, account: body }));
}
