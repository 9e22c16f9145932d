import { describeActor } from "../../../../access/audit/actor.ts";
import type { ReportDetails } from "../../../../response/cases/takedowns/report-input.ts";
import {
  responseCharactersMax,
  ticketCharactersMax,
  type Report,
} from "../../../../response/cases/takedowns/report.ts";
import { bytesText } from "../../../../platform/lib/durations.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { escapeHidden } from "../../../../platform/lib/safe-text.ts";
import { Card, Facts, LinkButton, Time, type Fact } from "../../kit/components.tsx";
import { parseWholeNumber, type FieldErrors, attempt } from "../../kit/fields.ts";
import { Button, Form, PostButton, TextArea, TextField } from "../../kit/form.tsx";
import { Text } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import { page, type PageResult, download, redirect } from "../../kit/page-result.ts";
import { newReportPath, takedownPath, takedownsPath } from "../../kit/paths.ts";
import {
  DeliveryMark,
  kindLabels,
  OutcomeMark,
  purposeLabels,
  SiteOf,
  SourceOf,
  ThreatName,
  type TakedownContext,
} from "../../threat-kit/takedown-parts.tsx";

/** @throws PublicError `not_found` */
function findReport({ params, services }: TakedownContext): ReportDetails {
  const seq = parseWholeNumber(params["seq"]);
  if (seq === undefined) throw notFound("There is no report with this number.");
  return services.takedowns.get(seq);
}

export function showReport(context: TakedownContext): PageResult {
  return renderReport(findReport(context), context.form);
}

/** @param form input of the form of a response */
function renderReport(details: ReportDetails, form: URLSearchParams, errors?: FieldErrors): PageResult {
  const { report, takedowns } = details;
  return page(
    {
      title: report.reference,
      lead: <Lead report={report} />,
      crumbs: [{ label: "Takedowns", path: takedownsPath }],
      errors,
    },
    <>
      <NextStep details={details} />
      <div class="cols cols-main">
        <div class="stack">
          <Card title="Report">
            <h3>
              <Text text={report.subject} />
            </h3>
            <pre>{escapedLines(report.body)}</pre>
          </Card>
          <Responses details={details} form={form} errors={errors} />
        </div>
        <div class="stack">
          <Card title="Sites">
            <ul class="stack gap-s">
              {takedowns.map((takedown) => (
                <li>
                  <ThreatName takedown={takedown} />
                  <p class="line">
                    <SiteOf takedown={takedown} />
                    <OutcomeMark takedown={takedown} />
                  </p>
                </li>
              ))}
            </ul>
          </Card>
          <Card title="Delivery">
            <ReportFacts details={details} />
          </Card>
        </div>
      </div>
    </>,
  );
}

function Lead({ report: { createdAt, purpose, recipient } }: { report: Report }) {
  return (
    <>
      {purposeLabels[purpose]} to <Text text={recipient.name} charactersMax={80} /> on <Time at={createdAt} />
    </>
  );
}

/** Text of a person or a stranger, with its line breaks and without hidden characters. */
function escapedLines(text: string): string {
  return text.split("\n").map(escapeHidden).join("\n");
}

/** Actions on the sites that are still open. */
function NextStep({ details: { after, report, takedowns } }: { details: ReportDetails }) {
  const { now } = usePage();
  const path = takedownPath(report.seq);
  const open = takedowns.filter(({ outcome }) => outcome === "open");
  const ids = open.flatMap(({ threatId }) => threatId ?? []);
  if (open.length === 0 || after.length > 0) return null;
  const isDue = report.followUpAt !== null && report.followUpAt <= now;
  const previous = { previous: String(report.seq) };
  if (report.delivery === "bounced")
    return (
      <Card title="The email bounced">
        <p>It did not reach the recipient. Report to another address or to another recipient.</p>
        <div class="line">
          <LinkButton
            path={newReportPath(ids, previous)}
            label="Report to another recipient"
            icon="send"
            variant="primary"
          />
          <PostButton action={`${path}/close`} label="Close" variant="plain" />
        </div>
      </Card>
    );
  return (
    <Card title={isDue ? "Follow up: the site is not down" : "Next step"}>
      {report.delivery === "interrupted" ? (
        <p>The email may have arrived. Check the log of the mail server before you send it again.</p>
      ) : null}
      {report.delivery === "failed" ? (
        <p>The email was not sent. Fix the cause, then send it again.</p>
      ) : null}
      {report.followUpAt === null ? null : (
        <p>
          Follow-up due <Time at={report.followUpAt} relative="due" />. Nothing is sent automatically.
        </p>
      )}
      <div class="line">
        {report.delivery === "failed" || report.delivery === "interrupted" ? (
          <PostButton action={`${path}/send-again`} label="Send again" icon="send" />
        ) : null}
        <LinkButton
          path={newReportPath(ids, { ...previous, purpose: "follow_up" })}
          label="Follow up"
          icon="send"
          variant={isDue ? "primary" : undefined}
        />
        <LinkButton
          path={newReportPath(ids, { ...previous, purpose: "escalation" })}
          label="Escalate to the next recipient"
        />
        <PostButton action={`${path}/postpone`} label="Postpone" variant="plain" />
        <PostButton action={`${path}/close`} label="Close" variant="plain" />
      </div>
    </Card>
  );
}

function ReportFacts({ details: { after, files, previous, report } }: { details: ReportDetails }) {
  const { by, deliveryResponse, recipient, ticket } = report;
  return (
    <Facts
      facts={[
        ["State", <DeliveryMark report={report} />],
        optional("Mail server", deliveryResponse),
        [
          kindLabels[recipient.kind],
          <>
            <Text text={recipient.name} charactersMax={80} />, from <SourceOf source={recipient.source} />
          </>,
        ],
        optional("Address", recipient.email),
        ["Sent by", <Text text={describeActor(by)} />],
        report.attemptAt !== null && ["Next attempt", <Time at={report.attemptAt} relative="next" />],
        report.sentAt !== null && ["Accepted", <Time at={report.sentAt} />],
        optional("Their reference", ticket),
        previous !== null && ["After", <ReportLink report={previous} />],
        ...after.map((one) => [purposeLabels[one.purpose], <ReportLink report={one} />] as const),
        files.length > 0 && ["Files", <FileLinks seq={report.seq} files={files} />],
      ]}
    />
  );
}

function optional(name: string, text: string | null | undefined): Fact {
  return [name, (text ?? null) === null ? null : <Text text={text} charactersMax={500} />];
}

function ReportLink({ report }: { report: Report }) {
  return <a href={takedownPath(report.seq)}>{report.reference}</a>;
}

function FileLinks({ files, seq }: { files: ReportDetails["files"]; seq: number }) {
  return (
    <ul>
      {files.map(({ attached, bytes, isKept, name, position, sha256 }) => (
        <li title={`SHA-256 ${sha256}`}>
          {isKept ? <a href={`${takedownPath(seq)}/files/${position}`}>{name}</a> : name}
          <span class="faint">
            {" "}
            {bytesText(bytes)}
            {attached ? ", attached" : ""}
            {isKept ? "" : ", no longer kept"}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Responses(props: {
  details: ReportDetails;
  form: URLSearchParams;
  errors: FieldErrors | undefined;
}) {
  const { details, ...state } = props;
  const { report, responses } = details;
  const path = takedownPath(report.seq);
  const { mayOpen } = usePage();
  return (
    <Card title="Responses" id="responses">
      {mayOpen("POST", `${path}/responses`) ? (
        <Form action={`${path}/responses`} class="stack" {...state}>
          <TextArea label="Paste a response" name="text" maxLength={responseCharactersMax} />
          <TextField
            label="Their reference"
            name="ticket"
            maxLength={ticketCharactersMax}
            hint={report.ticket === null ? "The ticket number, if the response has one." : undefined}
          />
          <div class="line">
            <Button label="Save response" />
            {report.delivery === "sent" || report.delivery === "interrupted" ? (
              <button type="submit" class="btn plain" formaction={`${path}/bounced`}>
                Save as a bounce
              </button>
            ) : null}
          </div>
        </Form>
      ) : null}
      {responses.length === 0 ? <p class="quiet">No response is on record.</p> : null}
      {responses.map(({ at, by, text }) => (
        <div class="after">
          <p class="hint">
            <Time at={at} />, pasted by <Text text={describeActor(by)} />
          </p>
          <pre>{escapedLines(text)}</pre>
        </div>
      ))}
    </Card>
  );
}

export function downloadFile(context: TakedownContext): PageResult {
  const { report } = findReport(context);
  const position = parseWholeNumber(context.params["position"]);
  const file = position === undefined ? undefined : context.services.takedowns.file(report.seq, position);
  if (file === undefined) throw notFound("This file is no longer kept.");
  return download(`${report.reference}-${file.name}`, file.mediaType, new Uint8Array(file.content));
}

export async function addResponse(context: TakedownContext): Promise<PageResult> {
  return change(context, "Response saved.", (seq, typed) =>
    context.services.takedowns.addResponse(seq, typed, { by: context.by }),
  );
}

export async function markBounced(context: TakedownContext): Promise<PageResult> {
  return change(context, "The report is marked as bounced.", (seq, { text }) =>
    context.services.takedowns.markBounced(seq, text, { by: context.by }),
  );
}

export async function sendAgain(context: TakedownContext): Promise<PageResult> {
  return change(context, "The report is on its way to the mail server.", (seq) =>
    context.services.takedowns.sendAgain(seq, { by: context.by }),
  );
}

export async function postponeReport(context: TakedownContext): Promise<PageResult> {
  const at = context.now + context.services.config.takedown.followUpAfterMs;
  return change(context, "The follow-up was postponed.", (seq) =>
    context.services.takedowns.postpone(seq, at, { by: context.by }),
  );
}

export async function closeReport(context: TakedownContext): Promise<PageResult> {
  return change(context, "The report is closed.", (seq) =>
    context.services.takedowns.close(seq, { by: context.by }),
  );
}

/** Runs a change of a report. Shows invalid input beside its field. */
async function change(
  context: TakedownContext,
  done: string,
  work: (seq: number, typed: { text: string; ticket: string }) => void,
): Promise<PageResult> {
  const details = findReport(context);
  const typed = { text: context.form.get("text") ?? "", ticket: context.form.get("ticket") ?? "" };
  const { seq } = details.report;
  const changed = await attempt(() => context.write(() => work(seq, typed)));
  return changed.ok ? redirect(takedownPath(seq), done) : renderReport(details, context.form, changed.errors);
}
