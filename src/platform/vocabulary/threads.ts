import type { Worker } from "node:worker_threads";
import type { ListTexts } from "../lib/lists/list-texts.ts";

/** Work that runs in a thread of its own. The executable contains one program, which finds its task in `workerData`. */
export type ThreadTask =
  | "screening"
  | "archive-maintenance"
  | "archive-search"
  | "certificate-logs"
  | "inspection"
  | "backup"
  | "decisions";

/** Starts a thread for a task, or throws an error of the system if that is not possible at present; default: `screening`, which prefilters lists. */
export type StartWorker = (task?: ThreadTask) => Worker;

/** `workerData` of every thread. */
export interface ThreadData {
  task: ThreadTask;
  /** Texts of the lists that a data update has replaced. */
  lists: ListTexts;
}
