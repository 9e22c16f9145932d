import { badRequest } from "../../platform/lib/errors.ts";
import { carryOut, lastOfConnection } from "../faults/failures.ts";
import { inboxesMax } from "./inbox.ts";
import type { SandboxState } from "./state.ts";

const bodyBytesMax = 1 << 20;

/** Stores a delivery in an inbox, with the result of checking its signatures, and responds as requested. */
export async function receiveDelivery(
  state: SandboxState,
  name: string,
  request: Request,
): Promise<Response> {
  const tooLong = badRequest(`The body is longer than ${bodyBytesMax} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > bodyBytesMax) throw tooLong;
  const body = await request.bytes();
  if (body.byteLength > bodyBytesMax) throw tooLong;
  const { inboxes } = state;
  requireRoom(state, name);
  const { app, clock, signingTimes } = state.instance();
  const url = inboxUrl(state, name);
  const senders = app.webhooks.endpoints.list().filter((endpoint) => endpoint.url === url);
  const headers = Object.fromEntries(request.headers);
  const failure = inboxes.receive(name, { headers, body }, senders, clock.now(), signingTimes.at(url));
  const response = await carryOut(
    failure,
    request,
    (status, more) => new Response(`status ${status}, as requested\n`, { status, headers: more }),
    () => new Response("accepted\n"),
  );
  return lastOfConnection(response);
}

export function inboxUrl(state: SandboxState, name: string): string {
  return `${state.ready.url}/sandbox/inbox/${name}`;
}

/** @throws PublicError `bad_request` if there are too many inboxes to add this one */
export function requireRoom({ inboxes }: SandboxState, name: string): void {
  const names = inboxes.names();
  if (names.length < inboxesMax || names.includes(name)) return;
  throw badRequest(`There are already ${inboxesMax} inboxes; delete one first.`);
}
