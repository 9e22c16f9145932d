import type { ComponentChildren } from "preact";
import { grouped } from "../../../lib/wording.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { totalOf } from "./origins.ts";

/** Larger numbers are shortened in headlines: `137.2M`. */
const longNumberMin = 1_000_000;
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** A number of the last days, with that of today and a line below. */
export function DailySum({
  title,
  values,
  help,
}: {
  title: string;
  values: readonly number[];
  /** Explanation of the title: `<Help>`. */
  help?: ComponentChildren;
}) {
  const sum = totalOf(values);
  return (
    <div class="card stat">
      <div class="s line tight">
        {title}
        {help}
      </div>
      <b class="big" title={grouped(sum)}>
        {sum < longNumberMin ? grouped(sum) : short.format(sum)}
      </b>
      <span class="s faint">
        in {values.length} days, {grouped(values.at(-1) ?? 0)} today (UTC)
      </span>
      <Sparkline label={`${title} per day`} values={values} full />
    </div>
  );
}
