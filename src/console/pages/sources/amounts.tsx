import type { ComponentChildren } from "preact";
import { grouped } from "../../../lib/wording.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { totalOf } from "./origins.ts";

/** A line through fewer days shows nothing that the number does not say. */
const chartDaysMin = 3;

/** Larger numbers are shortened in headlines: `137.2M`. */
const longNumberMin = 1_000_000;
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** A sparkline of the values of consecutive days; nothing while there are too few days with data. */
export function DailyLine({
  label,
  values,
  full = false,
}: {
  label: string;
  values: readonly number[];
  full?: boolean;
}) {
  const first = values.findIndex((value) => value > 0);
  if (first === -1 || values.length - first < chartDaysMin) return null;
  return <Sparkline label={label} values={values} full={full} />;
}

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
      <DailyLine label={`${title} per day`} values={values} full />
    </div>
  );
}

/** A number of a table with its unit, which is shown where the column has no heading. Zero is quiet. */
export function Amount({
  count,
  unit,
  units = `${unit}s`,
  path,
}: {
  count: number;
  unit: string;
  /** Plural. */
  units?: string;
  /** Page that lists what is counted. */
  path?: string;
}) {
  const text: ComponentChildren = (
    <>
      {grouped(count)}
      <span class="unit"> {count === 1 ? unit : units}</span>
    </>
  );
  if (count === 0) return <span class="faint">{text}</span>;
  return path === undefined ? <>{text}</> : <a href={path}>{text}</a>;
}
