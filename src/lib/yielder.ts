/** Cooperative yield: divides long-running work on the one thread into slices, so that requests are served in between. */
export interface Yielder {
  /** Returns whether the current slice has used up its time. */
  due(): boolean;
  /** Lets waiting work run, then begins a new slice. */
  pause(): Promise<void>;
}

/** @param elapsedMs monotonic clock, such as `performance.now`; the wall clock may stand still or jump. */
export function createYielder({ sliceMs, elapsedMs }: { sliceMs: number; elapsedMs: () => number }): Yielder {
  let startedMs = elapsedMs();
  return {
    due: () => elapsedMs() - startedMs >= sliceMs,
    async pause() {
      // A timer instead of a resolved promise: microtasks run before input and output are polled.
      await new Promise<void>((resolve) => void setImmediate(resolve));
      startedMs = elapsedMs();
    },
  };
}
