import type { StandardDependencies } from "../../../platform/lib/needs.ts";
import type { BackupStore } from "./store.ts";

/** The standard dependencies, and what functions on stores take. */
export interface StoreDependencies extends StandardDependencies {
  store: BackupStore;
  /** Ends what is in flight, with an error. */
  signal: AbortSignal;
}

/** Types of the dependencies that a function names, of which one is a store or a signal. */
export type Needs<Name extends keyof StoreDependencies> = Pick<StoreDependencies, Name>;
