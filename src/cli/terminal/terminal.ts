import { writeSync } from "node:fs";
import type { Screening } from "../../sources/lists/screening.ts";

/** Standard output or standard error. */
export interface Output {
  /** Writes text as it is: whatever comes from outside has to be made visible before. */
  write(text: string): void;
  /** Hands over what was held back for speed. */
  flush(): void;
  isTerminal: boolean;
  /** Width of the terminal at this moment, if it is one. */
  readonly columns: number | undefined;
}

/** What a command has around it. */
export interface Terminal {
  /** Data, and nothing else. */
  out: Output;
  /** Progress, remarks, errors. */
  err: Output;
  env: Readonly<Record<string, string | undefined>>;
  /**
   * From now on the first SIGINT or SIGTERM aborts the signal and the command has to end; a second one ends
   * the process at once. A command that does not ask is ended by the first.
   */
  interruption(): AbortSignal;
  /** For work that is shared among the processors. */
  threads: Pick<Screening, "threads" | "startWorker">;
}

/** Whoever read our output has gone: there is nothing left to do, and it is no failure. */
export class BrokenPipeError extends Error {
  constructor() {
    super("the reader of the output has gone");
    this.name = "BrokenPipeError";
  }
}

const heldCharactersMax = 1 << 16;
const retryMs = 2;

/**
 * An output.
 * @param options.held whether it is written in large pieces rather than at once.
 * @param options.needed whether what cannot be written is an error: a server goes on when its log has no reader.
 */
export function createOutput(
  descriptor: number,
  stream: { isTTY?: boolean; columns?: number },
  { held, needed }: { held: boolean; needed: boolean },
): Output {
  let pieces: string[] = [];
  let characters = 0;

  function flush(): void {
    if (pieces.length === 0) return;
    const bytes = Buffer.from(pieces.join(""));
    pieces = [];
    characters = 0;
    try {
      writeAll(descriptor, bytes);
    } catch (error) {
      if (needed) throw error;
    }
  }

  return {
    write(text) {
      pieces.push(text);
      characters += text.length;
      if (!held || characters >= heldCharactersMax) flush();
    },
    flush,
    isTerminal: stream.isTTY === true,
    get columns() {
      // Some terminals say 0 when they do not know; people resize others.
      return stream.isTTY === true && (stream.columns ?? 0) > 0 ? stream.columns : undefined;
    },
  };
}

/** Written synchronously, so that nothing is lost when the process ends, and a slow reader slows us down. */
function writeAll(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === "EPIPE") throw new BrokenPipeError();
      // Somebody who shares the pipe with us made it non-blocking.
      if (code !== "EAGAIN") throw error;
      Bun.sleepSync(retryMs);
    }
  }
}
