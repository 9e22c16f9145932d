import { writeSync } from "node:fs";
import type { Screening } from "../../intake/sources/name-files/screening.ts";
import { codeOf } from "../../platform/lib/errors.ts";

/** Standard output or standard error. */
export interface Output {
  /** Writes text unchanged. The caller escapes text from outside. */
  write(text: string): void;
  /** Writes buffered text. */
  flush(): void;
  readonly isTerminal: boolean;
  /** Current width, if this is a terminal. */
  readonly columns: number | undefined;
}

/**
 * `assumedMemoryBytes`: memory that the runtime assumes the machine to have. It lets garbage grow with it.
 *
 * `optimizationThreshold`: number of calls and loop iterations after which a function is compiled by the last tier, which
 * produces the fastest code and takes longest. The default is 100,000.
 */
export type RuntimeOption = "assumedMemoryBytes" | "optimizationThreshold";

/** The environment of a command. */
export interface Terminal {
  /** For data only. */
  out: Output;
  /** For progress, notices and errors. */
  err: Output;
  /** Whether a person types standard input. */
  readonly inputIsTerminal: boolean;
  env: Readonly<Record<string, string | undefined>>;
  /**
   * Returns a signal that the first SIGINT or SIGTERM aborts from now on; then the command must end. A second one
   * ends the process immediately. If a command never calls this, the first one does.
   */
  interruption(): AbortSignal;
  /**
   * Calls `listener` at each SIGHUP from now on, instead of ending the process. The SIGHUP of a terminal that was closed
   * still ends it, like SIGTERM. Without effect where there is no such signal.
   */
  onReloadRequest?(listener: () => void): void;
  /**
   * Sets an option of the runtime, unless the environment sets it. May replace the process by a new one with the same arguments,
   * so call it before anything is opened.
   */
  setRuntimeOption?(option: RuntimeOption, value: number): void;
  /** For work in parallel threads. */
  threads: Pick<Screening, "threads" | "startWorker">;
}

/** The reader of the output closed it. There is nothing left to do, and this is not a failure. */
export class BrokenPipeError extends Error {
  constructor() {
    super("the output was closed by its reader");
    this.name = "BrokenPipeError";
  }
}

const heldCharactersMax = 1 << 16;
const retryMs = 2;

/** Returns whether a file descriptor is a terminal. Without `process.stdout`, the creation of which takes 8 ms. */
export function isTerminal(descriptor: number): boolean {
  return (require("node:tty") as typeof import("node:tty")).isatty(descriptor);
}

/**
 * Returns an output that writes to a file descriptor.
 *
 * @param stream returns the stream of the descriptor, for its width
 * @param options.held whether to buffer text and write it in large pieces
 * @param options.needed whether a failed write is an error. It is not for a log, so that a server continues without it.
 */
export function createOutput(
  descriptor: number,
  stream: () => { columns?: number },
  { held, needed }: { held: boolean; needed: boolean },
): Output {
  let pieces: string[] = [];
  let characters = 0;
  let terminal: boolean | undefined;
  const isOnTerminal = () => (terminal ??= isTerminal(descriptor));

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
    get isTerminal() {
      return isOnTerminal();
    },
    get columns() {
      if (!isOnTerminal()) return undefined;
      // Some terminals report 0 if they do not know their width. It changes when people resize the window.
      const { columns = 0 } = stream();
      return columns > 0 ? columns : undefined;
    },
  };
}

/** Writes synchronously, so that nothing is lost when the process ends and a slow reader slows the writer down. */
function writeAll(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const code = codeOf(error);
      if (code === "EPIPE") throw new BrokenPipeError();
      // Another process that shares the pipe made it non-blocking.
      if (code !== "EAGAIN") throw error;
      Bun.sleepSync(retryMs);
    }
  }
}
