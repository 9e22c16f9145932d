import { visible } from "../../../lib/safe-text.ts";
import { describeSeverityReason } from "../../../threats/severity/severity-reasons.ts";
import type { Origins } from "../../../threats/store/origins.ts";
import type { Threat } from "../../../threats/store/queries.ts";
import { describeSimilarityReason } from "../../../threats/store/similarity-reasons.ts";
import { compareNames, ComparedName } from "../../threat-kit/compared-name.tsx";
import { LinkButton, PageHead, Section, Time } from "../../kit/components.tsx";
import { inWords } from "../../kit/labels.ts";
import { TypeName } from "../../threat-kit/threat-type.tsx";
import { Name } from "../../kit/name.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { threatPath, threatsPath } from "../../kit/paths.ts";
import { SeenAt } from "../traps/visits.tsx";
import { AbuseReport } from "./abuse-report.tsx";
import { adviceOn } from "./advice.ts";
import { DecisionButtons, CheckState, Neighbors, Reasons } from "./detail-parts.tsx";
import {
  CertificateFacts,
  DnsFacts,
  LoggedCertificates,
  NamedAddresses,
  PageFacts,
  RegistrationFacts,
  type FactsProps,
} from "./facts.tsx";
import { findThreat, type ThreatContext } from "./find-threat.ts";
import { EventList, Notes, Timeline } from "./history.tsx";
import { Similarity, Unverified } from "../../threat-kit/marks.tsx";
import { NamesSideBySide } from "./name-comparison.tsx";
import { Screenshots } from "./screenshots.tsx";
import { SiteMark } from "../../threat-kit/site.tsx";
import { SeverityMark, StatusMark } from "../../threat-kit/severity.tsx";

const eventsShownMax = 20;
const visitsShownMax = 10;
const deliveriesShownMax = 100;

export function showThreat(context: ThreatContext): Promise<PageResult> {
  return renderThreat(context, undefined);
}

/** @param rejected the note that could not be saved, with the reason */
export async function renderThreat(
  context: ThreatContext,
  rejected: { text: string; message: string } | undefined,
): Promise<PageResult> {
  const { services, query } = context;
  const { enrichment, eventLog, threats } = services;
  const threat = findThreat(context);
  const { id, domain, protectedDomain, severity, status } = threat;
  const known = enrichment.factsOf(id);
  const facts = known?.facts;
  const keywords = services.domains.list().find((one) => one.domain === protectedDomain)?.keywords;
  const comparison = compareNames(domain, protectedDomain, keywords);
  const { detection } = services.config;
  const { enabledLookups } = enrichment;
  const deliveries = services.deliveries.log.list({ threat: id }, deliveriesShownMax);
  return page(
    visible(domain, 80),
    <>
      <PageHead
        title={<ComparedName name={domain} comparison={comparison} />}
        back={{ label: "Threats", path: threatsPath }}
        lead={
          <>
            <SeverityMark severity={severity} /> {threat.verified ? null : <Unverified />}{" "}
            <StatusMark status={status} /> <SiteMark site={enrichment.overviewOf([id]).get(id)!.site} />{" "}
            <TypeName type={threat.type} /> of <Name name={protectedDomain} /> · first seen{" "}
            <Time at={threat.firstSeen} relative /> by {inWords(threat.source)}
          </>
        }
      >
        <DecisionButtons threat={threat} />
      </PageHead>
      <div class="under-head">
        <CheckState
          id={id}
          requested={query.has("asked")}
          isEnabled={enabledLookups.names || enabledLookups.registration}
          isSettled={enrichment.isSettled(id)}
          checkedAt={known?.checkedAt ?? null}
        />
        <Neighbors {...threats.neighbors(threat)} severity={severity} />
      </div>
      <div class="cols cols-3">
        <Reasoning threat={threat} />
        <div class="card-stack">
          <RecommendedActions
            id={id}
            advice={adviceOn({
              ...threat,
              facts,
              reactivates: detection.reactivate,
              looksUpNames: enabledLookups.names,
              isChecked: (known?.checkedAt ?? null) !== null,
            })}
          />
          <section class="card">
            <h2>Name comparison</h2>
            <NamesSideBySide comparison={comparison} />
          </section>
        </div>
      </div>
      <SeenAt visits={services.traps.visits.ofThreat(id, visitsShownMax)} />
      <Section title="Page comparison">
        <Screenshots
          threat={threat}
          facts={facts}
          capture={await enrichment.screenshotOf(id)}
          hasOriginal={(await enrichment.originalOf(id)) !== undefined}
          originalPath={`${threatPath(id)}/original`}
        />
      </Section>
      <FactSections
        threat={threat}
        facts={facts}
        enabledLookups={enabledLookups}
        origins={threats.origins(id)}
        hasRegistrationResponse={enrichment.registrationResponseOf(id) !== undefined}
      />
      <Section title="Abuse report" id="report">
        <AbuseReport threat={threat} facts={facts} checkedAt={known?.checkedAt} />
      </Section>
      <Section title="Notes" id="notes">
        <Notes path={`${threatPath(id)}/notes`} notes={threats.notes.list(id)} rejected={rejected} />
      </Section>
      <Section title="History">
        <Timeline threat={threat} history={threats.history(id)} />
      </Section>
      <Section title="Webhook deliveries">
        <EventList events={eventLog.ofThreat(id, eventsShownMax)} deliveries={deliveries} />
      </Section>
    </>,
    { status: rejected === undefined ? 200 : 400 },
  );
}

function RecommendedActions({ id, advice }: { id: string; advice: readonly string[] }) {
  return (
    <section class="card">
      <h2>Recommended actions</h2>
      <ul>
        {advice.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
      <p class="line">
        <LinkButton path="#report" label="Report abuse" />
        <LinkButton path={`${threatPath(id)}/evidence`} label="Download evidence" />
      </p>
    </section>
  );
}

function Reasoning({
  threat: { protectedDomain, reasons, severity, severityReasons, similarity },
}: {
  threat: Threat;
}) {
  return (
    <section class="card">
      <h2>Why {severity}</h2>
      <Reasons texts={severityReasons.map(describeSeverityReason)} />
      <h3>Why it resembles {protectedDomain}</h3>
      <Reasons texts={reasons.map(describeSimilarityReason)} />
      <p>
        Similarity <Similarity value={similarity} />
      </p>
    </section>
  );
}

function FactSections({
  hasRegistrationResponse,
  origins,
  ...props
}: FactsProps & { hasRegistrationResponse: boolean; origins: Origins }) {
  return (
    <div class="fact-cards">
      <Section title="Page">
        <PageFacts {...props} />
        <NamedAddresses {...origins} />
      </Section>
      <Section title="DNS">
        <DnsFacts {...props} />
      </Section>
      <Section title="Registration">
        <RegistrationFacts {...props} />
        {hasRegistrationResponse ? (
          <p>
            <a href={`${threatPath(props.threat.id)}/registration`}>Download the raw response</a>
          </p>
        ) : null}
      </Section>
      <Section title="Certificate">
        <CertificateFacts {...props} />
        <LoggedCertificates {...origins} />
      </Section>
    </div>
  );
}
