import type { ComponentChildren } from "preact";
import { grouped } from "../../../../platform/lib/wording.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { totalOf } from "./origins.ts";
import { column, Amount, type Column } from "../../kit/table.tsx";

/** Larger numbers are shortened in headlines: `137.2M`. */
const longNumberMin = 1_000_000;
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** A number of the last days, with that of today and a line below. */
export function DailySum(props: {
  title: string;
  values: readonly number[];
  /** Explanation of the title: `<Help>`. */
  help?: ComponentChildren;
}) {
  const { title, values, help } = props;
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

/** Numbers of a list of names that was read. */
interface ListResult {
  invalid: number;
  matched: number;
  created: number;
}

/** @param createdPathOf returns the address of the new threats, if there is a view of them */
export function resultColumns<List extends ListResult>(
  createdPathOf: (list: List) => string | undefined,
): Column<List>[] {
  return [
    column("Rejected", "number hidden", ({ invalid }) => (
      <Amount count={invalid} unit="rejected" units="rejected" />
    )),
    column("Matches", "number hidden", ({ matched }) => (
      <Amount count={matched} unit="match" units="matches" />
    )),
    column("New threats", "number end", (list) => (
      <Amount count={list.created} unit="new threat" path={createdPathOf(list)} />
    )),
  ];
}
