import { cutToWidth } from "./table.ts";
import type { Output } from "./terminal.ts";

const redrawMs = 200;
const widthDefault = 80;

/** A line on the terminal that is redrawn in place. Without a terminal it is not shown. */
export interface Progress {
  /** Redraws the line at most every 200 ms. `text` is only called to redraw. */
  show(text: (elapsedMs: number) => string): void;
  /** Removes the line. */
  end(): void;
}

export function createProgress(err: Output, elapsedMs: () => number): Progress {
  const startedMs = elapsedMs();
  let drawnMs = startedMs;
  let drawn = false;
  return {
    show(text) {
      const now = elapsedMs();
      if (!err.isTerminal || now - drawnMs < redrawMs) return;
      drawnMs = now;
      drawn = true;
      err.write(`\r\u001b[K${cutToWidth(text(now - startedMs), (err.columns ?? widthDefault) - 1)}`);
    },
    end() {
      if (drawn) err.write("\r\u001b[K");
      drawn = false;
    },
  };
}

/** Returns `42 % ` as a prefix of other text, or nothing if the total is unknown. */
export function percentage(part: number | undefined): string {
  return part === undefined ? "" : `${Math.min(100, part * 100).toFixed(0)} % `;
}
