import { hasContact } from "../../../../response/cases/recipients/recipients.ts";
import type { Draft, RecipientChoice } from "../../../../response/cases/takedowns/draft.ts";
import {
  bodyCharactersMax,
  subjectCharactersMax,
  ticketCharactersMax,
} from "../../../../response/cases/takedowns/report.ts";
import { textDigest } from "../../../../response/cases/takedowns/texts.ts";
import { escapeHidden } from "../../../../platform/lib/safe-text.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import type { ReportMethod } from "../../../../platform/vocabulary/cases.ts";
import { attachedBytesMax, screenshotsMax } from "../../../../response/cases/takedowns/files.ts";
import { bytesText } from "../../../../platform/lib/durations.ts";
import { Card, Copyable, Facts, Time } from "../../kit/components.tsx";
import { List } from "../../kit/table.tsx";
import type { FieldErrors } from "../../kit/fields.ts";
import { Button, Form, HiddenFields, TextArea, TextField } from "../../kit/form.tsx";
import { Tag, Name, Text } from "../../kit/inline.tsx";
import { newReportPath, newTakedownPath, takedownPath, threatPath, draftFilePath } from "../../kit/paths.ts";
import { abilities, isWebAddress, kindLabels, SourceOf } from "../../threat-kit/takedown-parts.tsx";

/** Input of the form. */
export interface Typed {
  subject: string;
  body: string;
  email: string;
  ticket: string;
}

const namesShownMax = 20;

const buttons: Record<ReportMethod, string> = {
  email: "Send email",
  form: "I submitted the form",
  manual: "I sent it another way",
};

/** The report as it would be sent, with a text that can be changed. */
export function DraftForm(props: {
  draft: Draft;
  errors: FieldErrors;
  /** Null: no mail server is set. */
  sender: { from: string; replyTo: string | null } | null;
  typed: Typed;
}) {
  const { draft, errors, sender, typed } = props;
  const { chosen, method } = draft;
  return (
    <Card title={<Text text={chosen.recipient.name} charactersMax={80} />} aside={<Methods draft={draft} />}>
      <Form action={newTakedownPath} class="stack" form={new URLSearchParams({ ...typed })} errors={errors}>
        <HiddenFields fields={fieldsOf(draft)} />
        {method === "email" && sender !== null ? (
          <>
            <Facts
              facts={[["From", sender.from], sender.replyTo !== null && ["Responses to", sender.replyTo]]}
            />
            <TextField label="To" name="email" required maxLength={320} />
          </>
        ) : (
          <Instructions draft={draft} typed={typed} />
        )}
        <TextField label="Subject" name="subject" required maxLength={subjectCharactersMax} />
        <TextArea label="Text" name="body" rows={24} maxLength={bodyCharactersMax} />
        <FileList draft={draft} />
        {method === "email" ? null : (
          <TextField
            label="Their reference"
            name="ticket"
            maxLength={ticketCharactersMax}
            hint="The ticket number that you received, if any."
          />
        )}
        <div class="line">
          <Button label={buttons[method]} variant="primary" icon={method === "email" ? "send" : "check"} />
        </div>
      </Form>
    </Card>
  );
}

function fieldsOf(draft: Draft) {
  const { chosen, digest, evidence, method, previous, purpose, reference } = draft;
  return {
    threat: evidence.map(({ threat }) => threat.id),
    recipient: chosen.key,
    method,
    purpose,
    reference,
    digest,
    prepared: textDigest(draft),
    ...(previous === null ? {} : { previous: String(previous.seq) }),
  };
}

/** Links to the ways in which the recipient can be reached. */
function Methods({ draft }: { draft: Draft }) {
  const labels: Record<ReportMethod, string> = { email: "Email", form: "Form", manual: "Another way" };
  if (draft.methods.length < 2) return null;
  return (
    <span class="line tight">
      {draft.methods.map((one) =>
        one === draft.method ? (
          <b aria-current="true">{labels[one]}</b>
        ) : (
          <a href={pathOf(draft, draft.chosen.key, one)}>{labels[one]}</a>
        ),
      )}
    </span>
  );
}

/** Steps for a report that phishwatch does not send. */
function Instructions({ draft, typed }: { draft: Draft; typed: Typed }) {
  const { formUrl } = draft.chosen.recipient;
  const { email, subject, body } = typed;
  // Forms have a field for it, which accepts no address with brackets.
  const pages = draft.method === "form" ? draft.evidence.map(addressOf) : [];
  const mailto = email === "" ? undefined : mailtoAddress({ to: email, subject, body });
  return (
    <div class="stack gap-s">
      {draft.method === "form" && formUrl !== undefined && isWebAddress(formUrl) ? (
        <p>
          Open the{" "}
          <a href={formUrl} rel="noopener noreferrer" target="_blank">
            form of the recipient
          </a>
          , and paste the text. If it accepts files, download and upload those below. Then record here that
          you submitted it.
        </p>
      ) : (
        <p>Send the text yourself, then record here that you sent it.</p>
      )}
      {email === "" ? null : <Copyable text={email} label="the address" />}
      {pages.length === 0 ? null : <Copyable text={pages.join("\n")} label="the addresses of the pages" />}
      <Copyable text={subject} label="the subject" />
      <details class="more">
        <summary>Prepared text, to copy</summary>
        <Copyable text={body} label="the report" />
      </details>
      {mailto === undefined ? null : (
        <p class="line">
          <a class="btn" href={mailto.address}>
            Open in mail program
          </a>
          <span class="hint">
            {mailto.withBody
              ? "Address, subject, and text are filled in."
              : "Address and subject are filled in. Copy the text and paste it there."}
          </span>
        </p>
      )}
    </div>
  );
}

/** Returns the address of the page of a threat as it was last seen, or else its name. */
function addressOf({ known, threat }: Draft["evidence"][number]): string {
  const page = known?.facts.page;
  return escapeHidden(page === undefined || page.redirectsToProtected ? threat.domain : page.finalUrl);
}

/** Who else can act, in the order in which to ask them, and what the report covers. */
export function RecipientList({ draft }: { draft: Draft }) {
  const { choices, chosen, evidence, leftOut } = draft;
  return (
    <div class="stack">
      <Card title="Recipients">
        <ol class="stack gap-s s">
          {choices.map((choice) => (
            <li>
              <ChoiceText choice={choice} draft={draft} isChosen={choice === chosen} />
            </li>
          ))}
        </ol>
      </Card>
      <Card title={counted(evidence.length, "threat")}>
        <List
          class="s"
          items={evidence.map(({ threat: { domain, id } }) => (
            <a href={threatPath(id)}>
              <Name name={domain} />
            </a>
          ))}
          max={namesShownMax}
        />
        {leftOut.length === 0 ? null : (
          <p class="hint">
            {counted(leftOut.length, "threat has", "threats have")} another recipient and{" "}
            {leftOut.length === 1 ? "is" : "are"} not part of this report.
          </p>
        )}
      </Card>
    </div>
  );
}

function ChoiceText(props: { choice: RecipientChoice; draft: Draft; isChosen: boolean }) {
  const { choice, draft, isChosen } = props;
  const { earlier, key, recipient, threatIds } = choice;
  const name = <Text text={recipient.name} charactersMax={80} />;
  const all = draft.evidence.length + draft.leftOut.length;
  return (
    <>
      {isChosen ? <b aria-current="true">{name}</b> : <a href={pathOf(draft, key)}>{name}</a>}{" "}
      <Tag title={abilities[recipient.kind]}>{kindLabels[recipient.kind]}</Tag>
      <p class="quiet">
        <Text text={recipient.reason} />{" "}
        {hasContact(recipient) ? (
          <>
            Contact from <SourceOf source={recipient.source} />.
          </>
        ) : (
          "No contact is known."
        )}
        {all > 1 ? ` ${threatIds.length} of ${all} threats.` : ""}
      </p>
      {recipient.note === undefined ? null : (
        <p class="hint">
          <Text text={recipient.note} charactersMax={500} />
        </p>
      )}
      {earlier.map((report) => (
        <p class="hint">
          <a href={takedownPath(report.seq)}>{report.reference}</a>, <Time at={report.createdAt} relative />
        </p>
      ))}
    </>
  );
}

function pathOf(
  { evidence, leftOut, previous, purpose }: Draft,
  recipient: string,
  method?: ReportMethod,
): string {
  return newReportPath([...evidence.map(({ threat }) => threat.id), ...leftOut.map(({ id }) => id)], {
    recipient,
    purpose,
    ...(previous === null ? {} : { previous: String(previous.seq) }),
    ...(method === undefined ? {} : { method }),
  });
}

/** Every file with its size. Attachments of an email have a checkbox, so that each can be left out. */
function FileList({ draft }: { draft: Draft }) {
  const { attachable, evidence, files } = draft;
  const ids = evidence.map(({ threat }) => threat.id);
  const attached = files.filter((file) => file.attached);
  const bytes = attached.reduce((sum, { content }) => sum + content.length, 0);
  const rest = files.filter(({ name }) => !attachable.includes(name));
  const link = (name: string) => <a href={draftFilePath(name, ids)}>{name}</a>;
  return (
    <fieldset class="field">
      <legend>{attachable.length === 0 ? "Files" : "Attachments"}</legend>
      {files
        .filter(({ name }) => attachable.includes(name))
        .map((file) => (
          <div class="line tight">
            <label class="check">
              <input type="checkbox" name="attach" value={file.name} checked={file.attached} />
              <span>
                Attach {file.name} <span class="hint">{fileText(file)}</span>
              </span>
            </label>
            <a class="s" href={draftFilePath(file.name, ids)} aria-label={`Download ${file.name}`}>
              Download
            </a>
          </div>
        ))}
      {attachable.length > 0 ? (
        <p class="hint">
          {bytesText(bytes)} of at most {bytesText(attachedBytesMax)}. Attachments are not in a ZIP archive,
          because many abuse desks reject archives.
        </p>
      ) : null}
      {missingScreenshots(draft)}
      <List
        class="s"
        items={rest.map((file) => [link(file.name), " ", <span class="quiet">{fileText(file)}</span>])}
      />
      <p class="hint">
        {attachable.length === 0 || rest.length === 0
          ? "All files stay with the report."
          : "All files stay with the report. The text states the SHA-256 of evidence.zip, for a recipient that asks for it."}
      </p>
    </fieldset>
  );
}

const fileTexts: Record<string, string> = {
  "evidence.json": "all facts, with their times",
  "sites.csv": "one line for each site",
  "evidence.zip": "everything, without internal notes",
};

function fileText({ content, name }: Draft["files"][number]): string {
  return `${fileTexts[name] ?? "screenshot"}, ${bytesText(content.length)}`;
}

/** Says when not every screenshot is among the files. */
function missingScreenshots({ evidence, files }: Draft) {
  const taken = evidence.filter(({ screenshot }) => screenshot !== undefined).length;
  const missing = taken - files.filter(({ mediaType }) => mediaType === "image/jpeg").length;
  if (missing <= 0) return null;
  return (
    <p class="hint">
      {counted(missing, "screenshot is", "screenshots are")} only in evidence.zip: at most {screenshotsMax}{" "}
      fit.
    </p>
  );
}

/** Browsers on Windows pass no longer address to a mail program, and report no error. */
const mailtoLengthMax = 2_000;

/**
 * Returns a link that opens the report in a mail program (RFC 6068), with the body only if that is short enough.
 *
 * @param to a single plain address
 */
export function mailtoAddress({ to, subject, body }: { to: string; subject: string; body: string }): {
  address: string;
  withBody: boolean;
} {
  const [local = "", host = ""] = to.split("@");
  const address = `mailto:${encoded(local)}@${encoded(host)}?subject=${encoded(subject)}`;
  const whole = `${address}&body=${encoded(body.replaceAll("\n", "\r\n"))}`;
  const withBody = whole.length <= mailtoLengthMax;
  return { address: withBody ? whole : address, withBody };
}

/** Replaces lone surrogates, which cannot be encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
