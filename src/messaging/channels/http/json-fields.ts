import { fieldsOf, parseJson } from "../../../platform/lib/json.ts";

/** Returns the fields of a response that is a JSON object; none if it is anything else. */
export function jsonFields(body: string): Readonly<Record<string, unknown>> {
  return fieldsOf(parseJson(body));
}

/** Returns a number of seconds or milliseconds from a response, or undefined if it is none. */
export function positiveNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** Returns the error of an attempt: the status with what the service said. */
export function statusError(status: number, said: unknown): string {
  return typeof said === "string" && said !== "" ? `HTTP status ${status}: ${said}` : `HTTP status ${status}`;
}
