import {
  composeDraft,
  filesOfThreats,
  reportFrom,
  type Draft,
  type DraftRequest,
  type DraftServices,
} from "../../../../response/cases/takedowns/draft.ts";
import {
  goneStates,
  referencePattern,
  reportPurposes,
  type Report,
} from "../../../../response/cases/takedowns/report.ts";
import { withAttachments, textAfterChange } from "../../../../response/cases/takedowns/texts.ts";
import { badRequest, notFound } from "../../../../platform/lib/errors.ts";
import { isId } from "../../../../platform/lib/ids.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import { reportMethods } from "../../../../platform/vocabulary/cases.ts";
import { Note } from "../../kit/components.tsx";
import { attempt, parseWholeNumber, type FieldErrors, wholeForm } from "../../kit/fields.ts";
import { download, page, redirect, type PageResult } from "../../kit/page-result.ts";
import { takedownPath, takedownsPath } from "../../kit/paths.ts";
import { purposeLabels, type TakedownContext } from "../../threat-kit/takedown-parts.tsx";
import { DraftForm, RecipientList, type Typed } from "./draft-form.tsx";

/** Shows exactly what would be sent to the chosen recipient. Requests the networks of the threats that are not known. */
export async function newReport(context: TakedownContext): Promise<PageResult> {
  const { query, services } = context;
  const reference = services.takedowns.newReference();
  const draft = await composeDraft(draftServices(context), requestOf(context, query, { reference }));
  const { subject, body, chosen } = draft;
  let isLookingUp = false;
  for (const { threat } of draft.evidence)
    isLookingUp = (await services.enrichment.requestNetworks(threat.id)) || isLookingUp;
  const typed = { subject, body, ticket: "", email: chosen.recipient.email ?? "" };
  return render(context, draft, typed, {}, { isLookingUp });
}

/** Records the report, and queues the email. The reference of the form makes a second submission a no-op. */
export async function sendReport(context: TakedownContext): Promise<PageResult> {
  const { by, form, services, write } = context;
  const reference = form.get("reference") ?? "";
  if (!referencePattern.test(reference)) throw badRequest("The form has no valid reference. Open it again.");
  const known = services.takedowns.byReference(reference);
  if (known !== undefined) return redirect(takedownPath(known.seq));
  const typed: Typed = {
    subject: form.get("subject") ?? "",
    body: (form.get("body") ?? "").replaceAll("\r\n", "\n"),
    email: (form.get("email") ?? "").trim(),
    ticket: form.get("ticket") ?? "",
  };
  const draft = await composeDraft(
    draftServices(context),
    requestOf(context, form, { reference, attach: form.getAll("attach") }),
  );
  const attached = draft.files.flatMap((file) => (file.attached ? file.name : []));
  const rejected = (message: string, change: Partial<Typed> = {}) =>
    render(context, draft, { ...typed, ...change }, { [wholeForm]: message });
  // For example "I submitted the form" for a recipient whose form is no longer known: that never sends an email.
  if (draft.method !== form.get("method"))
    return rejected(
      "The recipient can no longer be reached in the way that you chose. Check the page, then send the report again.",
    );
  if (draft.digest !== form.get("digest")) {
    const { subject, body } = textAfterChange(draft, typed, form.get("prepared"));
    return rejected(
      "The evidence has changed since this page was opened, and the files with it. Check the text, then send the report again.",
      { subject, body: withAttachments(body, attached) },
    );
  }
  const body = withAttachments(typed.body, attached);
  if (body !== typed.body)
    return rejected(
      "The text did not list the attachments that you chose. The list was corrected. Check the text, then send the report.",
      { body },
    );
  const { config, takedowns } = services;
  const settings = { from: senderOf(context), followUpAfterMs: config.takedown.followUpAfterMs };
  const added = await attempt(() => write(() => takedowns.add(reportFrom(draft, settings, typed), { by })));
  if (!added.ok) return render(context, draft, typed, added.errors);
  const { method, seq } = added.value.report;
  return redirect(
    takedownPath(seq),
    method === "email" ? "The report is on its way to the mail server." : "The report is on record.",
  );
}

function draftServices(context: TakedownContext): DraftServices {
  const { now, services } = context;
  const { deliveries, enrichment, eventLog, takedowns, threats, config } = services;
  const { signature } = config.takedown;
  return { deliveries, enrichment, eventLog, takedowns, threats, from: senderOf(context), signature, now };
}

function senderOf({ services }: TakedownContext): string | null {
  return services.takedowns.addresses()?.from ?? null;
}

/** Sends a file that a report of the threats in the query would have, so that a person can see or upload it. */
export async function downloadDraftFile(context: TakedownContext): Promise<PageResult> {
  const { params, query, services } = context;
  const ids = query.getAll("threat").filter((id) => isId("threat", id));
  const file = (await filesOfThreats(services, ids)).find(({ name }) => name === params["name"]);
  if (file === undefined) throw notFound("The evidence has changed. Open the form again.");
  return download(file.name, file.mediaType, new Uint8Array(file.content));
}

/** @param fields the query of the page, or the fields of the form */
function requestOf(
  context: TakedownContext,
  fields: URLSearchParams,
  { attach, reference }: Pick<DraftRequest, "reference"> & { attach?: readonly string[] },
): DraftRequest {
  const previousSeq = parseWholeNumber(fields.get("previous"));
  const previous = previousSeq === undefined ? undefined : context.services.takedowns.get(previousSeq);
  const purpose = reportPurposes.find((one) => one === fields.get("purpose")) ?? "first";
  if (previous === undefined && (purpose === "follow_up" || purpose === "escalation"))
    throw badRequest("This report follows no other. Open the form from the page of the first report.");
  const given = fields.getAll("threat").filter((id) => isId("threat", id));
  const open = (previous?.takedowns ?? [])
    .filter(({ outcome }) => outcome === "open")
    .flatMap(({ threatId }) => threatId ?? []);
  return {
    threatIds: given.length > 0 ? given : open,
    recipientKey: fields.get("recipient") ?? undefined,
    method: reportMethods.find((one) => one === fields.get("method")),
    purpose,
    previous: previous?.report ?? null,
    reference,
    attach,
  };
}

function render(
  context: TakedownContext,
  draft: Draft,
  typed: Typed,
  errors: FieldErrors,
  { isLookingUp = false } = {},
): PageResult {
  const { from, replyTo } = context.services.takedowns.addresses() ?? { from: null, replyTo: null };
  const gone = draft.evidence.filter(({ threat }) => goneStates.includes(threat.siteState)).length;
  return page(
    {
      title: purposeLabels[draft.purpose],
      lead: "Nothing is sent until you send it.",
      crumbs: [{ label: "Takedowns", path: takedownsPath }, ...crumbOf(draft.previous)],
      errors,
    },
    <>
      {isLookingUp ? (
        <Note tone="info" title="The hosting provider is being looked up">
          Open this page again in a few seconds to see its abuse contact.
        </Note>
      ) : null}
      {gone === 0 ? null : (
        <Note
          tone="warn"
          title={
            draft.evidence.length === 1
              ? "The site is not up"
              : `${counted(gone, "of these sites is", "of these sites are")} not up`
          }
        >
          The last check found no page to take down. A report can still ask to suspend the domain.
        </Note>
      )}
      <div class="cols cols-main">
        <DraftForm
          draft={draft}
          typed={typed}
          errors={errors}
          sender={from === null ? null : { from, replyTo }}
        />
        <RecipientList draft={draft} />
      </div>
    </>,
  );
}

function crumbOf(previous: Report | null) {
  return previous === null ? [] : [{ label: previous.reference, path: takedownPath(previous.seq) }];
}
