import type { TSchema } from "@sinclair/typebox";
import type { Scope } from "../../platform/vocabulary/keys.ts";
import type { BodyBudget } from "./body/body-budget.ts";
import type { Body } from "./body/json-body.ts";
import { queryReader, type QueryParameters, type QueryValues } from "./query.ts";

/**
 * One operation of an HTTP API. Routes, the OpenAPI document, the TypeScript client and the tests of
 * authentication are all generated from the list of operations.
 */
export interface Operation<Services, Caller = undefined> {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path template, with `{name}` for a parameter. */
  path: string;
  /** `operationId` in the OpenAPI document. */
  id: string;
  tag?: string;
  summary: string;
  description?: string;
  /** Scope that the caller's API key needs. */
  scope?: Scope;
  /** Schemas of the path parameters. */
  params?: Record<string, TSchema>;
  query?: QueryParameters;
  body?: Pick<Body<unknown>, "required" | "content">;
  /** Success response: status 200 with a JSON body, or with a file of one of these media types. */
  response: { description: string } & (
    { schema: TSchema; example?: unknown } | { files: Record<string, { schema: TSchema; example?: unknown }> }
  );
  /** Checks query and body, in this order, then runs the operation. Returns the response body, as an object or `JsonText`, or a `Download`. */
  execute(services: Services, request: IncomingCall<Caller>): object | Promise<object>;
}

/**
 * Result of a GET operation that cannot respond at once. `run` is called after the state of the database in which the
 * key was checked has been released, so it must not rely on that state.
 */
export class Later {
  readonly run: () => Promise<object>;

  constructor(run: () => Promise<object>) {
    this.run = run;
  }
}

/** Result of an operation that is serialized already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A call whose path has been matched and whose caller has been identified. */
export interface IncomingCall<Caller> {
  caller: Caller;
  request: Request;
  params: PathParameters;
  /** Limits the memory of the body. */
  bodies: BodyBudget;
}

/** Percent-decoded path parameters by name; null where the encoding is invalid. */
export type PathParameters = Record<string, string | null>;

/** A call with its query and body checked. */
export interface Call<Caller, Query, Content> extends Omit<IncomingCall<Caller>, "bodies"> {
  query: Query;
  body: Content;
}

type Definition<Services, Caller, Parameters extends QueryParameters, Content> = Omit<
  Operation<Services, Caller>,
  "query" | "body" | "execute"
> & {
  query?: Parameters;
  body?: Body<Content>;
  run(services: Services, call: Call<Caller, QueryValues<Parameters>, Content>): object | Promise<object>;
};

/**
 * Returns a function that declares operations of one API. The types of `query` and `body` in `run` follow
 * from their definitions. `Extra` lists what every operation of this API must state.
 */
export function operationsOf<Services, Caller = undefined, Extra extends object = object>() {
  return function operation<Content = undefined, Parameters extends QueryParameters = Record<never, never>>(
    definition: Definition<Services, Caller, Parameters, Content> & Extra,
  ): Operation<Services, Caller> & Extra {
    const { query, body, run } = definition;
    const readQuery = queryReader(query ?? ({} as Parameters));

    /** Without a body to wait for, an operation may return its result at once. */
    function executeWithoutBody(services: Services, { caller, request, params }: IncomingCall<Caller>) {
      const values = readQuery(request.url);
      return run(services, { caller, request, params, query: values, body: undefined as Content });
    }

    async function executeWithBody(
      services: Services,
      { caller, request, params, bodies }: IncomingCall<Caller>,
    ) {
      const values = readQuery(request.url);
      const account = bodies.open();
      try {
        const content = await body!.read(request, account);
        return await run(services, { caller, request, params, query: values, body: content });
      } finally {
        account.close();
      }
    }

    return { ...definition, execute: body === undefined ? executeWithoutBody : executeWithBody };
  };
}
