import { badRequest } from "../../lib/errors.ts";
import { carryOut, lastOfConnection } from "../faults/failures.ts";
import { inboxesMax } from "./inbox.ts";
import type { SandboxState } from "./state.ts";

const bodyBytesMax = 1 << 20;

/** A delivery comes to an inbox: it is kept, judged, and answered as was asked for. */
export async function takeDelivery(state: SandboxState, name: string, request: Request): Promise<Response> {
  const tooLong = badRequest(`The body is longer than ${bodyBytesMax} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > bodyBytesMax) throw tooLong;
  const body = await request.bytes();
  if (body.byteLength > bodyBytesMax) throw tooLong;
  const { inboxes } = state;
  requireRoom(state, name);
  const { app, clock } = state.instance();
  const url = inboxUrl(state, name);
  const senders = app.webhooks.endpoints.list().filter((endpoint) => endpoint.url === url);
  const headers = Object.fromEntries(request.headers);
  const failure = inboxes.take(name, { headers, body }, senders, clock.now());
  const answer = await carryOut(
    failure,
    request,
    (status, more) => new Response(`answered ${status}, as was asked for\n`, { status, headers: more }),
    () => new Response("taken\n"),
  );
  return lastOfConnection(answer);
}

export function inboxUrl(state: SandboxState, name: string): string {
  return `${state.ready.url}/sandbox/inbox/${name}`;
}

/** @throws PublicError when there are too many inboxes for another one */
export function requireRoom({ inboxes }: SandboxState, name: string): void {
  const names = inboxes.names();
  if (names.length < inboxesMax || names.includes(name)) return;
  throw badRequest(`There are ${inboxesMax} inboxes already; delete one first.`);
}
