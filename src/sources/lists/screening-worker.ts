/** A thread that screens lists for another one; see `screening.ts` for who asks. */
import type { MessagePort } from "node:worker_threads";
import type { FilterTables } from "../../detection/filter/filter-tables.ts";
import { createFilter } from "../../detection/filter/filter.ts";
import { createScreener, type LineByLine, type Screener, type WholeLines } from "./screener.ts";

/** What it is told first. */
export interface ScreeningTask {
  format: LineByLine;
  /** Of the matcher that judges what comes through. */
  tables: FilterTables;
}

/** Answers a task with nothing, and each `WholeLines` that comes after it with a `NameChunk`, in their order. */
export function serveScreening(port: MessagePort): void {
  let screen: Screener | undefined;
  port.on("message", (message: ScreeningTask | WholeLines) => {
    if (!("bytes" in message)) {
      screen = createScreener(message.format, createFilter(message.tables));
      return;
    }
    port.postMessage(screen!(message));
  });
}
