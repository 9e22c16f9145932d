import { channelNames } from "../../../../access/audit/actor.ts";
import { bytesText, spanText } from "../../../../platform/lib/durations.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import type { ListImport } from "../../../../intake/sources/imports/tables.ts";
import type { ImportState as State } from "../../../../platform/vocabulary/lists.ts";
import { Card, Facts, Time } from "../../kit/components.tsx";
import { StateMark, type Tone } from "../../kit/marks.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { importPath } from "../../kit/paths.ts";
import { column, Table, type Column, Amount } from "../../kit/table.tsx";
import { createdPath } from "../../threat-kit/filters.ts";
import { resultColumns } from "./amounts.tsx";

const marks: Record<State, { tone: Tone; label: string }> = {
  running: { tone: "live", label: "Checking" },
  completed: { tone: "good", label: "Finished" },
  failed: { tone: "bad", label: "Failed" },
  cancelled: { tone: "neutral", label: "Cancelled" },
  interrupted: { tone: "bad", label: "Interrupted" },
};

function ImportState({ list: { state, bytes, bytesTotal } }: { list: ListImport }) {
  const { tone, label } = marks[state];
  // The list may have grown since the upload began.
  const share =
    state === "running" && bytesTotal !== null && bytesTotal > 0
      ? `, ${Math.min(100, Math.floor((bytes / bytesTotal) * 100))}%`
      : "";
  return (
    <StateMark tone={tone}>
      {label}
      {share}
    </StateMark>
  );
}

export function ListName({ name }: { name: string | null }) {
  return name === null ? <em>typed names</em> : <Text text={name} charactersMax={120} />;
}

/** Progress of an import. Refreshes itself while the import runs. */
export function ImportPanel({ list, linked = false }: { list: ListImport; linked?: boolean }) {
  const { seq, name, state, bytes, bytesTotal, received, invalid, matched, lines, error } = list;
  const { now } = usePage();
  const running = state === "running";
  const ms = (list.completedAt ?? now) - list.startedAt;
  const title = <ListName name={name} />;
  const refresh = running ? { "data-refresh": `${importPath(seq)}/panel`, "data-refresh-ms": "500" } : {};
  return (
    <section class="card stack" id="import-panel" aria-label="Import progress" {...refresh}>
      <div class="card-head">
        <h2>{linked ? <a href={importPath(seq)}>{title}</a> : title}</h2>
        <ImportState list={list} />
      </div>
      {bytesTotal === null || !running ? null : (
        <progress
          class="meter"
          value={Math.min(bytes, bytesTotal)}
          max={Math.max(1, bytesTotal)}
          aria-label="read so far"
        />
      )}
      <Facts
        facts={[
          ["Read", readText(bytes, running ? bytesTotal : null, received, ms)],
          ["Matched", counted(matched, "name")],
          ["New threats", <CreatedLink list={list} />],
          ["Rejected", counted(invalid, "line without a valid name", "lines without a valid name")],
          error !== null && ["Cause", `The list ${visible(error, 400)}.`],
        ]}
      />
      {state !== "running" && state !== "completed" ? (
        <p>
          Results up to line {grouped(lines)} are recorded. To check the rest, import the list again: nothing
          is recorded twice.
        </p>
      ) : null}
      {running && list.channel !== "console" ? (
        <p class="hint">It runs on the command line. To cancel it, press Ctrl-C there.</p>
      ) : null}
      {running && list.channel === "console" ? (
        <PostButton action={`${importPath(seq)}/cancel`} label="Cancel import" variant="danger" />
      ) : null}
    </section>
  );
}

/** Number of new threats, as a link to them. */
function CreatedLink({ list: { seq, created } }: { list: ListImport }) {
  const text = <strong>{grouped(created)}</strong>;
  return created === 0 ? text : <a href={createdPath({ importSeq: seq })}>{text}</a>;
}

function readText(bytes: number, total: number | null, received: number, ms: number): string {
  const of = total === null ? "" : ` of ${bytesText(total)}`;
  const rate = ms < 1_000 ? "" : `, ${grouped((received / ms) * 1_000)} per second`;
  return `${counted(received, "name")} in ${bytesText(bytes)}${of}, ${spanText(ms)}${rate}`;
}

const columns: Column<ListImport>[] = [
  column("Import", "wide title", ({ seq, name, startedAt }) => (
    <>
      <a class="ink" href={importPath(seq)}>
        <ListName name={name} />
      </a>
      <p class="hide-s">
        <Time at={startedAt} relative />
      </p>
    </>
  )),
  column("State", "tight state", (list) => <ImportState list={list} />),
  column("From", "tight hidden", ({ channel }) => channelNames[channel]),
  column("Names", "number under", ({ received }) => <Amount count={received} unit="name" />),
  ...resultColumns<ListImport>(({ seq }) => createdPath({ importSeq: seq })),
];

/** The latest imports, with the threats that each of them found. */
export function ImportList({ imports }: { imports: readonly ListImport[] }) {
  return (
    <Card title="Imports" id="imports" flush>
      <Table
        caption="Imports, newest first"
        columns={columns}
        rows={imports}
        empty="No imports yet. To check a list of names now, import a file."
      />
    </Card>
  );
}
