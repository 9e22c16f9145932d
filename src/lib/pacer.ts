/** Divides long work on the one thread into slices, so that requests and signals are served in between. */
export interface Pacer {
  /** Whether the running slice has used up its time. */
  due(): boolean;
  /** Lets everything else that waits have its turn; a new slice starts then. */
  pause(): Promise<void>;
}

/** @param elapsedMs a monotonic clock, such as `performance.now`: the wall clock may stand still or jump. */
export function createPacer({ sliceMs, elapsedMs }: { sliceMs: number; elapsedMs: () => number }): Pacer {
  let startedMs = elapsedMs();
  return {
    due: () => elapsedMs() - startedMs >= sliceMs,
    async pause() {
      // A timer and not a resolved promise: microtasks run before input and output are looked at.
      await new Promise<void>((resolve) => void setImmediate(resolve));
      startedMs = elapsedMs();
    },
  };
}
