import { badRequest, notFound, PublicError } from "../../../lib/errors.ts";
import { sentence } from "../../../lib/wording.ts";
import { listFormats } from "../../../vocabulary/lists.ts";
import type { ListToImport } from "../../../sources/imports/imports.ts";
import type { ListImport } from "../../../sources/imports/tables.ts";
import { fragment, page, redirect, type PageResult } from "../../kit/page-result.ts";
import { wholeNumber } from "../../kit/fields.ts";
import { ImportPanel, ListName, RefusedLines } from "./import-panel.tsx";
import { Facts, PageHead, Section, Time } from "../../kit/kit.tsx";
import { readUpload } from "../../shell/multipart.ts";
import { feedsPath, importPath, importsPath } from "../../kit/paths.ts";
import type { Context, Route } from "../../shell/router.ts";

const fieldBytesMax = 16 * 1024;
const columnLengthMax = 200;
const nameLengthMax = 300;

/** Lists that people hand over: sending one, watching it, ending it. */
export const importRoutes: Route<"imports">[] = [
  { method: "POST", path: importsPath, body: "raw", permission: "import", run: receiveFile },
  { method: "POST", path: `${importsPath}/names`, permission: "import", run: receiveNames },
  { method: "GET", path: `${importsPath}/running`, permission: "read", run: showRunning },
  { method: "GET", path: `${importsPath}/:seq`, permission: "read", run: showOne },
  { method: "GET", path: `${importsPath}/:seq/panel`, permission: "read", run: showPanel },
  { method: "POST", path: `${importsPath}/:seq/cancel`, permission: "import", run: cancel },
];

/** Answers when the file was read to its end: the browser is busy with sending it meanwhile. */
async function receiveFile(context: Context<"imports">): Promise<PageResult> {
  const { request, services } = context;
  // A script of ours wants to know where to go on, without going there by itself.
  const scripted = request.headers.has("x-fragment");
  const refuse = (message: string) =>
    scripted
      ? new Response(message, { status: 400 })
      : redirect(feedsPath, { tone: "danger" as const, text: message });
  try {
    // Before any of it is read: whoever sends a gigabyte should not wait to be told.
    const running = services.imports.running();
    if (running !== undefined)
      throw badRequest("Another list is being imported. Wait until it is done, or cancel it.");
    const { fields, file } = await readUpload(request, { fieldBytesMax });
    if (file === undefined) throw badRequest("choose a file first");
    const length = request.headers.get("content-length");
    const ended = begin(context, {
      name: file.name.slice(0, nameLengthMax),
      content: file.content,
      bytesTotal: length === null ? null : Number(length),
      ...readingOf(fields),
    });
    const path = importPath((await ended).seq);
    return scripted ? new Response(path) : redirect(path);
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    return refuse(sentence(error.message));
  }
}

async function receiveNames(context: Context<"imports">): Promise<PageResult> {
  const bytes = new TextEncoder().encode(context.form.get("names") ?? "");
  try {
    if (bytes.every((byte) => byte <= 0x20)) throw badRequest("type at least one name in");
    const content = new Blob([bytes]).stream();
    const list = { name: null, content, bytesTotal: bytes.length, format: "lines", column: "" } as const;
    return redirect(importPath((await begin(context, list)).seq));
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    return redirect(feedsPath, { tone: "danger", text: sentence(error.message) });
  }
}

function begin({ services, by }: Context<"imports">, list: ListToImport): Promise<ListImport> {
  return services.imports.begin(list, by).ended;
}

function readingOf(fields: ReadonlyMap<string, string>): Pick<ListToImport, "format" | "column"> {
  const format = listFormats.find((one) => one === (fields.get("format") ?? "auto"));
  if (format === undefined) throw badRequest(`the format is one of ${listFormats.join(", ")}`);
  const column = fields.get("column") ?? "";
  if (column.length > columnLengthMax) throw badRequest(`a column has ${columnLengthMax} characters at most`);
  return { format, column };
}

function find({ services, params }: Context<"imports">): ListImport {
  const seq = wholeNumber(params["seq"]);
  const running = services.imports.running();
  if (running !== undefined && running.seq === seq) return running;
  const list = seq === undefined ? undefined : services.imports.get(seq);
  if (list === undefined) throw notFound("There is no such import, or it is long ago.");
  return list;
}

function showOne(context: Context<"imports">): PageResult {
  const list = find(context);
  const { format, column } = list;
  return page(
    "Import",
    <>
      <PageHead
        title={
          <>
            Import of <ListName name={list.name} />
          </>
        }
        back={{ label: "Feeds", path: feedsPath }}
      />
      <ImportPanel list={list} />
      <RefusedLines list={list} />
      <Section title="How and when">
        <Facts
          facts={[
            ["Format", format === "auto" ? "told by its name and content" : format],
            ["Column", column === "" ? "the usual one" : column],
            ["Begun", <Time at={list.startedAt} />],
            ["Ended", list.completedAt === null ? "it is being read" : <Time at={list.completedAt} />],
          ]}
        />
      </Section>
    </>,
  );
}

function showPanel(context: Context<"imports">): PageResult {
  return fragment(<ImportPanel list={find(context)} />);
}

/** For the page from which a file is being sent, which does not know its number yet. */
function showRunning({ services }: Context<"imports">): PageResult {
  const running = services.imports.running();
  return running === undefined
    ? new Response(null, { status: 204 })
    : fragment(<ImportPanel list={running} />);
}

function cancel(context: Context<"imports">): PageResult {
  const { seq } = find(context);
  const { services, by } = context;
  if (!services.imports.cancel(seq, by))
    return redirect(importPath(seq), { tone: "warning", text: "It had ended before." });
  return redirect(importPath(seq), "It ends at once; what was found up to there stays.");
}
