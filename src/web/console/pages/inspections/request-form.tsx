import type { Inspection, Inspections, RequestOutcome } from "../../../../facts/inspection/inspections.ts";
import { badRequest, PublicError } from "../../../../platform/lib/errors.ts";
import { bytesText } from "../../../../platform/lib/durations.ts";
import { grouped, sentence } from "../../../../platform/lib/wording.ts";
import { itemOf } from "../../../../intake/sources/emails/email-list.ts";
import { importOrigin } from "../../../../intake/sources/imports/import-run.ts";
import type { Interpretation } from "../../../../intake/sources/entries/interpretation.ts";
import { looksLikeEmail } from "../../../../intake/sources/name-file-formats/email-head.ts";
import { Card } from "../../kit/components.tsx";
import { Button, TextArea } from "../../kit/form.tsx";
import { usePage } from "../../kit/page-context.ts";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import { inspectionsPath, pathWith } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { withRequest } from "./request-query.ts";
import { requestedName, type RequestedAddresses, type RequestedItem } from "./request-summary.tsx";

/** Maximum size of what is typed or pasted. */
const typedBytesMax = 1024 * 1024;
/** Maximum size of a file, which is held in memory: an email with attachments. */
const fileBytesMax = 10 * 1024 * 1024;
/** Number of addresses of one request that come before those of programs. Those of a long list come after these. */
const urgentMax = 20;
/** Maximum number of lines. Longer lists are imported, or are a feed. */
const linesMax = 10_000;
/** Maximum number of addresses of one request that are listed with how they were read. */
const listedMax = 100;
/** Maximum number of lines that were not read, which are listed with the reason. */
const rejectedMax = 100;

/** Form to enter addresses, or to upload an email that contains them. */
export function InspectForm({ disabled }: { disabled: string | null }) {
  const { csrfToken, may } = usePage();
  if (!may("inspect") || disabled !== null) return null;
  return (
    <Card title="Inspect addresses">
      <form method="post" action={inspectionsPath} encType="multipart/form-data" class="stack gap-s">
        <input type="hidden" name="form_token" value={csrfToken} />
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
      </form>
    </Card>
  );
}

type RequestContext = Context<"candidates" | "inspections">;

/** Checks the names of what was entered, and requests an inspection of each address. */
export async function requestInspections(context: RequestContext): Promise<PageResult> {
  try {
    const items = await readItems(context);
    const requested = await request(context, items);
    context.putOnce(requestedName, requested);
    const { first, last } = requested;
    return redirect(
      first === undefined || last === undefined
        ? inspectionsPath
        : pathWith(
            inspectionsPath,
            withRequest(new URLSearchParams(), { by: context.account.name, first, last }),
          ),
    );
  } catch (error) {
    if (!(error instanceof PublicError) || error.code !== "bad_request") throw error;
    return redirect(inspectionsPath, { tone: "danger", text: sentence(error.message) });
  }
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
  if (outcome === undefined)
    return { text, form, address, what: "not_opened", reason: senderReason, inspectionId: null };
  if (outcome.outcome === "refused")
    return { text, form, address, what: "refused", reason: outcome.reason, inspectionId: null };
  return { text, form, address, what: outcome.outcome, reason: null, inspectionId: outcome.inspection.id };
}

const senderReason = "was only checked by its name: the domain of a sender seldom has a page";
