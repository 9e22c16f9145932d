import { requireContentType } from "../../web/http/body/json-body.ts";
import { describeError, noSuchRoute } from "../../web/http/errors.ts";
import type { PathParameters } from "../../web/http/operation.ts";
import { badRequest, notFound } from "../../platform/lib/errors.ts";
import type { Log } from "../../platform/lib/log.ts";
import { pathOf } from "../../platform/lib/request-path.ts";
import { certificateOperations } from "./certificate-operations.ts";
import { describeControl } from "./document.ts";
import { eventOperations } from "./event-operations.ts";
import { faultOperations } from "./fault-operations.ts";
import { inboxOperations } from "./inbox-operations.ts";
import type { ControlOperation } from "./operation.ts";
import { receiveDelivery } from "./receive-delivery.ts";
import { stateOperations } from "./state-operations.ts";
import type { SandboxState } from "./state.ts";
import { webhookOperations } from "./webhook-operations.ts";
import type { SandboxLog } from "../log/certificate-log.ts";

/** Every operation under /sandbox, in the order of the OpenAPI document. */
export const operations: readonly ControlOperation[] = [
  ...stateOperations,
  ...eventOperations,
  ...certificateOperations,
  ...webhookOperations,
  ...inboxOperations,
  ...faultOperations,
];

interface Route {
  operation: ControlOperation;
  pattern: RegExp;
}

const routes: Route[] = operations.map((operation) => ({ operation, pattern: patternOf(operation) }));
const inboxPattern = /^\/sandbox\/inbox\/(?<name>[A-Za-z0-9._-]{1,64})$/;
const commonHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** Returns the request handler of the control plane. Its errors have the form of the API's. */
export function createControl(state: SandboxState, log: Log): (request: Request) => Promise<Response> {
  async function asLog(request: Request): Promise<object> {
    return respondAsLog((await state.instance().certificates()).log, request);
  }

  async function run(request: Request, path: string): Promise<object> {
    if (path === "/sandbox/openapi.json" && request.method === "GET")
      return describeControl(operations, state.ready.url);
    const { operation, params } = match(request.method, path);
    // Also without a body: a page of another origin can only send the content types of forms.
    if (request.headers.has("content-type")) requireContentType(request, ["application/json"]);
    return operation.execute(state, {
      caller: undefined,
      request,
      params,
      bodies: state.instance().app.server.bodies,
    });
  }

  return async (request) => {
    const path = pathOf(request.url);
    try {
      const inbox = inboxPattern.exec(path)?.groups?.["name"];
      if (inbox !== undefined && request.method === "POST")
        return await receiveDelivery(state, inbox, request);
      if (path.startsWith(logPath) && request.method === "GET")
        return Response.json(await asLog(request), { headers: commonHeaders });
      return Response.json(await run(request, path), { headers: commonHeaders });
    } catch (error) {
      const { status, body } = describeError(error, { id: "sandbox", method: request.method, path }, log);
      return Response.json(body, { status, headers: commonHeaders });
    }
  };
}

/** Turns `/inbox/{name}` into a pattern with a named group for each parameter, of the form that its schema states. */
function patternOf({ path, params = {} }: ControlOperation): RegExp {
  const source = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const pattern = String(params[name]!["pattern"]);
    return `(?<${name}>${pattern.replaceAll(/^\^|\$$/g, "")})`;
  });
  return new RegExp(`^${source}$`);
}

function match(method: string, path: string): { operation: ControlOperation; params: PathParameters } {
  const matching = routes.filter(({ pattern }) => pattern.test(path));
  const route = matching.find(({ operation }) => operation.method === method);
  if (route !== undefined)
    return { operation: route.operation, params: { ...route.pattern.exec(path)?.groups } };
  if (matching.length === 0) throw noSuchRoute();
  const methods = matching.map(({ operation }) => operation.method).join(", ");
  throw notFound(`This path only supports ${methods}. See /sandbox/openapi.json.`);
}

/** Path below which the sandbox's certificate log responds as RFC 6962 requires, without proofs. */
const logPath = "/sandbox/log/ct/v1/";

/** @throws PublicError `bad_request`, `not_found` */
function respondAsLog(log: SandboxLog, request: Request): object {
  const name = pathOf(request.url).slice(logPath.length);
  if (name === "get-sth") return log.signedTreeHead();
  if (name !== "get-entries") throw notFound("The sandbox's log serves get-sth and get-entries.");
  const { searchParams } = new URL(request.url);
  const [start, end] = ["start", "end"].map((key) => indexOf(searchParams.get(key)));
  if (start === undefined || end === undefined || start > end)
    throw badRequest('Send "start" and "end" as indexes of entries, such as ?start=0&end=31.');
  return log.entries(start, end);
}

function indexOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
