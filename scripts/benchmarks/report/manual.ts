import { withRegion } from "../../markdown-table.ts";
import type { Measurements } from "./measurements.ts";
import {
  commandTable,
  isMeasured,
  limitsTables,
  machineTable,
  performanceTables,
  reportTable,
  type ReportTable,
} from "./tables.ts";

/** Returns the manual page "Performance" with the tables of these measurements. */
export function withPerformance(page: string, measurements: Measurements): string {
  const ids = new Set(performanceTables.flatMap(({ steps }) => steps));
  const withMachine = withRegion(page, "machine", machineTable(measurements.machine));
  const withCommands = withRegion(withMachine, "commands", commandTable(measurements, [...ids]));
  return withTables(withCommands, performanceTables, measurements);
}

/** Returns the manual page "Limits and growth" with the tables of these measurements. */
export function withLimits(page: string, measurements: Measurements): string {
  return withTables(page, limitsTables, measurements);
}

/** Returns the page with each table whose steps were measured. The others keep their earlier figures. */
function withTables(page: string, tables: readonly ReportTable[], measurements: Measurements): string {
  return tables
    .filter((table) => isMeasured(measurements, table))
    .reduce((current, table) => withRegion(current, table.region, reportTable(measurements, table)), page);
}
