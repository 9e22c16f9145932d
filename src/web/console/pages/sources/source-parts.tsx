import { visible } from "../../../../platform/lib/safe-text.ts";
import { capitalized, counted, grouped } from "../../../../platform/lib/wording.ts";
import type { NameOrigin } from "../../../../intake/sources/activity/source-activity.ts";
import { feedKind, nameOfSource, type SourceStatus, type Source } from "../../../../intake/sources/source.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { Time, Card, LinkButton } from "../../kit/components.tsx";
import { Help, type HelpTopic } from "../../kit/disclosure.tsx";
import { StateMark, Text, Icon } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { column, Amount, type Column } from "../../kit/table.tsx";
import { PostButton } from "../../kit/form.tsx";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import { originIn, originPath, sourcesPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { type DeclaredOrigin, healthOf, type Origin, totalOf } from "./origins.ts";

/** Returns what an origin is called on its own, as on its page. */
export function titleOf({ kind, name }: NameOrigin): string {
  switch (kind) {
    case feedKind:
      return `Feed ${name}`;
    case "import":
      return "Imports and typed names";
    case "submission":
      return `API key ${name}`;
    case "scan":
      return "Scans";
    case "beacon":
      return "Beacons";
    default:
      return capitalized(nameOfSource({ kind, name }));
  }
}

export function SourceState({ watched: { source, status } }: { watched: NonNullable<Origin["watched"]> }) {
  const { tone, label } = healthOf(status, source.pausing?.current(), usePage().now);
  return (
    <StateMark tone={tone} icon={label === "Paused" ? "pause" : undefined}>
      {label}
    </StateMark>
  );
}

/** Facts about a source; its problem is shown apart. */
export function sourceFacts(status: SourceStatus) {
  const { location, latest, amounts, invalid, matched, created } = status;
  return [
    ["Location", <code>{visible(location, 300)}</code>],
    [
      "Latest",
      latest === null ? (
        "none"
      ) : (
        <>
          <Text text={latest.name} charactersMax={120} /> <Time at={latest.at} relative />
        </>
      ),
    ],
    [
      "Read",
      `${amounts.map(({ count, unit }) => counted(count, unit)).join(", ")}, ${grouped(invalid)} rejected`,
    ],
    ["Found", `${grouped(matched)} matched, ${counted(created, "new threat")}`],
  ] as const;
}

/** Larger numbers are shortened in headlines: `137.2M`. */
const longNumberMin = 1_000_000;
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** A number of the last days and of today, with a line below. */
export function DailySum(props: {
  title: string;
  values: readonly number[];
  /** Explanation of the title. */
  help?: HelpTopic;
}) {
  const { title, values, help } = props;
  const sum = totalOf(values);
  return (
    <div class="card stat">
      <div class="s line tight">
        {title}
        {help === undefined ? null : <Help topic={help} />}
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

/** Pauses or resumes a source. Not rendered if the source cannot be paused, or the visitor may not pause it. */
export function PauseButton({ source, from }: { source: Source; from: "list" | "detail" }) {
  if (source.pausing === null) return null;
  const isPaused = source.pausing.isPaused();
  return (
    <PostButton
      action={`${originPath(source)}/${isPaused ? "resume" : "pause"}`}
      label={isPaused ? "Resume" : "Pause"}
      small={from === "list"}
      fields={{ from }}
    />
  );
}

export const pauseSource = (context: Context<"sources">) => change(context, "pause");
export const resumeSource = (context: Context<"sources">) => change(context, "resume");

async function change(context: Context<"sources">, what: "pause" | "resume"): Promise<PageResult> {
  const { by, form, params, services } = context;
  const origin = originIn(params);
  const source = services.sources.find(({ kind, name }) => kind === origin.kind && name === origin.name);
  if (source === undefined || source.pausing === null)
    throw notFound("There is no source that can be paused with this name.");
  const { pausing } = source;
  const isChanged = await context.write(() => pausing[what]({ by }));
  const to = form.get("from") === "list" ? sourcesPath : originPath(source);
  const name = visible(titleOf(source), 100);
  if (!isChanged)
    return redirect(to, {
      tone: "warning",
      text: `${name}: ${what === "pause" ? "already paused" : "not paused"}.`,
    });
  return redirect(to, what === "pause" ? `${name}: paused. The position is kept.` : `${name}: resumed.`);
}

/** Lists what is wrong with sources, and what to do. */
export function Problems({ origins }: { origins: readonly DeclaredOrigin[] }) {
  const { now } = usePage();
  const problems = origins.flatMap((origin) => {
    const { source, status } = origin.watched;
    const { tone, label, problem } = healthOf(status, source.pausing?.current(), now);
    return problem === null ? [] : [{ origin, tone, label, ...problem }];
  });
  if (problems.length === 0) return null;
  return (
    <Card title="Needs attention" flush>
      <ul class="todo">
        {problems.map(({ origin, tone, label, what, advice }) => (
          <li>
            <span class={tone === "bad" ? "bad" : "warn"}>
              <Icon name={tone === "bad" ? "fail" : label === "Paused" ? "pause" : "warn"} />
            </span>
            <div>
              <a class="strong ink" href={originPath(origin)}>
                <Text text={titleOf(origin)} charactersMax={120} />
              </a>
              <p>
                <bdi>{what}</bdi> {advice}
              </p>
            </div>
            {label === "Paused" ? (
              <PauseButton source={origin.watched.source} from="list" />
            ) : (
              <LinkButton path={originPath(origin)} label="Show source" small />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
