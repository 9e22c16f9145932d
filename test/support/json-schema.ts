import Ajv from "ajv";

/** Returns the problems of a value by a JSON schema; empty if it is valid. Lengths count characters, not code units. */
export function schemaProblems(schema: object, value: unknown): string[] {
  const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
  const validate = ajv.compile(schema);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
