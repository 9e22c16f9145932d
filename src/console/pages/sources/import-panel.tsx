import type { ImportState, ListImport } from "../../../sources/imports/tables.ts";
import { visible } from "../../../lib/safe-text.ts";
import { Form, PostButton, Select, TextArea, TextField, Button } from "../../kit/form.tsx";
import { Badge, Facts, Section, type Tone } from "../../kit/kit.tsx";
import { Text } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { importPath, importsPath } from "../../kit/paths.ts";
import { bytesText, spanText } from "../../../lib/durations.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import { Table } from "../../kit/table.tsx";

const tones: Record<ImportState, Tone> = {
  running: "warn",
  completed: "good",
  failed: "bad",
  cancelled: "neutral",
};

export function ImportStateBadge({ state }: { state: ImportState }) {
  return <Badge tone={tones[state]}>{state}</Badge>;
}

export function ListName({ name }: { name: string | null }) {
  return name === null ? <em>names that were typed in</em> : <Text text={name} charactersMax={120} />;
}

/** How an import stands: while it runs it is fetched again and again. */
export function ImportPanel({ list }: { list: ListImport }) {
  const { seq, name, state, bytes, bytesTotal, received, invalid, matched, created, lines, error } = list;
  const { now } = usePage();
  const running = state === "running";
  const ms = (list.completedAt ?? now) - list.startedAt;
  const refresh = running ? { "data-refresh": `${importPath(seq)}/panel`, "data-refresh-ms": "500" } : {};
  return (
    <section class="card panel" id="import-panel" aria-label="How the import stands" {...refresh}>
      <div class="page-title">
        <h2>
          <a href={importPath(seq)}>
            <ListName name={name} />
          </a>
        </h2>
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
          ["New threats", <strong>{grouped(created)}</strong>],
          ["Refused", counted(invalid, "line that is no name", "lines that are no names")],
          ...(error === null ? [] : [["Why it ended", `The list ${visible(error, 400)}.`] as const]),
        ]}
      />
      {state === "failed" || state === "cancelled" ? (
        <p>
          What was found up to line {grouped(lines)} is recorded. Hand it in again to check the rest: nothing
          is recorded twice.
        </p>
      ) : null}
      {running ? (
        <PostButton action={`${importPath(seq)}/cancel`} label="Cancel the import" variant="danger" />
      ) : null}
    </section>
  );
}

function readText(bytes: number, total: number | null, received: number, ms: number): string {
  const of = total === null ? "" : ` of ${bytesText(total)}`;
  const rate = ms < 1_000 ? "" : `, ${grouped((received / ms) * 1_000)} a second`;
  return `${counted(received, "name")} in ${bytesText(bytes)}${of}, ${spanText(ms)}${rate}`;
}

export function RefusedLines({ list: { invalid, firstInvalid } }: { list: ListImport }) {
  if (invalid === 0) return null;
  const more = invalid - firstInvalid.length;
  return (
    <Section title="Lines that were refused">
      <Table
        caption="The first lines that were refused"
        columns={[
          { title: "Line", look: "number", cell: ({ line }) => grouped(line) },
          {
            title: "What stood there",
            cell: ({ text }) => <Text text={text} charactersMax={120} />,
          },
          { title: "Why", look: "wide", cell: ({ why }) => `It ${why}` },
        ]}
        rows={firstInvalid}
        empty=""
      />
      {more > 0 ? <p class="hint">and {counted(more, "more", "more")}</p> : null}
    </Section>
  );
}

const formats = [
  { value: "auto", label: "told by its name and content" },
  { value: "lines", label: "one name a line" },
  { value: "csv", label: "CSV" },
  { value: "jsonl", label: "JSON lines" },
  { value: "zone", label: "zone file" },
];

/** A file to be chosen or dropped, or names typed in. Fields stand before the file: it is read as it comes. */
export function ImportForms() {
  const { csrfToken } = usePage();
  return (
    <div class="cards">
      <section class="card panel">
        <h2>Import a file</h2>
        <form
          method="post"
          action={`${importsPath}?form_token=${csrfToken}`}
          encType="multipart/form-data"
          data-upload=""
        >
          <details>
            <summary>How names stand in it</summary>
            <Select label="Format" name="format" choices={formats} />
            <TextField
              label="Column"
              name="column"
              maxLength={200}
              hint="CSV: heading or number. JSON lines: the field, with dots for inner ones. Empty: the usual one."
            />
          </details>
          <div data-field="" class="drop">
            <label for="file">Choose a file, or drop one anywhere on this page</label>
            <input type="file" id="file" name="file" required aria-describedby="file-hint" />
            <p data-hint="" id="file-hint">
              Up to 1 GiB, plain, gzip or Zstandard. It is read while it is sent and kept nowhere.
            </p>
          </div>
          <p class="error" role="alert" data-upload-error="" hidden></p>
          <p class="actions">
            <Button label="Import" />
          </p>
        </form>
      </section>
      <section class="card panel">
        <h2>Or type names in</h2>
        <Form action={`${importsPath}/names`}>
          <TextArea label="Names" name="names" rows={6} hint="One on each line." />
          <p class="actions">
            <Button label="Check them" variant="secondary" />
          </p>
        </Form>
      </section>
    </div>
  );
}
