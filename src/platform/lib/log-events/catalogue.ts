import { accessEvents } from "./access.ts";
import { backupsEvents } from "./backups.ts";
import { certificateLogsEvents } from "./certificate-logs.ts";
import { databaseEvents } from "./database.ts";
import { deliveriesEvents } from "./deliveries.ts";
import { inspectionEvents } from "./inspections.ts";
import { reloadEvents } from "./reloads.ts";
import { scansEvents } from "./scans.ts";
import { serverEvents } from "./server.ts";
import { sourcesEvents } from "./sources.ts";
import { standbyEvents } from "./standby.ts";
import { takedownEvents } from "./takedowns.ts";
import type { FieldsOf, LogEvent } from "./event.ts";

/** All kinds of log lines. */
export const logEvents = {
  ...serverEvents,
  ...reloadEvents,
  ...accessEvents,
  ...sourcesEvents,
  ...standbyEvents,
  ...certificateLogsEvents,
  ...scansEvents,
  ...inspectionEvents,
  ...deliveriesEvents,
  ...databaseEvents,
  ...backupsEvents,
  ...takedownEvents,
} as const satisfies Record<string, LogEvent>;

export type LogEventName = keyof typeof logEvents;
export type LogEventFields<Name extends LogEventName> = Name extends LogEventName
  ? FieldsOf<(typeof logEvents)[Name]>
  : never;
