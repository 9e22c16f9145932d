import { badRequest, notFound } from "../../../lib/errors.ts";
import { isId } from "../../../lib/ids.ts";
import { visible } from "../../../lib/safe-text.ts";
import type { Threat } from "../../../threats/queries.ts";
import { statuses } from "../../../vocabulary/threats.ts";
import { download, fragment, page, redirect, type PageResult } from "../../kit/page-result.ts";
import { describeSeverityReason } from "../../../threats/severity-reasons.ts";
import { describeSimilarityReason } from "../../../threats/similarity-reasons.ts";
import { compareNames, ComparedName } from "../../kit/compared-name.tsx";
import { attempt, wholeNumber } from "../../kit/fields.ts";
import { LinkButton, PageHead, Section, StateBadge, Time } from "../../kit/kit.tsx";
import { Name } from "../../kit/name.tsx";
import { threatPath, threatsPath } from "../../kit/paths.ts";
import { pageGroup, type Context } from "../../shell/router.ts";
import { adviceOn } from "./threat-advice.ts";
import { NamesSideBySide } from "./threat-comparison.tsx";
import { CertificateFacts, DnsFacts, PageFacts, RegistrationFacts } from "./threat-facts.tsx";
import { Decisions, LookState, Neighbours, Reasons } from "./threat-parts.tsx";
import { Pictures } from "./threat-pictures.tsx";
import { Events, Notes, TimeLine } from "./threat-record.tsx";
import { ReportOfAbuse } from "./threat-report.tsx";
import { Similarity } from "./threat-rows.tsx";
import { SeenAt } from "../traps/trap-visits.tsx";
import { undoFlash } from "./undo-flash.ts";
import { inWords } from "../../kit/labels.ts";

const eventsShownMax = 20;
const visitsShownMax = 10;
const deliveriesShownMax = 100;

const serviceNames = ["config", "domains", "enrichment", "eventLog", "threats", "traps", "webhooks"] as const;
type ThreatContext = Context<(typeof serviceNames)[number]>;

/** One threat: why it is one, how bad, and what can be done. */
export const threatPages = pageGroup({
  services: serviceNames,
  routes: [
    { method: "GET", path: `${threatsPath}/:id`, permission: "read", run: show },
    { method: "GET", path: `${threatsPath}/:id/original`, permission: "read", run: original },
    { method: "GET", path: `${threatsPath}/:id/evidence`, permission: "read", run: evidence },
    { method: "GET", path: `${threatsPath}/:id/registration`, permission: "read", run: registrationAnswer },
    { method: "GET", path: `${threatsPath}/:id/look`, permission: "read", run: lookProgress },
    { method: "POST", path: `${threatsPath}/:id/look`, permission: "inspect", run: look },
    { method: "POST", path: `${threatsPath}/:id/status`, permission: "decide", run: decide },
    { method: "POST", path: `${threatsPath}/:id/undo`, permission: "decide", run: undo },
    { method: "POST", path: `${threatsPath}/:id/notes`, permission: "annotate", run: addNote },
  ],
});

/** @throws PublicError `not_found` */
function find({ services, params }: Context<"threats">): Threat {
  const id = params["id"] ?? "";
  const threat = isId("threat", id) ? services.threats.get(id) : undefined;
  if (threat === undefined) throw notFound("There is no such threat.");
  return threat;
}

function show(context: ThreatContext): Promise<PageResult> {
  return showThreat(context, undefined);
}

/** @param refused a note that was not taken, and why */
async function showThreat(
  context: ThreatContext,
  refused: { text: string; message: string } | undefined,
): Promise<PageResult> {
  const { services, query } = context;
  const threat = find(context);
  const { id, domain, protectedDomain, severity, status } = threat;
  const known = services.enrichment.factsOf(id);
  const facts = known?.facts;
  const keywords = services.domains.list().find((one) => one.domain === protectedDomain)?.keywords;
  const comparison = compareNames(domain, protectedDomain, keywords);
  const { scan, detection } = services.config;
  const abilities = { names: scan.schedule !== null, registration: scan.registrationData };
  const given = { threat, facts, abilities };
  const deliveries = services.webhooks.deliveries.list({ threat: id }, deliveriesShownMax);
  return page(
    visible(domain, 80),
    <>
      <PageHead
        title={<ComparedName name={domain} comparison={comparison} />}
        back={{ label: "Threats", path: threatsPath }}
        lead={
          <>
            <StateBadge state={severity} /> <StateBadge state={status} /> {inWords(threat.type)} of{" "}
            <Name name={protectedDomain} /> · first seen <Time at={threat.firstSeen} relative /> by{" "}
            {inWords(threat.source)}
          </>
        }
      >
        <Decisions threat={threat} />
      </PageHead>
      <div class="under-head">
        <LookState
          id={id}
          asked={query.has("asked")}
          isSettled={services.enrichment.isSettled(id)}
          checkedAt={known?.checkedAt ?? null}
        />
        <Neighbours {...services.threats.neighbours(threat)} severity={severity} />
      </div>
      <div class="cards">
        <section class="card">
          <h2>Why {severity}</h2>
          <Reasons texts={threat.severityReasons.map(describeSeverityReason)} />
          <h3>Why it is taken for {protectedDomain}</h3>
          <Reasons texts={threat.reasons.map(describeSimilarityReason)} />
          <p>
            Similarity <Similarity value={threat.similarity} />
          </p>
        </section>
        <div class="card-stack">
          <section class="card">
            <h2>What to do</h2>
            <ul>
              {adviceOn({ ...threat, facts, reactivates: detection.reactivate }).map((sentence) => (
                <li>{sentence}</li>
              ))}
            </ul>
            <p class="actions">
              <LinkButton path="#report" label="Report it" variant="outline" />
              <LinkButton path={`${threatPath(id)}/evidence`} label="Download evidence" variant="outline" />
            </p>
          </section>
          <section class="card">
            <h2>Name against name</h2>
            <NamesSideBySide comparison={comparison} />
          </section>
        </div>
      </div>
      <SeenAt visits={services.traps.hits.ofThreat(id, visitsShownMax)} />
      <Section title="Page against page">
        <Pictures
          threat={threat}
          facts={facts}
          capture={await services.enrichment.screenshotOf(id)}
          original={(await services.enrichment.originalOf(id)) !== undefined}
          originalPath={`${threatPath(id)}/original`}
        />
      </Section>
      <div class="fact-cards">
        <Section title="Page">
          <PageFacts {...given} />
        </Section>
        <Section title="DNS">
          <DnsFacts {...given} />
        </Section>
        <Section title="Registration">
          <RegistrationFacts {...given} />
          {services.enrichment.registrationResponseOf(id) === undefined ? null : (
            <p>
              <a href={`${threatPath(id)}/registration`}>The answer as it came</a>
            </p>
          )}
        </Section>
        <Section title="Certificate">
          <CertificateFacts {...given} />
        </Section>
      </div>
      <Section title="Report of abuse" id="report">
        <ReportOfAbuse threat={threat} facts={facts} checkedAt={known?.checkedAt} />
      </Section>
      <Section title="Notes" id="notes">
        <Notes path={`${threatPath(id)}/notes`} notes={services.threats.notes.list(id)} refused={refused} />
      </Section>
      <Section title="What happened">
        <TimeLine threat={threat} history={services.threats.history(id)} />
      </Section>
      <Section title="Told to webhooks">
        <Events events={services.eventLog.ofThreat(id, eventsShownMax)} deliveries={deliveries} />
      </Section>
    </>,
    { status: refused === undefined ? 200 : 400 },
  );
}

async function original(context: ThreatContext): Promise<PageResult> {
  const webp = await context.services.enrichment.originalOf(find(context).id);
  if (webp === undefined) throw notFound("There is no picture of the protected domain.");
  return new Response(webp, { headers: { "content-type": "image/webp" } });
}

/** As a file: nothing of it is shown by the browser. */
function registrationAnswer(context: ThreatContext): PageResult {
  const { id } = find(context);
  const answer = context.services.enrichment.registrationResponseOf(id);
  if (answer === undefined) throw notFound("There is no answer of a registry.");
  return download(`${id}-registration.txt`, "text/plain; charset=utf-8", answer.text);
}

async function evidence(context: ThreatContext): Promise<PageResult> {
  const { id } = find(context);
  const { evidenceBundle, gatherEvidence } = await import("../../../evidence/evidence-bundle.ts");
  const { threats, enrichment, eventLog, webhooks } = context.services;
  const gathered = await gatherEvidence(
    { threats, enrichment, eventLog, deliveries: webhooks.deliveries },
    id,
  );
  return download(`${id}-evidence.zip`, "application/zip", evidenceBundle(gathered!));
}

function look(context: ThreatContext): PageResult {
  const { id } = find(context);
  if (context.services.enrichment.request(id)) return redirect(`${threatPath(id)}?asked=yes`);
  return redirect(threatPath(id), {
    tone: "warning",
    text: "Nothing is looked up: scan.schedule and scan.registration_data are off in the configuration.",
  });
}

function lookProgress(context: ThreatContext): PageResult {
  const { id } = find(context);
  const isSettled = context.services.enrichment.isSettled(id);
  return fragment(<LookState id={id} asked isSettled={isSettled} checkedAt={null} />);
}

function decide(context: ThreatContext): PageResult {
  const { services, form, by } = context;
  const { id } = find(context);
  const status = statuses.find((one) => one === form.get("status"));
  if (status === undefined) throw badRequest("No decision was made.");
  const { act } = services.threats.triage.change([id], status, { by });
  if (act === undefined)
    return redirect(threatPath(id), { tone: "warning", text: `It is ${inWords(status)} already.` });
  return redirect(threatPath(id), {
    tone: "success",
    text: `It is ${inWords(status)} now.`,
    action: { label: "Undo", path: `${threatPath(id)}/undo`, fields: { act: String(act) } },
  });
}

function undo(context: ThreatContext): PageResult {
  const { services, form, by } = context;
  const { id } = find(context);
  const act = wholeNumber(form.get("act")) ?? 0;
  return redirect(threatPath(id), undoFlash(services.threats.triage.undo(act, { by })));
}

async function addNote(context: ThreatContext): Promise<PageResult> {
  const { services, form, by } = context;
  const { id } = find(context);
  const text = form.get("text") ?? "";
  const kept = await attempt(() => services.threats.notes.add(id, text, { by }));
  if (!kept.ok) return showThreat(context, { text, message: kept.message });
  return redirect(`${threatPath(id)}#notes`, "The note is kept.");
}
