import type { Output } from "./terminal.ts";
import { cutToWidth } from "./table.ts";

const redrawMs = 200;
const widthDefault = 80;

/** A line on the terminal that is drawn over and over; where there is no terminal it stays silent. */
export interface Progress {
  /** `text` is made only when it is time to draw. */
  show(text: (elapsedMs: number) => string): void;
  /** Takes the line away. */
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

/** `42 % `, to stand before other text; empty where the whole is not known. */
export function percentage(part: number | undefined): string {
  return part === undefined ? "" : `${Math.min(100, part * 100).toFixed(0)} % `;
}
