import type { Lifecycle, LifecycleEvent, LifecycleStep } from "../../../facts/enrichment/facts/lifecycle.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { spanText } from "../../../platform/lib/durations.ts";
import { capitalized } from "../../../platform/lib/wording.ts";
import type { Status } from "../../../platform/vocabulary/threats.ts";
import { Time } from "../kit/components.tsx";
import { Icon, type IconName, inWords } from "../kit/inline.tsx";
import { usePage } from "../kit/page-context.ts";
import events from "./lifecycle-events.json" with { type: "json" };

/** How the line shows each event: `ours` is an action of the team, `hot` is harmful. */
const looks = events satisfies Record<LifecycleEvent, object> as Record<
  LifecycleEvent,
  { label: string; icon: IconName; kind: "past" | "ours" | "hot" }
>;

/** A point of the line; without a time, it is yet to come. */
interface Point {
  label: string;
  event: LifecycleEvent;
  at: Instant | undefined;
}

/** The life of a threat as one line; a list on narrow screens and for screen readers. */
export function LifecycleLine(props: {
  lifecycle: Lifecycle;
  status: Status;
  /** The name that it is about, for screen readers. */
  name: string;
  /** For the panel: labels alternate above and below the line, without the durations. */
  narrow?: boolean;
}) {
  const { lifecycle, status, name, narrow = false } = props;
  const points = pointsOf(lifecycle, status);
  const place = (index: number) => placeOf(index, points.length, narrow ? narrowMargin : wideMargin);
  const done = lifecycle.steps.length - 1;
  const axis = narrow ? 40 : 30;
  return (
    <figure class="life">
      <figcaption class="vh">Lifecycle of {name}</figcaption>
      <svg height={narrow ? 80 : 76} aria-hidden="true">
        <line
          class="axis"
          x1={place(0)}
          x2={place(points.length - 1)}
          y1={axis}
          y2={axis}
          stroke-dasharray="2 4"
        />
        <line class="done" x1={place(0)} x2={place(done)} y1={axis} y2={axis} />
        {points.map((point, index) => (
          <LinePoint
            point={point}
            next={points[index + 1]}
            x={place(index)}
            between={placeOf(index + 0.5, points.length, wideMargin)}
            layout={narrow ? (index % 2 === 0 ? "above" : "below") : "wide"}
          />
        ))}
      </svg>
      <ol class="flow">
        {points.map(({ at, event, label }) => (
          <li>
            <span class={at === undefined ? "dot wait" : looks[event].kind === "ours" ? "dot on" : "dot"}>
              <Icon name={at === undefined ? "clock" : looks[event].icon} />
            </span>
            <div>
              <b>{label}</b>{" "}
              <span class="faint">{at === undefined ? "not yet" : <Time at={at} relative />}</span>
            </div>
          </li>
        ))}
      </ol>
    </figure>
  );
}

/** Percentage of the width that is left free on each side, for the labels. */
const wideMargin = 5;
const narrowMargin = 8;

function placeOf(index: number, points: number, margin: number): string {
  if (points < 2) return "50%";
  return `${(margin + (index * (100 - 2 * margin)) / (points - 1)).toFixed(1)}%`;
}

/** Heights of the texts of a point, from the top of the line. */
const heights = {
  wide: { label: 54, time: 70 },
  above: { label: 12, time: 27 },
  below: { label: 62, time: 77 },
};

function LinePoint(props: {
  point: Point;
  next: Point | undefined;
  x: string;
  /** Half-way to the next point. */
  between: string;
  layout: keyof typeof heights;
}) {
  const { point, next, x, between, layout } = props;
  const { at, event, label } = point;
  const { now, reader } = usePage();
  const { label: labelY, time: timeY } = heights[layout];
  const shape = at === undefined ? "next" : looks[event].kind;
  return (
    <>
      <circle class={shape} cx={x} cy={layout === "wide" ? 30 : 40} r={layout === "wide" ? 5.5 : 4.5} />
      <text class="ev" x={x} y={labelY}>
        {label}
      </text>
      <text x={x} y={timeY}>
        {at === undefined
          ? "not yet"
          : shortDate(reader.times.plain(at), { now: reader.times.plain(now), layout })}
      </text>
      {layout !== "wide" || at === undefined || next === undefined ? null : (
        <text x={between} y={18}>
          {next.at === undefined ? `${spanText(now - at)} so far` : spanOrNothing(next.at - at)}
        </text>
      )}
    </>
  );
}

/** Nothing for events of the same check. */
function spanOrNothing(ms: number): string {
  return ms < 1_000 ? "" : spanText(ms);
}

function pointsOf({ steps, isOpen }: Lifecycle, status: Status): Point[] {
  const points: Point[] = steps.map(({ at, event }) => ({
    at,
    event,
    label: event === "decided" ? capitalized(inWords(status)) : looks[event].label,
  }));
  return isOpen ? [...points, { event: "down", label: looks.down.label, at: undefined }] : points;
}

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Formats `2026-01-13 06:20 UTC` as `13 Jan, 06:20`, or another year's as `13 Jan 2025`; without the time where it is narrow. */
function shortDate(plain: string, { now, layout }: { now: string; layout: keyof typeof heights }): string {
  const [year, month, day] = plain.slice(0, 10).split("-");
  const date = `${Number(day)} ${months[Number(month) - 1]}`;
  if (year !== now.slice(0, 4)) return `${date} ${year}`;
  return layout === "wide" ? `${date}, ${plain.slice(11, 16)}` : date;
}

/** Returns how long it took from the registration to a page: what attackers need the least of. */
export function timeToPage({ steps }: Lifecycle): string | undefined {
  const timeOf = (event: LifecycleEvent) => steps.find((step: LifecycleStep) => step.event === event)?.at;
  const [registered, up] = [timeOf("registered"), timeOf("page_up")];
  if (registered === undefined || up === undefined || up < registered) return undefined;
  return `${spanText(up - registered)} from registration to a live page`;
}
