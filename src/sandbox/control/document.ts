import { buildInfo } from "../../lib/build-info.ts";
import { namePattern, type Operation } from "./operation.ts";

const json = "application/json";

/** The OpenAPI 3.1 document of the control plane, made from its operations. */
export function describeControl(operations: readonly Operation[], url: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method.toLowerCase()] = describe(operation);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "phishwatch sandbox",
      version: buildInfo.version,
      description:
        "Controls a sandbox for integration tests. It exists in a sandbox only, takes no key, and answers on loopback alone.",
    },
    servers: [{ url }],
    paths,
    components: {
      schemas: {
        Error: {
          type: "object",
          required: ["error"],
          properties: {
            error: {
              type: "object",
              required: ["code", "message"],
              properties: { code: { type: "string" }, message: { type: "string" } },
            },
          },
        },
      },
    },
  };
}

function describe({ path, id, summary, description, query = {}, body, answer }: Operation): object {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", pattern: `^${namePattern}$` },
  }));
  const inQuery = Object.entries(query).map(([name, about]) => ({
    name,
    in: "query",
    description: about,
    schema: { type: "string" },
  }));
  const error = (about: string) => ({
    description: about,
    content: { [json]: { schema: { $ref: "#/components/schemas/Error" } } },
  });
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(inPath.length + inQuery.length === 0 ? {} : { parameters: [...inPath, ...inQuery] }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: (body["required"] as string[] | undefined) !== undefined,
            content: { [json]: { schema: body } },
          },
        }),
    responses: {
      200: { description: "Done", content: { [json]: { schema: answer } } },
      400: error("The request has to be changed; the message says how"),
      404: error("There is no such thing"),
    },
  };
}
