import { bytesText, spanText } from "../../../lib/durations.ts";
import { visible } from "../../../lib/safe-text.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import type { ListImport } from "../../../sources/imports/tables.ts";
import type { ImportState } from "../../../vocabulary/lists.ts";
import { Facts } from "../../kit/components.tsx";
import { StateMark, type Tone } from "../../kit/marks.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { importPath } from "../../kit/paths.ts";
import { createdPath } from "../../threat-kit/filters.ts";

const tones: Record<ImportState, Tone> = {
  running: "warn",
  completed: "good",
  failed: "bad",
  cancelled: "neutral",
  interrupted: "bad",
};

export function ImportStateBadge({ state }: { state: ImportState }) {
  return <StateMark tone={tones[state]}>{state}</StateMark>;
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
    <section class="card panel" id="import-panel" aria-label="Import progress" {...refresh}>
      <div class="card-head">
        <h2>{linked ? <a href={importPath(seq)}>{title}</a> : title}</h2>
        <ImportStateBadge state={state} />
      </div>
      {bytesTotal === null || !running ? null : (
        <progress
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
          ...(error === null ? [] : [["Error", `The list ${visible(error, 400)}.`] as const]),
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
export function CreatedLink({ list: { seq, created } }: { list: ListImport }) {
  const text = <strong>{grouped(created)}</strong>;
  return created === 0 ? text : <a href={createdPath({ importSeq: seq })}>{text}</a>;
}

function readText(bytes: number, total: number | null, received: number, ms: number): string {
  const of = total === null ? "" : ` of ${bytesText(total)}`;
  const rate = ms < 1_000 ? "" : `, ${grouped((received / ms) * 1_000)} per second`;
  return `${counted(received, "name")} in ${bytesText(bytes)}${of}, ${spanText(ms)}${rate}`;
}
