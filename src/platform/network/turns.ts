/**
 * Divides the time of the event loop among responses that others send, so that no number of them stops it: in one turn of
 * the loop, they are processed for at most `sliceMs` together.
 */
export type Turns = ReturnType<typeof createTurns>;

/** Leaves three quarters of the 20 ms for which responses may stop the loop to one piece of work that overruns. */
const sliceMsDefault = 5;

export function createTurns({
  sliceMs = sliceMsDefault,
  elapsedMs = () => performance.now(),
}: { sliceMs?: number; elapsedMs?: () => number } = {}) {
  // Read from index `first`, because removing the first element of a long list is slow.
  let waiting: { work: () => void; isAlone: boolean }[] = [];
  let first = 0;
  let spentMs = 0;
  let isTurnPlanned = false;

  const planTurn = () => {
    if (isTurnPlanned) return;
    isTurnPlanned = true;
    setImmediate(takeTurn);
  };

  const timed = (work: () => void) => {
    const startedMs = elapsedMs();
    try {
      work();
    } finally {
      spentMs += elapsedMs() - startedMs;
      // The next turn starts with a new slice.
      planTurn();
    }
  };

  function takeTurn(): void {
    isTurnPlanned = false;
    spentMs = 0;
    while (first < waiting.length && spentMs < sliceMs) {
      const { work, isAlone } = waiting[first]!;
      first += 1;
      if (first === waiting.length) {
        waiting = [];
        first = 0;
      }
      timed(work);
      // Its work runs after this callback, so that its time is not known here.
      if (isAlone) spentMs = sliceMs;
    }
    if (first > waiting.length / 2) {
      waiting = waiting.slice(first);
      first = 0;
    }
  }

  const isFree = () => first === waiting.length && spentMs < sliceMs;

  return {
    /** Runs short work: at once if this turn has time left, otherwise in a later turn. Keeps the order of the calls. */
    run(work: () => void): void {
      if (isFree()) return timed(work);
      waiting.push({ work, isAlone: false });
      planTurn();
    },

    /** Resolves when the caller may run for one piece of work, which nothing else shares the turn with. */
    next: () =>
      new Promise<void>((resolve) => {
        waiting.push({ work: resolve, isAlone: true });
        planTurn();
      }),
  };
}
