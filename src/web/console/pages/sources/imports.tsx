import { channelNames, describeActor } from "../../../../access/audit/actor.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { counted, grouped, sentence } from "../../../../platform/lib/wording.ts";
import { formNames, type Interpretation } from "../../../../intake/sources/entries/interpretation.ts";
import { interpretedMax } from "../../../../intake/sources/imports/import-run.ts";
import type { InvalidName } from "../../../../intake/sources/tally.ts";
import type { ListImport } from "../../../../intake/sources/imports/tables.ts";
import { bytesText, spanText } from "../../../../platform/lib/durations.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import type { ImportState as State } from "../../../../platform/vocabulary/lists.ts";
import { Card, Facts, LinkButton, Time } from "../../kit/components.tsx";
import { inWords, Name, Text, StateMark, type Tone } from "../../kit/inline.tsx";
import { parseWholeNumber } from "../../kit/fields.ts";
import { fragment, page, redirect, refreshing, type PageResult } from "../../kit/page-result.ts";
import { sourcesPath, importPath } from "../../kit/paths.ts";
import { column, Table, type Column, Amount } from "../../kit/table.tsx";
import { createdPath, listPath } from "../../threat-kit/filters.ts";
import type { Context } from "../../shell/router.ts";
import { PostButton } from "../../kit/form.tsx";
import { usePage } from "../../kit/page-context.ts";
import { resultColumns } from "./source-parts.tsx";

function findImport({ services, params }: Context<"imports">): ListImport {
  const seq = parseWholeNumber(params["seq"]);
  const running = services.imports.running();
  if (running !== undefined && running.seq === seq) return running;
  const list = seq === undefined ? undefined : services.imports.get(seq);
  if (list === undefined) throw notFound("There is no import with this number. Old imports are deleted.");
  return list;
}

export function showImport(context: Context<"auditLog" | "imports">): PageResult {
  const list = findImport(context);
  const by = context.services.auditLog.actorOf("feed.import", { detail: "import", is: list.seq });
  return page(
    {
      title: "Import",
      heading: (
        <>
          Import of <ListName name={list.name} />
        </>
      ),
      crumbs: [{ label: "Sources", path: sourcesPath }],
      actions:
        list.created === 0 ? undefined : (
          <LinkButton
            path={createdPath({ importSeq: list.seq })}
            label={`Show ${counted(list.created, "new threat")}`}
            variant="primary"
          />
        ),
    },
    <>
      <ImportPanel list={list} />
      <RejectedLines list={list} />
      <ReadLines list={list} />
      <Card title="Details">
        <Facts
          facts={[
            ["Format", list.format === "auto" ? "detected from name and content" : list.format],
            ["Column", list.column === "" ? "default" : list.column],
            ["From", <Text text={by === undefined ? channelNames[list.channel] : describeActor(by)} />],
            ["Source of its threats", inWords(list.source)],
            ["Started", <Time at={list.startedAt} />],
            ["Finished", list.completedAt === null ? "still running" : <Time at={list.completedAt} />],
          ]}
        />
      </Card>
    </>,
  );
}

export function showPanel(context: Context<"imports">): PageResult {
  return fragment(<ImportPanel list={findImport(context)} />);
}

/** Serves the page that is uploading a file and does not know the number of its import yet. */
export function showRunning({ services }: Context<"imports">): PageResult {
  const running = services.imports.running();
  return running === undefined
    ? new Response(null, { status: 204 })
    : fragment(<ImportPanel list={running} />);
}

export async function cancelImport(context: Context<"imports">): Promise<PageResult> {
  const { seq } = findImport(context);
  const { services, by } = context;
  if (!(await services.imports.cancel(seq, { by })))
    return redirect(importPath(seq), { tone: "warning", text: "The import had already finished." });
  return redirect(importPath(seq), "The import stops now. Its results so far are kept.");
}

function RejectedLines({ list: { invalid, firstInvalid } }: { list: ListImport }) {
  if (invalid === 0) return null;
  const more = invalid - firstInvalid.length;
  return (
    <Card title="Rejected lines" flush>
      <Table<InvalidName>
        caption="First rejected lines"
        columns={[
          column("Line", "number state", ({ line }) => grouped(line)),
          column("Content", "title", ({ text }) => <Text text={text} charactersMax={120} />),
          column("Reason", "wide under", ({ why }) => `It ${why}.`),
        ]}
        rows={firstInvalid}
      />
      {more > 0 ? <p class="remark">and {counted(more, "more", "more")}</p> : null}
    </Card>
  );
}

const readColumns: Column<Interpretation>[] = [
  column("Line", "number hidden", ({ line }) => grouped(line)),
  column("Entered", "wide under", ({ text }) => <Text text={text} charactersMax={120} />),
  column("Read as", "tight end", ({ form }) => sentence(formNames[form]).slice(0, -1)),
  column("Name", "title", ({ name }) => (name === null ? "none" : <Name name={name} />)),
  column("Result", "tight state", (read) => <ReadResult read={read} />),
];

/** Shows how lines were read: all typed ones, and lines of a list that are no plain names. */
function ReadLines({ list: { name, interpreted } }: { list: ListImport }) {
  if (interpreted.length === 0) return null;
  return (
    <Card title={name === null ? "How it was read" : "How links and addresses were read"} flush>
      <Table caption="First lines, as they were read" columns={readColumns} rows={interpreted} />
      {interpreted.length < interpretedMax ? null : (
        <p class="remark">These are the first {grouped(interpretedMax)}.</p>
      )}
    </Card>
  );
}

/** Links a name that matches to its threats. */
function ReadResult({ read: { name, isMatch } }: { read: Interpretation }) {
  if (name === null) return <>Not checked</>;
  if (!isMatch) return <>No match</>;
  return <a href={listPath(new URLSearchParams({ status: "all", q: name }))}>Look-alike</a>;
}

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

function ListName({ name }: { name: string | null }) {
  return name === null ? <em>typed names</em> : <Text text={name} charactersMax={120} />;
}

/** Progress of an import. Refreshes itself while the import runs. */
export function ImportPanel({ list, linked = false }: { list: ListImport; linked?: boolean }) {
  const { seq, name, state, bytes, bytesTotal, received, invalid, matched, lines, error } = list;
  const { now } = usePage();
  const running = state === "running";
  const ms = (list.completedAt ?? now) - list.startedAt;
  const title = <ListName name={name} />;
  return (
    <section
      class="card stack"
      id="import-panel"
      aria-label="Import progress"
      {...refreshing(running, `${importPath(seq)}/panel`, 500)}
    >
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
      {!running && state !== "completed" ? (
        <p>
          Results up to line {grouped(lines)} are recorded. To check the rest, import the list again: nothing
          is recorded twice.
        </p>
      ) : null}
      {!running ? null : list.channel === "console" ? (
        <PostButton action={`${importPath(seq)}/cancel`} label="Cancel import" variant="danger" />
      ) : (
        <p class="hint">It runs on the command line. To cancel it, press Ctrl-C there.</p>
      )}
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
