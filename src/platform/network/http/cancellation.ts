/**
 * Cancels one exchange. Instead of an AbortController and its events, which cost as much processor time as the
 * response to a delivery.
 */
export interface Cancellation {
  readonly isCancelled: boolean;
  /** Called once, when the exchange is cancelled. Belongs to its present phase. */
  listener: (() => void) | undefined;
  cancel(): void;
}

export function createCancellation(): Cancellation {
  return {
    isCancelled: false,
    listener: undefined,
    cancel() {
      if (this.isCancelled) return;
      (this as { isCancelled: boolean }).isCancelled = true;
      this.listener?.();
    },
  };
}

/**
 * Cancels exchanges when the signals of their callers abort. Uses one listener per signal: a thousand deliveries share a
 * signal, which takes linear time to remove a listener.
 */
export function createSignalFollowers() {
  const followers = new WeakMap<AbortSignal, Set<Cancellation>>();
  return {
    /** Cancels the exchange when the signal aborts, or now if it has. */
    follow(signal: AbortSignal, cancellation: Cancellation): void {
      if (signal.aborted) return cancellation.cancel();
      const begin = () => {
        const added = new Set<Cancellation>();
        signal.addEventListener("abort", () => added.forEach((one) => one.cancel()), { once: true });
        return added;
      };
      followers.getOrInsertComputed(signal, begin).add(cancellation);
    },
    unfollow: (signal: AbortSignal, cancellation: Cancellation) =>
      void followers.get(signal)?.delete(cancellation),
  };
}
