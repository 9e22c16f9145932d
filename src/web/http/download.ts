/** A file that is created while it is sent. */
export interface FileSource {
  fileName: string;
  /** Media type. */
  type: string;
  /** Returns the next piece; undefined at the end. An error is logged before it is thrown. */
  next(): Promise<string | undefined>;
  /** Called when the file ends, fails, or is no longer wanted; perhaps more than once. */
  close(): void;
  /** Aborts when the file will not be completed, because its reader has stopped reading. */
  stalled?: AbortSignal;
}

/** Result of an operation whose response is a file. The responder adds the common headers. */
export class Download {
  readonly source: FileSource;

  constructor(source: FileSource) {
    this.source = source;
  }
}

/**
 * Returns the body of a download. A piece is created only when the connection has taken the one before, so a slow reader costs
 * the memory of a piece; the server closes a connection on which nothing has moved for its idle timeout.
 * @param signal aborts when the client is gone
 */
export function downloadStream(source: FileSource, signal: AbortSignal): ReadableStream<Uint8Array> {
  signal.addEventListener("abort", () => source.close(), { once: true });
  if (signal.aborted) source.close();
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) =>
        source.stalled?.addEventListener("abort", () => controller.error(), { once: true }),
      async pull(controller) {
        try {
          const piece = await source.next();
          if (piece === undefined) controller.close();
          else controller.enqueue(Buffer.from(piece));
        } catch {
          // The connection breaks off, so that a part is not taken for the whole. Bun would print a reason, which the source
          // has logged.
          source.close();
          controller.error();
        }
      },
      cancel: () => source.close(),
    },
    { highWaterMark: 0 },
  );
}

/** Header of a response to HEAD, in which the server would state a length of 0 otherwise. */
export const unknownLength = { "transfer-encoding": "chunked" };

/** Headers of a download. */
export function downloadHeaders({ fileName, type }: Pick<FileSource, "fileName" | "type">) {
  // Only characters that need no quoting in any browser.
  const safe = fileName.replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, 120);
  return { "content-type": type, "content-disposition": `attachment; filename="${safe}"` };
}
