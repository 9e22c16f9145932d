/** Bytes that somebody sends, who may send too many, stall or go away. */
export interface BoundedStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** Those that were taken so far. */
  readonly bytes: number;
  /** Why the stream broke, to be put after the list's name; undefined: it did not. */
  readonly fault: string | undefined;
  /** Breaks it off for whoever reads it, also one who waits for more. */
  end(): void;
}

export function boundedStream(
  content: ReadableStream<Uint8Array>,
  { bytesMax, tooLong }: { bytesMax: number; tooLong: string },
): BoundedStream {
  const reader = content.getReader();
  let bytes = 0;
  let fault: string | undefined;
  let ended = false;

  // Whoever sent it may be gone: then there is nobody to be told that the rest is not wanted.
  const dropRest = () => void reader.cancel().catch(() => {});

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!ended && done) return controller.close();
          bytes += value?.length ?? 0;
          if (bytes > bytesMax) fault = tooLong;
          else if (!ended && !done) return controller.enqueue(value);
        } catch {
          if (!ended) fault = "broke off before its end";
        }
        dropRest();
        // Also at an end that was asked for: what was begun of a line is no name, though it may look like one.
        controller.error(new Error(fault ?? "ended before its end"));
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
    get fault() {
      return fault;
    },
    end() {
      ended = true;
      dropRest();
    },
  };
}
