import type { ComponentChildren } from "preact";
import type { Inspection, Inspections, RequestOutcome } from "../../../../facts/inspection/inspections.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { bytesText } from "../../../../platform/lib/durations.ts";
import { grouped, counted, ended } from "../../../../platform/lib/wording.ts";
import { itemOf } from "../../../../intake/sources/emails/email-list.ts";
import { importOrigin } from "../../../../intake/sources/imports/import-run.ts";
import { type Interpretation, formNames } from "../../../../intake/sources/entries/interpretation.ts";
import { looksLikeEmail } from "../../../../intake/sources/name-file-formats/email-head.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import type { EntryForm } from "../../../../platform/vocabulary/lists.ts";
import { Card } from "../../kit/components.tsx";
import { Text } from "../../kit/inline.tsx";
import { attempt } from "../../kit/fields.ts";
import { Button, Form, TextArea } from "../../kit/form.tsx";
import { usePage } from "../../kit/page-context.ts";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import { inspectionsPath, pathWith, inspectionPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { column, Table } from "../../kit/table.tsx";
import { Address } from "../../inspection-kit/verdict.tsx";
import { OutcomeMark } from "./outcome.tsx";

/** Maximum size of what is typed or pasted. */
const typedBytesMax = 1024 * 1024;
/** Maximum size of a file, which is held in memory: an email with attachments. */
const fileBytesMax = 10 * 1024 * 1024;
/** Number of addresses of one request that are inspected before submissions of programs. The rest of a long list follows them. */
const urgentMax = 20;
/** Maximum number of lines. Longer lists are imported, or are a feed. */
const linesMax = 10_000;
/** Maximum number of addresses of one request that are listed with how they were read. */
const listedMax = 100;
/** Maximum number of lines that were not read, which are listed with the reason. */
const rejectedMax = 100;

/** Form to enter addresses, or to upload an email that contains them. */
export function InspectForm({ disabled }: { disabled: string | null }) {
  const { may } = usePage();
  if (!may("inspect") || disabled !== null) return null;
  return (
    <Card title="Inspect addresses">
      <Form action={inspectionsPath} upload class="stack gap-s">
        <TextArea
          label="Addresses, or a whole email"
          name="addresses"
          rows={5}
          hint="URLs, host names and email addresses, also defanged: hxxps://paypa1[.]com/login. Paste an email with its headers to inspect its links."
        />
        <div class="field">
          <label for="file">Email or list as a file</label>
          <input type="file" id="file" name="file" accept=".eml,.txt,.csv,message/rfc822,text/plain" />
          <p class="hint">Up to {bytesText(fileBytesMax)}. It is read and not stored.</p>
        </div>
        <p class="line">
          <Button label="Inspect" variant="primary" />
        </p>
      </Form>
    </Card>
  );
}

type RequestContext = Context<"candidates" | "inspections">;

/** Checks the names of what was entered, and requests an inspection of each address. */
export async function requestInspections(context: RequestContext): Promise<PageResult> {
  const requested = await attempt(async () => request(context, await readItems(context)));
  if (!requested.ok) return redirect(inspectionsPath, { tone: "danger", text: requested.message });
  const { first, last } = requested.value;
  context.putOnce(requestedName, requested.value);
  return redirect(
    first === undefined || last === undefined
      ? inspectionsPath
      : pathWith(inspectionsPath, new URLSearchParams({ by: context.account.name, first, last })),
  );
}

/** Returns what was typed and the content of the file. */
async function readItems(context: RequestContext): Promise<string[]> {
  const { fields, file } = await context.readUpload({ fieldBytesMax: typedBytesMax });
  const typed = fields.get("addresses") ?? "";
  const uploaded = file === undefined ? "" : await readText(file.content);
  const items = [typed, uploaded].flatMap(itemsIn);
  if (items.length === 0) throw badRequest("Enter an address, or choose a file.");
  if (items.length > linesMax)
    throw badRequest(
      `These are more than ${grouped(linesMax)} lines. Declare longer lists as a feed with inspect = true.`,
    );
  return items;
}

/** Returns an email as one item, and anything else by lines. */
function itemsIn(text: string): string[] {
  if (looksLikeEmail(text)) return [text];
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}

async function readText(content: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > fileBytesMax)
      throw badRequest(
        `The file is larger than ${bytesText(fileBytesMax)}. Split it, or save the email without its attachments.`,
      );
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

async function request(
  { services, account, by, now }: RequestContext,
  texts: readonly string[],
): Promise<RequestedAddresses> {
  const outcomes = new Map<string, RequestOutcome>();
  let urgent = 0;
  const options: Parameters<Inspections["enqueue"]>[1] = {
    priority: "person",
    source: "submission",
    origin: { kind: "console", name: account.name },
    requestedBy: by,
  };
  const { interpreted, firstInvalid, invalid, created } = await services.candidates.submit(
    texts.map(itemOf),
    {
      source: "submission",
      origin: importOrigin,
      interpret: { max: listedMax, hostNames: true },
      invalidMax: rejectedMax,
      inspect(named) {
        const left = Math.max(0, urgentMax - urgent);
        const requested = [
          ...services.inspections.enqueue(named.slice(0, left), options),
          ...services.inspections.enqueue(named.slice(left), { ...options, priority: "submission" }),
        ];
        // An email may have more links to your own pages than to others.
        urgent += requested.slice(0, left).filter(({ outcome }) => outcome !== "refused").length;
        for (const [index, outcome] of requested.entries()) outcomes.set(named[index]!, outcome);
      },
    },
  );
  // A link to an address is among the rejected lines.
  const items = interpreted
    .filter(({ form }) => form !== "ip_address")
    .map((one) => requestedItem(one, outcomes));
  const all = [...outcomes.values()];
  const queued = all.flatMap((one) => (one.outcome === "queued" ? [one.inspection] : []));
  const isNew = ({ requestedAt }: Inspection) => requestedAt >= now;
  const isOwn = ({ origin }: Inspection) => origin.kind === "console" && origin.name === account.name;
  // The list of a request that was sent twice is the same one.
  const shown = queued.some(isNew) ? queued.filter(isNew) : queued.filter(isOwn);
  const ids = shown.map(({ id }) => id).toSorted();
  const count = (outcome: RequestOutcome["outcome"]) => all.filter((one) => one.outcome === outcome).length;
  return {
    items,
    counts: {
      requested: queued.filter(isNew).length,
      waiting: queued.filter((one) => !isNew(one)).length,
      known: count("known"),
      refused: count("refused"),
      rejected: invalid,
    },
    rejected: firstInvalid.map(({ text, why }) => ({ text, why })),
    created,
    first: ids[0],
    last: ids.at(-1),
  };
}

function requestedItem(
  { text, form, name, url }: Interpretation,
  outcomes: ReadonlyMap<string, RequestOutcome>,
): RequestedItem {
  const address = url ?? name;
  const outcome = address === null ? undefined : outcomes.get(address);
  const item = { text, form, address, reason: null, inspectionId: null };
  if (outcome === undefined) return { ...item, what: "not_opened", reason: senderReason };
  if (outcome.outcome === "refused") return { ...item, what: "refused", reason: outcome.reason };
  return { ...item, what: outcome.outcome, inspectionId: outcome.inspection.id };
}

const senderReason = "was only checked by its name: the domain of a sender seldom has a page";

/** Name under which a request leaves what became of it for the list. */
export const requestedName = "inspections requested";

/** Outcome of the addresses that a person entered. */
export interface RequestedAddresses {
  /** The first addresses, with how each was read. */
  items: RequestedItem[];
  /** Numbers of addresses, and of lines without any. */
  counts: { requested: number; waiting: number; known: number; refused: number; rejected: number };
  /** The first lines without an address. */
  rejected: { text: string; why: string }[];
  /** Number of new threats by their names. */
  created: number;
  /** Ids of the first and the last inspection that was queued; undefined: none was. */
  first: string | undefined;
  last: string | undefined;
}

interface RequestedItem {
  text: string;
  form: EntryForm;
  /** Address that is opened; null: none. */
  address: string | null;
  what: "queued" | "known" | "refused" | "not_opened";
  reason: string | null;
  inspectionId: string | null;
}

/** A longer list is folded: the results are of more interest. */
const unfoldedMax = 10;

/** How each entered line was read, and whether its page is opened. */
export function RequestSummary({
  requested: { items, counts, rejected, created },
  find,
}: {
  requested: RequestedAddresses;
  find: (id: string) => Inspection | undefined;
}) {
  const addresses = counts.requested + counts.waiting + counts.known + counts.refused;
  return (
    <Card title="How it was read" flush>
      {addresses + counts.rejected <= unfoldedMax ? null : <p class="remark">{sumUp(counts)}</p>}
      <Folded
        title={
          items.length < addresses
            ? `How the first ${counted(items.length, "address was", "addresses were")} read`
            : "How each address was read"
        }
        length={items.length}
      >
        <ReadTable items={items} find={find} />
      </Folded>
      {rejected.length === 0 ? null : (
        <Folded title={`Lines that were not read: ${grouped(counts.rejected)}`} length={rejected.length}>
          <ul class="remark">
            {rejected.map(({ text, why }) => (
              <li>
                Not read: <Text text={text} charactersMax={80} /> {ended(visible(why, 200))}
              </li>
            ))}
            {counts.rejected > rejected.length ? (
              <li>and {counted(counts.rejected - rejected.length, "more line", "more lines")}</li>
            ) : null}
          </ul>
        </Folded>
      )}
      {created === 0 ? null : (
        <p class="remark">
          {counted(
            created,
            "name resembles a protected domain and is a new threat",
            "names resemble a protected domain and are new threats",
          )}
          .
        </p>
      )}
    </Card>
  );
}

function Folded({ title, length, children }: { title: string; length: number; children: ComponentChildren }) {
  if (length <= unfoldedMax) return children;
  return (
    <details class="more remark">
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** Returns the numbers in a sentence. */
function sumUp({ requested, waiting, known, refused, rejected }: RequestedAddresses["counts"]): string {
  const parts = [
    `${counted(requested, "address is", "addresses are")} inspected`,
    waiting > 0 && `${grouped(waiting)} already waited`,
    known > 0 && `${grouped(known)} had been within the last hour`,
    refused > 0 && `${grouped(refused)} cannot be`,
    rejected > 0 && `${counted(rejected, "line was", "lines were")} not read`,
  ];
  return `${parts.filter(Boolean).join(", ")}.`;
}

function ReadTable(props: { items: readonly RequestedItem[]; find: (id: string) => Inspection | undefined }) {
  const { items, find } = props;
  return (
    <Table<RequestedItem>
      caption="How each entered address was read"
      columns={[
        column("Entered", "wide title", ({ text }) => <Text text={text} charactersMax={120} />),
        column("Read as", "tight under", ({ form }) => formNames[form]),
        column("Address", "hidden", ({ address }) => (address === null ? "" : <Address address={address} />)),
        column("Inspection", "state", (item) => <ItemState item={item} find={find} />),
      ]}
      rows={items}
      empty="No address was found."
    />
  );
}

function ItemState(props: { item: RequestedItem; find: (id: string) => Inspection | undefined }) {
  const { item, find } = props;
  const { what, reason, inspectionId } = item;
  const path = inspectionPath(inspectionId ?? "");
  switch (what) {
    case "queued":
      return <a href={path}>requested</a>;
    case "known": {
      const inspection = find(inspectionId ?? "");
      return (
        <>
          {inspection === undefined ? null : <OutcomeMark inspection={inspection} />}
          <p>
            <a href={path}>inspected within the last hour</a>
          </p>
        </>
      );
    }
    case "refused":
    case "not_opened":
      return (
        <>
          It <Text text={reason ?? "is not opened"} charactersMax={200} />
        </>
      );
  }
}
