import { basename } from "node:path";
import { bytesText } from "../../../lib/durations.ts";
import { visible } from "../../../lib/safe-text.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import type { FeedStatus } from "../../../sources/feeds/feed-status.ts";
import type { FeedFile } from "../../../sources/feeds/tables.ts";
import { Section, Time } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import { feedPath } from "../../kit/paths.ts";
import { PagedTable, pagesOf, Table, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";

const filesPerPage = 50;

function fileColumns(feed: string): Column<FeedFile>[] {
  return [
    { title: "File", layout: "wide", cell: ({ path }) => <Text text={basename(path)} charactersMax={120} /> },
    {
      title: "Modified",
      layout: "tight",
      cell: ({ modifiedAt }) => (
        <span class="modified">
          <Time at={modifiedAt} relative />
        </span>
      ),
    },
    { title: "State", cell: fileState },
    { title: "Size", layout: "number", cell: ({ bytes }) => bytesText(bytes) },
    { title: "Lines", layout: "number", cell: ({ lines }) => grouped(lines) },
    { title: "Rejected", layout: "number", cell: ({ invalid }) => grouped(invalid) },
    { title: "Matched", layout: "number", cell: ({ matched }) => grouped(matched) },
    { title: "New threats", layout: "number", cell: ({ created }) => grouped(created) },
    {
      title: <span class="vh">Actions</span>,
      layout: "tight",
      cell: ({ path }) => (
        <PostButton
          action={`${feedPath(feed)}/read-again`}
          label="Read again"
          fields={{ file: fileToken(path) }}
        />
      ),
    },
  ];
}

/** Encodes a path for a form: the name of a file may contain control characters, which no page may. */
function fileToken(path: string): string {
  return Buffer.from(path).toString("base64url");
}

function fileState({ error, completedAt }: FeedFile) {
  if (error !== null)
    return (
      <>
        <StateMark tone="bad">error</StateMark> {visible(error, 200)}
      </>
    );
  return (
    <StateMark tone={completedAt === null ? "warn" : "good"}>
      {completedAt === null ? "reading" : "read"}
    </StateMark>
  );
}

/** The files of a feed, and the entries of its folder that are not read. */
export function FeedFiles({ feed, query }: { feed: FeedStatus; query: URLSearchParams }) {
  const files = feed.files.toSorted((a, b) => b.modifiedAt - a.modifiedAt);
  return (
    <>
      <Section title="Files">
        <PagedTable
          caption="Files, newest first"
          columns={fileColumns(feed.name)}
          rowsIn={pagesOf(files)}
          total={files.length}
          perPage={filesPerPage}
          path={feedPath(feed.name)}
          query={query}
          empty="No files read yet."
        />
      </Section>
      <SkippedEntries skipped={feed.skipped} />
    </>
  );
}

function SkippedEntries({ skipped: { total, first } }: Pick<FeedStatus, "skipped">) {
  if (total === 0) return null;
  const more = total - first.length;
  return (
    <Section title="Not read">
      <Table
        caption="Entries of the folder that are not read"
        columns={[
          { title: "Name", layout: "wide", cell: ({ name }) => <Text text={name} charactersMax={120} /> },
          { title: "Reason", cell: ({ why }) => `It ${why}.` },
        ]}
        rows={first}
        empty=""
      />
      {more > 0 ? <p class="hint">and {counted(more, "more", "more")}</p> : null}
      <p class="hint">
        Only files in the folder are read. To read a list from another place, copy it into the folder, or
        declare a feed with its path.
      </p>
    </Section>
  );
}

export async function readAgain(context: Context<"feeds">): Promise<PageResult> {
  const name = context.params["name"]!;
  const { services, form, by } = context;
  const path = Buffer.from(form.get("file") ?? "", "base64url").toString();
  await context.write(() => services.feeds.readAgain(name, path, { by }));
  return redirect(feedPath(name), "The file is being read again. Known threats are not recorded twice.");
}
