import { createSchemaWriter, describeOperations, errorResponse } from "../../web/http/openapi.ts";
import { buildInfo } from "../../platform/lib/build-info.ts";
import type { ControlOperation } from "./operation.ts";

/** Returns the OpenAPI 3.1 document of the control plane, made from its operations. */
export function describeControl(operations: readonly ControlOperation[], url: string): object {
  const schemas = createSchemaWriter();
  const errors = {
    400: errorResponse(
      { description: "The request is invalid. The message states what to change." },
      schemas,
    ),
    404: errorResponse({ description: "Not found." }, schemas),
  };
  const paths = describeOperations(operations, { schemas, responses: () => errors });
  return {
    openapi: "3.1.0",
    info: {
      title: "phishwatch sandbox",
      version: buildInfo.version,
      description:
        "Controls a sandbox for integration tests. It exists only in a sandbox, needs no key and listens only on loopback.",
    },
    servers: [{ url }],
    paths,
    components: { schemas: schemas.components() },
  };
}
