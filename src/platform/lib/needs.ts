import type { Clock } from "./clock.ts";
import type { FillRandom, IdFactory } from "./ids.ts";
import type { Log } from "./log.ts";
import type { Yielder } from "./yielder.ts";

/** Dependencies that many services take, always under these names. */
export interface StandardDependencies {
  clock: Clock;
  fillRandom: FillRandom;
  ids: IdFactory;
  log: Log;
  yielder: () => Yielder;
}

/**
 * Types of the standard dependencies that a function names: `{ clock, log }: Needs<"clock" | "log">`. What only this
 * function takes is added with `&`. `Needs` of `database/` and of `access/audit/` also know what is declared there.
 */
export type Needs<Name extends keyof StandardDependencies> = Pick<StandardDependencies, Name>;
