import access from "./access.json" with { type: "json" };
import backups from "./backups.json" with { type: "json" };
import certificateLogs from "./certificate-logs.json" with { type: "json" };
import database from "./database.json" with { type: "json" };
import deliveries from "./deliveries.json" with { type: "json" };
import fields from "./fields.json" with { type: "json" };
import inspections from "./inspections.json" with { type: "json" };
import reloads from "./reloads.json" with { type: "json" };
import scans from "./scans.json" with { type: "json" };
import server from "./server.json" with { type: "json" };
import sources from "./sources.json" with { type: "json" };
import standby from "./standby.json" with { type: "json" };
import takedowns from "./takedowns.json" with { type: "json" };

// The compiler knows the keys of a JSON file, but not its texts. Therefore what it has to check is a key: the names of
// events, of their fields, and of the type of a field.

/** A kind of log line. Its name, its level and the names of its fields are stable: programs may rely on them. */
export interface LogEvent {
  level: "debug" | "info" | "warn" | "error";
  /** Message of the line. It contains nothing variable. */
  text: string;
  /** One sentence. */
  description: string;
  /** Action that the operator should take, if any. */
  advice?: string;
  fields: LogFieldSet;
  /** Fields that are absent or null in some lines. */
  optional?: LogFieldSet;
}

type LogFieldSet = Readonly<Partial<Record<LogField, boolean>>>;

/** Fields of log lines, each with its type and its meaning, which is the same in every event. */
export const logFields = fields;

type LogField = keyof typeof logFields;

interface ValueTypes {
  text: string;
  "list of texts": readonly string[];
  number: number;
  /** Anything can be thrown. */
  object: unknown;
}

type LogFieldValue<Field> = Field extends LogField
  ? ValueTypes[keyof (typeof logFields)[Field] & keyof ValueTypes]
  : never;

const definitions = {
  ...server,
  ...reloads,
  ...access,
  ...sources,
  ...standby,
  ...certificateLogs,
  ...scans,
  ...inspections,
  ...deliveries,
  ...database,
  ...backups,
  ...takedowns,
};

export type LogEventName = keyof typeof definitions;

/** All kinds of log lines. */
export const logEvents = definitions as Record<LogEventName, LogEvent>;

/** Fields that a line of an event must and can have. */
export type LogEventFields<Name extends LogEventName> = Name extends LogEventName
  ? FieldsOf<(typeof definitions)[Name]>
  : never;

type FieldsOf<Event extends { fields: object }> = {
  [Field in keyof Event["fields"]]: LogFieldValue<Field>;
} & {
  [Field in Event extends { optional: object } ? keyof Event["optional"] : never]?:
    LogFieldValue<Field> | null | undefined;
};
