import type { ComponentChildren } from "preact";
import { percent } from "../charts/split-bar.tsx";

export interface Contribution {
  label: ComponentChildren;
  /** Negative: it speaks against. */
  points: number;
}

/** Narrower bars cannot be seen. */
const widthMin = 1;

/**
 * Table of what adds up to a score, with bars: to the right of their common line what speaks for it, to the left what
 * speaks against it, followed by the number.
 */
export function Contributions({ caption, rows }: { caption: string; rows: readonly Contribution[] }) {
  const most = Math.max(0, ...rows.map(({ points }) => points));
  const least = Math.min(0, ...rows.map(({ points }) => points));
  const span = most - least || 1;
  const middle = (-least / span) * 100;
  return (
    <table class="mini bars long">
      <caption class="vh">{caption}</caption>
      <tbody>
        {rows.map(({ label, points }) => {
          const width = Math.max(widthMin, (Math.abs(points) / span) * 100);
          return (
            <tr>
              <th scope="row">{label}</th>
              <td class="bar-cell">
                <svg class="split-bar" aria-hidden="true">
                  <rect
                    class={points < 0 ? "c-rest" : "c-accent"}
                    x={percent(Math.min(100 - width, points < 0 ? Math.max(0, middle - width) : middle))}
                    width={percent(width)}
                    height="8"
                    rx="1.5"
                  />
                </svg>
              </td>
              <td class="r">{pointsText(points)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Returns points with their sign, in tenths: `+2.3`, `−0.4`. */
function pointsText(points: number): string {
  const text = Math.abs(points).toFixed(1);
  if (text === "0.0") return "0.0";
  return `${points < 0 ? "−" : "+"}${text}`;
}
