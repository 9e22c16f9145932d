import { customType, integer } from "drizzle-orm/sqlite-core";
import type { Instant } from "../lib/clock.ts";

/** Time, stored as milliseconds since the Unix epoch. */
export const instant = (name: string) => integer(name).$type<Instant>();

/** Value stored as JSON text. */
export const json = <T>(name: string) =>
  customType<{ data: T; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (value) => JSON.parse(value) as T,
  })(name);

/** Origin of a row: the configuration file (reconciled at every start), or a person at run time. */
export const origins = ["file", "runtime"] as const;
