import type { Enrichment } from "../../../facts/enrichment/enrichment.ts";
import { gatherEvidence, type Evidence } from "../../evidence/evidence-bundle.ts";
import { reportedThreat } from "../../evidence/report-sections.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { Threats } from "../../../threats/threats/threats.ts";
import type { RecipientKind, ReportMethod } from "../../../platform/vocabulary/cases.ts";
import type { Recipient } from "../recipients/recipient.ts";
import { hasContact, knownRecipients } from "../recipients/recipients.ts";
import { digestOf, reportFiles } from "./files.ts";
import { messageIdOf } from "./email.ts";
import { threatsPerReportMax, type Report, type ReportPurpose } from "./report.ts";
import type { NewReport } from "./report-input.ts";
import type { Takedowns } from "./takedowns.ts";
import { preparedText } from "./texts.ts";

/** A recipient that a report can go to. */
export interface RecipientChoice {
  /** Identifies it among the recipients of the same threats. */
  key: string;
  recipient: Recipient;
  /** IDs of the chosen threats that it can act on. */
  threatIds: string[];
  /** Reports of these threats that it has already received. */
  earlier: Report[];
}

/** Choices of a person. */
export interface DraftRequest {
  threatIds: readonly string[];
  /** Undefined: the first one. */
  recipientKey: string | undefined;
  /** Undefined: email if possible, or else the form. */
  method: ReportMethod | undefined;
  purpose: ReportPurpose;
  previous: Report | null;
  reference: string;
  /** Names of the files to attach to an email; undefined: all that can be attached. */
  attach: readonly string[] | undefined;
}

/** A report before it is sent: exactly what would be sent, unless the person changes the text. */
export interface Draft {
  reference: string;
  purpose: ReportPurpose;
  previous: Report | null;
  choices: RecipientChoice[];
  chosen: RecipientChoice;
  method: ReportMethod;
  methods: ReportMethod[];
  /** The threats that the report covers. */
  evidence: Evidence[];
  /** Threats that the recipient cannot act on. */
  leftOut: { id: string; domain: string }[];
  files: NewReport["files"];
  /** Names of the files that a person can attach or leave out. Empty if phishwatch does not send the report. */
  attachable: string[];
  /** Digest of the files. */
  digest: string;
  subject: string;
  body: string;
}

interface EvidenceServices {
  threats: Threats;
  enrichment: Enrichment;
  eventLog: Parameters<typeof gatherEvidence>[0]["eventLog"];
  deliveries: { log: Parameters<typeof gatherEvidence>[0]["deliveries"] };
}

export interface DraftServices extends EvidenceServices {
  takedowns: Pick<Takedowns, "ofThreat" | "takedownsOfThreat">;
  /** Sender of emails; null: no mail server is set. */
  from: string | null;
  signature: string | null;
  now: Instant;
}

/** @throws PublicError `bad_request` or `not_found`, with what to change */
export async function composeDraft(services: DraftServices, request: DraftRequest): Promise<Draft> {
  const { previous, purpose, reference } = request;
  const all = await evidenceOf(services, request.threatIds);
  const choices = withPrevious(choicesOf(services, all), all, request);
  const chosen =
    request.recipientKey === undefined
      ? defaultChoice(choices, request)
      : choices.find(({ key }) => key === request.recipientKey);
  if (chosen === undefined)
    throw badRequest(
      choices.length === 0
        ? "Nobody is known yet who can act on this threat. Check it first, so that its registrar and host are looked up."
        : "What is known about the recipients has changed. Choose the recipient again.",
    );
  const methods = methodsFor(chosen.recipient, services.from);
  const method =
    request.method !== undefined && methods.includes(request.method) ? request.method : methods[0]!;
  const evidence = all.filter(({ threat }) => chosen.threatIds.includes(threat.id));
  const files = await reportFiles(evidence);
  // A person attaches files to a form.
  const attachable =
    method === "email" ? files.filter(({ attached }) => attached).map(({ name }) => name) : [];
  const { attach = attachable } = request;
  const attached = attachable.filter((name) => attach.includes(name));
  const sent = files.map((file) => ({ ...file, attached: attached.includes(file.name) }));
  const text = preparedText({
    reference,
    purpose,
    recipient: chosen.recipient,
    threats: evidence.map(reportedThreat),
    previous,
    before: services.takedowns.takedownsOfThreat(evidence[0]!.threat.id).at(-1),
    files: { attached, bundle: files.find((file) => !file.attached)?.sha256 },
    signature: services.signature,
    now: services.now,
  });
  return {
    reference,
    purpose,
    previous,
    choices,
    chosen,
    method,
    methods,
    evidence,
    leftOut: all
      .filter((one) => !evidence.includes(one))
      .map(({ threat: { id, domain } }) => ({ id, domain })),
    files: sent,
    attachable,
    digest: digestOf(sent),
    ...text,
  };
}

/** Returns the report that a person sends, with the text as that person left it. */
export function reportFrom(
  draft: Draft,
  services: Pick<DraftServices, "from"> & { followUpAfterMs: number },
  given: { subject: string; body: string; ticket: string; email: string },
): NewReport {
  const { chosen, evidence, files, method, previous, purpose, reference } = draft;
  const { kind, name, email, formUrl, source } = chosen.recipient;
  const hosters = new Map(evidence.map((one) => [one.threat.id, hosterOf(one)]));
  const to = method === "email" ? given.email : email;
  return {
    reference,
    purpose,
    previousSeq: previous?.seq ?? null,
    recipient: {
      kind,
      name,
      email: to,
      formUrl,
      source: to === email ? source : { from: "person" },
    },
    method,
    subject: given.subject,
    body: given.body,
    ticket: given.ticket,
    threats: evidence.map(({ threat: { id, protectedDomain } }) => ({
      id,
      protectedDomain,
      hoster: hosters.get(id) ?? null,
    })),
    files,
    messageId: method === "email" && services.from !== null ? messageIdOf(reference, services.from) : null,
    followUpAfterMs: services.followUpAfterMs,
  };
}

/** Returns the files that a report of these threats has. @throws PublicError `bad_request` */
export async function filesOfThreats(
  services: EvidenceServices,
  threatIds: readonly string[],
): Promise<NewReport["files"]> {
  return reportFiles(await evidenceOf(services, threatIds));
}

async function evidenceOf(services: EvidenceServices, given: readonly string[]): Promise<Evidence[]> {
  const ids = [...new Set(given)];
  if (ids.length === 0 || ids.length > threatsPerReportMax)
    throw badRequest(`A report covers 1 to ${threatsPerReportMax} threats; ${ids.length} were chosen.`);
  const { deliveries, ...rest } = services;
  const found: Evidence[] = [];
  for (const id of ids) {
    const evidence = await gatherEvidence({ ...rest, deliveries: deliveries.log }, id);
    if (evidence === undefined) throw badRequest("One of the threats does not exist. Choose them again.");
    found.push(evidence);
  }
  return found;
}

/** Recipients that rarely act first. All threats of a campaign often share them, while a few differ in their host. */
const lateKinds: readonly RecipientKind[] = ["registry", "browser_list", "certificate_authority"];

/**
 * Returns the recipients of all threats. Of several threats: hosts and registrars first, and those that can act on most
 * of the threats before others; otherwise in their order.
 */
function choicesOf(
  { takedowns }: Pick<DraftServices, "takedowns">,
  all: readonly Evidence[],
): RecipientChoice[] {
  const choices = new Map<string, RecipientChoice>();
  for (const evidence of all) {
    const reports = takedowns.ofThreat(evidence.threat.id).map(({ report }) => report);
    for (const recipient of knownRecipients(evidence)) {
      const key = recipientKey(recipient);
      const choice = choices.get(key) ?? { key, recipient, threatIds: [], earlier: [] };
      choices.set(key, choice);
      choice.threatIds.push(evidence.threat.id);
      for (const report of reports)
        if (isSame(report.recipient, recipient) && !choice.earlier.some(({ seq }) => seq === report.seq))
          choice.earlier.push(report);
    }
  }
  const isLate = ({ recipient }: RecipientChoice) =>
    Number(all.length > 1 && lateKinds.includes(recipient.kind));
  return [...choices.values()].toSorted(
    (a, b) => isLate(a) - isLate(b) || b.threatIds.length - a.threatIds.length,
  );
}

/** Returns whether a report went to a recipient, also if a person changed the address. */
function isSame(reported: Report["recipient"], recipient: Recipient): boolean {
  if (recipientKey(reported) === recipientKey(recipient)) return true;
  return reported.kind === recipient.kind && reported.name === recipient.name;
}

/** Adds the recipient of the first report to the recipients of a follow-up, if the facts no longer lead to it. */
function withPrevious(
  choices: RecipientChoice[],
  all: readonly Evidence[],
  { previous, purpose }: Pick<DraftRequest, "previous" | "purpose">,
): RecipientChoice[] {
  if (purpose !== "follow_up" || previous === null) return choices;
  const key = recipientKey(previous.recipient);
  if (choices.some((choice) => choice.key === key)) return choices;
  const threatIds = all.map(({ threat }) => threat.id);
  const reason = "It received the report that this one follows up.";
  return [{ key, recipient: { ...previous.recipient, reason }, threatIds, earlier: [previous] }, ...choices];
}

/** Returns the recipient of the previous report for a follow-up, otherwise the first one that received none. */
function defaultChoice(
  choices: readonly RecipientChoice[],
  { previous, purpose }: Pick<DraftRequest, "previous" | "purpose">,
): RecipientChoice | undefined {
  if (purpose === "follow_up" && previous !== null)
    return choices.find(({ key }) => key === recipientKey(previous.recipient));
  const reachable = choices.filter(({ recipient }) => hasContact(recipient));
  const unasked = reachable.find(({ earlier }) => earlier.length === 0);
  return (purpose === "again" ? undefined : unasked) ?? reachable[0] ?? choices[0];
}

export function recipientKey({
  kind,
  name,
  email,
  formUrl,
}: Pick<Recipient, "kind" | "name" | "email" | "formUrl">): string {
  return `${kind}:${email ?? formUrl ?? name}`;
}

/** Returns the name of the hosting provider; null if its network has not been looked up. */
function hosterOf(evidence: Evidence): string | null {
  const hosters = knownRecipients(evidence).filter(({ kind }) => kind === "hoster");
  return (
    hosters.find(({ source }) => source.from !== "address_rdap" || source.at !== undefined)?.name ?? null
  );
}

/** The best method first. An address that is not known can be typed. */
function methodsFor({ email, formUrl }: Recipient, from: string | null): ReportMethod[] {
  const emails: ReportMethod[] = from === null ? [] : ["email"];
  const forms: ReportMethod[] = formUrl === undefined ? [] : ["form"];
  return email === undefined ? [...forms, ...emails, "manual"] : [...emails, ...forms, "manual"];
}
