/** A byte stream from a client that may send too much, stall or disconnect. */
export interface BoundedStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** Number of bytes read so far. */
  readonly bytes: number;
  /** Why the stream failed, as words that follow the list's name; undefined if it did not. */
  readonly problem: string | undefined;
  /** Ends the stream for its reader, even one that waits for more bytes. */
  end(): void;
}

/** @param tooLong problem to report if more than `bytesMax` bytes arrive. */
export function boundedStream(
  content: ReadableStream<Uint8Array>,
  { bytesMax, tooLong }: { bytesMax: number; tooLong: string },
): BoundedStream {
  const reader = content.getReader();
  let bytes = 0;
  let problem: string | undefined;
  let ended = false;

  // The client may have disconnected: then nobody is left to be notified that the rest is not wanted.
  const dropRest = () => void reader.cancel().catch(() => {});

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!ended && done) return controller.close();
          bytes += value?.length ?? 0;
          if (bytes > bytesMax) problem = tooLong;
          else if (!ended && !done) return controller.enqueue(value);
        } catch {
          if (!ended) problem = "was cut off: the upload ended early";
        }
        dropRest();
        // Also after `end()`: an incomplete last line is not a name, although it may look like one.
        controller.error(new Error(problem ?? "the upload was ended"));
      },
      cancel: dropRest,
    },
    { highWaterMark: 0 },
  );
  return {
    stream,
    get bytes() {
      return bytes;
    },
    get problem() {
      return problem;
    },
    end() {
      ended = true;
      dropRest();
    },
  };
}
