/** Searches parts of the archive in a worker thread on behalf of `search-folder.ts`. */
import type { MessagePort } from "node:worker_threads";
import { replyOf } from "../archive.ts";
import { searchPart, type PartResult, type SegmentPart } from "./parts.ts";
import { prepareSearch, type ArchiveQuery, type BlockSearch } from "./query.ts";

/** First message to a worker. */
export interface SearchTask {
  folder: string;
  query: ArchiveQuery;
  foundMax: number;
}

/** Sends no reply to a task, and one for each `SegmentPart` after it, in the same order. */
export function serveSearch(port: MessagePort): void {
  let task: SearchTask;
  let search: Promise<BlockSearch>;
  // One part after the other, so that replies keep the order.
  let last = Promise.resolve();
  port.on("message", (message: SearchTask | SegmentPart) => {
    if ("query" in message) {
      task = message;
      search = prepareSearch(message.query);
      return;
    }
    last = last.then(async () => port.postMessage(await replyOf(searched(message))));
  });

  async function searched(part: SegmentPart): Promise<PartResult> {
    const { folder, foundMax } = task;
    return searchPart(folder, part, { search: await search, foundMax });
  }
}
