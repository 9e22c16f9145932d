import { Type, type TSchema } from "@sinclair/typebox";
import { errorStatuses, type ErrorBody } from "./errors.ts";
import type { Operation } from "./operation.ts";
import { choice, closed } from "../../platform/vocabulary/schemas.ts";
import type { ErrorCode } from "../../platform/lib/errors.ts";

export type Json = Record<string, unknown>;

/** The parts of an operation that its description needs. */
export type Described = Omit<Operation<never, never>, "execute">;

const errorCodes = Object.keys(errorStatuses) as ErrorCode[];

const errorSchema = Type.Object(
  {
    error: Type.Object(
      {
        code: choice(errorCodes, { description: "Stable code, for programs." }),
        message: Type.String({ description: "States what to change, for people." }),
      },
      closed,
    ),
  },
  { ...closed, $id: "Error", description: "An error response." },
);

/** Returns the `components.responses` entry of an error. */
export function errorResponse(
  { description, error, headers }: { description: string; error?: ErrorBody["error"]; headers?: Json },
  schemas: SchemaWriter,
): Json {
  return {
    description,
    headers,
    content: {
      "application/json": {
        schema: schemas.write(errorSchema),
        example: error && { error },
      },
    },
  };
}

export type SchemaWriter = ReturnType<typeof createSchemaWriter>;

/** Creates what writes schemas as plain JSON. */
export function createSchemaWriter() {
  const components: Record<string, unknown> = {};

  function rewrite(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(rewrite);
    if (typeof value !== "object" || value === null) return value;
    const { $id, ...schema } = value as { $id?: string };
    if ($id !== undefined) {
      components[$id] ??= rewrite(schema);
      return { $ref: `#/components/schemas/${$id}` };
    }
    const { anyOf, ...rest } = schema as { anyOf?: { const?: string; type?: string }[] };
    if (anyOf?.every((one) => one.const !== undefined && one.type === "string") === true) {
      return { type: "string", enum: anyOf.map((one) => one.const), ...rest };
    }
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, rewrite(part)]));
  }

  return {
    /** Replaces each schema that has an `$id` by a reference, and each union of strings by an `enum`. */
    // The round trip drops TypeBox's symbols.
    write: (schema: TSchema | Json): unknown => rewrite(JSON.parse(JSON.stringify(schema))),
    /** Returns the schemas that were replaced, by `$id`, for `components.schemas`. */
    components: () => components,
  };
}

/**
 * Returns the `paths` of an OpenAPI document.
 * @param responses responses other than 200, by status
 */
export function describeOperations<Op extends Described>(
  operations: readonly Op[],
  {
    schemas,
    successHeaders,
    responses,
  }: { schemas: SchemaWriter; successHeaders?: (operation: Op) => Json; responses: (operation: Op) => Json },
): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const { response } = operation;
    const content = "files" in response ? response.files : { "application/json": response };
    const success = {
      description: response.description,
      headers: successHeaders?.(operation),
      content: describeContent(content, schemas),
    };
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: {
        ...describeRequest(operation, schemas),
        responses: { 200: success, ...responses(operation) },
      },
    };
  }
  return paths;
}

function describeRequest(operation: Described, schemas: SchemaWriter): Json {
  const { id, tag, summary, description, scope, body } = operation;
  const parameters = describeParameters(operation, schemas);
  const text = [description, scope === undefined ? undefined : `Requires the scope \`${scope}\`.`]
    .filter((part) => part !== undefined)
    .join("\n\n");
  return {
    operationId: id,
    tags: tag && [tag],
    summary,
    description: text || undefined,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: body && { required: body.required, content: describeContent(body.content, schemas) },
  };
}

function describeParameters({ params = {}, query = {} }: Described, schemas: SchemaWriter): Json[] {
  const parameter = (name: string, place: "path" | "query", schema: TSchema, isRequired: boolean): Json => {
    const { description, ...rest } = schemas.write(schema) as Json;
    return { name, in: place, required: isRequired, description, schema: rest };
  };
  return [
    ...Object.entries(params).map(([name, schema]) => parameter(name, "path", schema, true)),
    ...Object.entries(query).map(([name, { schema, isRequired = false }]) =>
      parameter(name, "query", schema, isRequired),
    ),
  ];
}

function describeContent(
  content: NonNullable<Operation<never>["body"]>["content"],
  schemas: SchemaWriter,
): Json {
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema, example }]) => [
      type,
      { schema: schemas.write(schema), example },
    ]),
  );
}
