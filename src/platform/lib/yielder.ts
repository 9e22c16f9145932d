/** Cooperative yield: divides long-running work on the one thread into slices, so that requests are served in between. */
export interface Yielder {
  /** Returns whether the current slice has used up its time. */
  due(): boolean;
  /** Lets waiting work run, then begins a new slice. */
  pause(): Promise<void>;
}

interface Slices {
  sliceMs: number;
  /** Monotonic clock, such as `performance.now`; the wall clock may stand still or jump. */
  elapsedMs: () => number;
}

export function createYielder({ sliceMs, elapsedMs }: Slices, nextTurn = nextIteration): Yielder {
  let startedMs = elapsedMs();
  return {
    due: () => elapsedMs() - startedMs >= sliceMs,
    async pause() {
      await nextTurn();
      startedMs = elapsedMs();
    },
  };
}

/** A timer instead of a resolved promise: microtasks run before input and output are polled. */
function nextIteration(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/**
 * Returns a function that creates yielders. Only one of their slices takes place in each iteration of the event loop, so
 * that a request that needs none waits for one slice at most, however much work is in progress. Slices go around between
 * owners; without one, a yielder has turns of its own.
 */
export function createYielders(slices: Slices): (owner?: string) => Yielder {
  /** Work that waits for a slice, by owner. The first owner is next. */
  const waiting = new Map<unknown, (() => void)[]>();

  function begin(): void {
    const [owner, queue] = waiting.entries().next().value!;
    const resolve = queue.shift()!;
    waiting.delete(owner);
    if (queue.length > 0) waiting.set(owner, queue);
    if (waiting.size > 0) setImmediate(begin);
    resolve();
  }

  return (owner) => {
    const key: unknown = owner ?? {};
    const nextTurn = () =>
      new Promise<void>((resolve) => {
        if (waiting.size === 0) setImmediate(begin);
        waiting.getOrInsertComputed(key, () => []).push(resolve);
      });
    return createYielder(slices, nextTurn);
  };
}

/** Work that requests wait for. Work in the background pauses until it ends, since it would take half of the processor. */
export type Foreground = ReturnType<typeof createForeground>;

export function createForeground() {
  let inProgress = 0;
  /** Is resolved when the last work in progress ends; undefined: there is none. */
  let end: PromiseWithResolvers<void> | undefined;

  /** Resolves when no request waits for such work. */
  async function idle(): Promise<void> {
    if (end === undefined) return;
    await end.promise;
    // Other work may have begun before this runs.
    await idle();
  }

  return {
    /** Marks the time until the work ends, and returns its result. */
    async during<T>(work: Promise<T>): Promise<T> {
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
