/** Prefilters lists in a worker thread on behalf of `screening.ts`. */
import type { MessagePort } from "node:worker_threads";
import type { FilterTables } from "../../../engines/detection/filter/filter-tables.ts";
import { createFilter } from "../../../engines/detection/filter/filter.ts";
import type { LineByLine } from "../name-file-formats/formats.ts";
import { createScreener, type Screener, type WholeLines } from "./screener.ts";

/** First message to a worker. */
export interface ScreeningTask {
  format: LineByLine;
  /** Filter tables of the matcher that classifies what passes. */
  tables: FilterTables;
}

/** Sends no reply to a task, and a `NameChunk` for each `WholeLines` after it, in the same order. */
export function serveScreening(port: MessagePort): void {
  let screen: Screener | undefined;
  port.on("message", (message: ScreeningTask | WholeLines) => {
    if (!("bytes" in message)) {
      screen = createScreener(message.format, createFilter(message.tables));
      return;
    }
    const chunk = screen!(message);
    port.postMessage(chunk, [chunk.joined.buffer]);
  });
}
