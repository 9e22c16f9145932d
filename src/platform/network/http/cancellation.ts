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

/** Cancels exchanges when the signals of their callers abort. */
export interface SignalFollowers {
  /** Cancels the exchange when the signal aborts, or now if it has. */
  follow(signal: AbortSignal, cancellation: Cancellation): void;
  unfollow(signal: AbortSignal, cancellation: Cancellation): void;
}

/** Uses one listener per signal: a thousand deliveries share a signal, which takes linear time to remove a listener. */
export function createSignalFollowers(): SignalFollowers {
  const followers = new WeakMap<AbortSignal, Set<Cancellation>>();
  return {
    follow(signal, cancellation) {
      if (signal.aborted) return cancellation.cancel();
      let known = followers.get(signal);
      if (known === undefined) {
        const added = (known = new Set<Cancellation>());
        followers.set(signal, added);
        signal.addEventListener("abort", () => added.forEach((one) => one.cancel()), { once: true });
      }
      known.add(cancellation);
    },
    unfollow: (signal, cancellation) => void followers.get(signal)?.delete(cancellation),
  };
}
