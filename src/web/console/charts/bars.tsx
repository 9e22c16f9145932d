import type { ComponentChildren } from "preact";
import { grouped } from "../../../platform/lib/wording.ts";
import { Bar } from "./split-bar.tsx";

interface BarRow {
  label: ComponentChildren;
  value: number;
  /** Address of what the number counts; absent: no link. */
  path?: string;
  /** `medium` for what should not be there. */
  tone?: "rest" | "medium";
}

/** Bars as the rows of a table, scaled to the largest: label, bar, number. */
export function Bars({ caption, rows }: { caption: string; rows: readonly BarRow[] }) {
  const largest = Math.max(0, ...rows.map(({ value }) => value));
  return (
    <table class="mini bars">
      <caption class="vh">{caption}</caption>
      <tbody>
        {rows.map(({ label, value, path, tone }) => (
          <tr>
            <th scope="row">
              {path === undefined || value === 0 ? (
                label
              ) : (
                <a class="ink" href={path}>
                  {label}
                </a>
              )}
            </th>
            <td class="bar-cell">
              <Bar value={value} largest={largest} tone={tone} />
            </td>
            <td class="r">{grouped(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
