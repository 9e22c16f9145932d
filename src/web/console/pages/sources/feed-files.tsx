import { basename } from "node:path";
import { bytesText } from "../../../../platform/lib/durations.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import type { FeedStatus } from "../../../../intake/sources/feeds/feed-status.ts";
import type { FeedFile } from "../../../../intake/sources/feeds/tables.ts";
import { Card, Time } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import { feedPath } from "../../kit/paths.ts";
import { column, ListTable, Table, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { resultColumns } from "./amounts.tsx";

const filesPerPage = 50;

function fileColumns(feed: string): Column<FeedFile>[] {
  return [
    column("File", "wide title", (file) => (
      <>
        <Text text={basename(file.path)} charactersMax={120} />
        {file.error === null ? null : <p>It {visible(file.error, 200)}.</p>}
      </>
    )),
    column("State", "tight state", fileState),
    column("Modified", "tight under", ({ modifiedAt }) => <Time at={modifiedAt} relative />),
    column("Size", "number hidden", ({ bytes }) => bytesText(bytes)),
    column("Lines", "number hidden", ({ lines }) => grouped(lines)),
    ...resultColumns<FeedFile>(() => undefined),
    column(<span class="vh">Actions</span>, "number hidden", ({ path }) => (
      <PostButton
        action={`${feedPath(feed)}/read-again`}
        label="Read again"
        small
        fields={{ file: fileToken(path) }}
      />
    )),
  ];
}

/** Encodes a path for a form: the name of a file may contain control characters, which no page may. */
function fileToken(path: string): string {
  return Buffer.from(path).toString("base64url");
}

function fileState({ error, completedAt }: FeedFile) {
  if (error !== null) return <StateMark tone="bad">Failed</StateMark>;
  return completedAt === null ? (
    <StateMark tone="live">Reading</StateMark>
  ) : (
    <StateMark tone="good">Read</StateMark>
  );
}

/** The files of a feed, and the entries of its folder that are not read. */
export function FeedFiles({ feed, query }: { feed: FeedStatus; query: URLSearchParams }) {
  const files = feed.files.toSorted((a, b) => b.modifiedAt - a.modifiedAt);
  return (
    <>
      <Card title="Files" flush>
        <ListTable
          caption="Files, newest first"
          columns={fileColumns(feed.name)}
          rows={files}
          perPage={filesPerPage}
          path={feedPath(feed.name)}
          query={query}
          empty="No files read yet."
        />
      </Card>
      <SkippedEntries skipped={feed.skipped} />
    </>
  );
}

function SkippedEntries({ skipped: { total, first } }: Pick<FeedStatus, "skipped">) {
  if (total === 0) return null;
  const more = total - first.length;
  return (
    <Card title="Not read" flush>
      <Table<FeedStatus["skipped"]["first"][number]>
        caption="Entries of the folder that are not read"
        columns={[
          column("Name", "wide title", ({ name }) => <Text text={name} charactersMax={120} />),
          column("Reason", "under", ({ why }) => `It ${why}.`),
        ]}
        rows={first}
        empty=""
      />
      {more > 0 ? <p class="remark">and {counted(more, "more", "more")}</p> : null}
      <p class="remark">
        Only files in the folder are read. To read a list from another place, copy it into the folder, or
        declare a feed with its path.
      </p>
    </Card>
  );
}

export async function readAgain(context: Context<"feeds">): Promise<PageResult> {
  const name = context.params["name"]!;
  const { services, form, by } = context;
  const path = Buffer.from(form.get("file") ?? "", "base64url").toString();
  await context.write(() => services.feeds.readAgain(name, path, { by }));
  return redirect(feedPath(name), "The file is being read again. Known threats are not recorded twice.");
}
