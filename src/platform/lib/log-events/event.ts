import type { LogField, LogFieldValue } from "./fields.ts";

/** A kind of log line. Its name, its level and the names of its fields are stable: programs may rely on them. */
export interface LogEvent {
  level: "debug" | "info" | "warn" | "error";
  /** Message of the line. It contains nothing variable. */
  text: string;
  /** One sentence. */
  description: string;
  /** Action that the operator should take, if any. */
  advice?: string;
  fields: readonly LogField[];
  /** Fields that are absent or null in some lines. */
  optional?: readonly LogField[];
}

/** Fields that a line of an event must and can have. */
export type FieldsOf<Event extends LogEvent> = {
  [Field in Event["fields"][number]]: LogFieldValue<Field>;
} & {
  [Field in Event extends { optional: readonly LogField[] } ? Event["optional"][number] : never]?:
    LogFieldValue<Field> | null | undefined;
};
