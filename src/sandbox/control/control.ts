import { describeError, noSuchRoute } from "../../http/errors.ts";
import { jsonReader, type BodyReader } from "../../http/json-body.ts";
import { readQuery } from "../../http/query.ts";
import { notFound } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { failureOperations } from "./fault-operations.ts";
import { describeControl } from "./document.ts";
import { namePattern, type Operation } from "./operation.ts";
import { happenOperations } from "./event-operations.ts";
import { stateOperations } from "./state-operations.ts";
import { takeDelivery } from "./receive-delivery.ts";
import { webhookOperations } from "./webhook-operations.ts";
import type { SandboxState } from "./state.ts";

/** Everything under /sandbox, in the order of the document. */
export const operations: readonly Operation[] = [
  ...stateOperations,
  ...happenOperations,
  ...webhookOperations,
  ...failureOperations,
];

const inboxPath = new RegExp(`^/sandbox/inbox/(${namePattern})$`);

interface Route {
  operation: Operation;
  pattern: RegExp;
  names: string[];
  read: BodyReader<unknown> | undefined;
}

const routes: Route[] = operations.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, `(${namePattern})`)}$`),
  names: [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
  read: operation.body === undefined ? undefined : jsonReader(operation.body),
}));

/** Answers what is asked of the control plane; errors have the form of the API's. */
export function createControl(state: SandboxState, log: Log): (request: Request) => Promise<Response> {
  const document = () => describeControl(operations, state.ready.url);

  async function answer(request: Request, path: string): Promise<object> {
    if (path === "/sandbox/openapi.json" && request.method === "GET") return document();
    const { route, params } = find(request.method, path);
    const { operation, read } = route;
    const query = Object.fromEntries(readQuery(request.url, Object.keys(operation.query ?? {})));
    const body = read === undefined ? {} : await readBody(request, operation, read);
    return operation.run(state, { params, query, body, signal: request.signal });
  }

  return async (request) => {
    const path = new URL(request.url).pathname;
    try {
      const inbox = inboxPath.exec(path)?.[1];
      if (inbox !== undefined && request.method === "POST") return await takeDelivery(state, inbox, request);
      return Response.json(await answer(request, path), { headers: commonHeaders });
    } catch (error) {
      const { status, body } = describeError(error, { id: "sandbox", method: request.method, path }, log);
      return Response.json(body, { status, headers: commonHeaders });
    }
  };
}

const commonHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

function find(method: string, path: string): { route: Route; params: Record<string, string> } {
  for (const route of routes) {
    if (route.operation.method !== method) continue;
    const match = route.pattern.exec(path);
    if (match === null) continue;
    const params = Object.fromEntries(route.names.map((name, index) => [name, match[index + 1]!]));
    return { route, params };
  }
  const there = routes.filter(({ pattern }) => pattern.test(path)).map(({ operation }) => operation.method);
  if (there.length === 0) throw noSuchRoute();
  throw notFound(`There is only ${there.join(", ")} at this path; /sandbox/openapi.json shows all.`);
}

/** An operation whose every field may be left out does without a body as well. */
async function readBody(
  request: Request,
  { body }: Operation,
  read: BodyReader<unknown>,
): Promise<Record<string, unknown>> {
  const optional = (body?.["required"] as string[] | undefined)?.length === undefined;
  const empty = request.body === null || request.headers.get("content-length") === "0";
  if (optional && empty) return {};
  return (await read(request)) as Record<string, unknown>;
}
