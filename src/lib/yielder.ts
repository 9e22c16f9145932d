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

/** Work that requests wait for. Work in the background pauses meanwhile, since it would take half of the processor. */
export interface Foreground {
  /** Marks the time until the work ends, and returns its result. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Resolves when no request waits for such work. */
  idle(): Promise<void>;
}

export function createForeground(): Foreground {
  let inProgress = 0;
  /** Is resolved when the last work in progress ends; undefined: there is none. */
  let end: PromiseWithResolvers<void> | undefined;

  async function idle(): Promise<void> {
    if (end === undefined) return;
    await end.promise;
    // Other work may have begun before this runs.
    await idle();
  }

  return {
    async during(work) {
      inProgress += 1;
      end ??= Promise.withResolvers();
      try {
        return await work;
      } finally {
        inProgress -= 1;
        if (inProgress === 0) {
          end.resolve();
          end = undefined;
        }
      }
    },
    idle,
  };
}
