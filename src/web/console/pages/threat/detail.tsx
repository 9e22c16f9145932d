import type { ComponentChildren } from "preact";
import { visible } from "../../../../platform/lib/safe-text.ts";
import type { Delivery } from "../../../../messaging/deliveries/delivery-log.ts";
import type { RecordedEvent } from "../../../../threats/events/event-log.ts";
import type { Differences } from "../../../../facts/lookups/pictures/differing-regions.ts";
import type { Note } from "../../../../threats/threats/triage/notes.ts";
import type { TrapVisit } from "../../../../response/traps/visits/store.ts";
import type { ListedReport } from "../../../../response/cases/takedowns/lists.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import { Card, LinkButton, Time } from "../../kit/components.tsx";
import { ImitationCard } from "../../inspection-kit/threat-imitation.tsx";
import { Help } from "../../kit/disclosure.tsx";
import { Icon } from "../../kit/icons.tsx";
import { fragment, page, type PageResult } from "../../kit/page-result.ts";
import { threatPath, newReportPath, takedownPath } from "../../kit/paths.ts";
import { ComparedName } from "../../threat-kit/compared-name.tsx";
import { listPath, readListRequest } from "../../threat-kit/filters.ts";
import { ReasonTags, severityManualPath } from "../../threat-kit/reasons.tsx";
import { CampaignNote } from "../../threat-kit/campaign-note.tsx";
import { LifecycleLine, timeToPage } from "../../threat-kit/lifecycle-line.tsx";
import { DeliveryMark, NextMark, purposeLabels, RecipientName } from "../../threat-kit/takedown-parts.tsx";
import { SeenAt } from "../traps/visits.tsx";
import { CaseDetails } from "./case.tsx";
import { adviceOn, findThreat, type LoadedThreat, loadThreat, type ThreatContext } from "./load.ts";
import { FactCards } from "./facts.tsx";
import { CheckState, DecisionButtons, Marks, PlaceLinks, ThreatMenu, TypeOf } from "./head.tsx";
import { Deliveries, NoteForm, Timeline } from "./history.tsx";
import { NameCard } from "./name-comparison.tsx";
import { PageComparison } from "./page-comparison.tsx";
import { threatPanel } from "./panel.tsx";

const eventsShownMax = 10;
const visitsShownMax = 10;
const deliveriesShownMax = 100;
const nameCharactersMax = 80;

/** Everything that the page shows beyond the panel. */
interface Details extends LoadedThreat {
  advice: readonly string[];
  deliveries: readonly Delivery[];
  differences: Differences | undefined;
  enabledLookups: ThreatContext["services"]["enrichment"]["enabledLookups"];
  events: readonly RecordedEvent[];
  hasOriginal: boolean;
  isSettled: boolean;
  notes: readonly Note[];
  /** A check was just requested. */
  requested: boolean;
  visits: readonly TrapVisit[];
}

/** Shows a threat as a page, or as the panel beside the list for the script (`x-fragment: panel`). */
export async function showThreat(context: ThreatContext): Promise<PageResult> {
  if (context.request.headers.get("x-fragment") !== "panel")
    return renderThreat(context, { view: context.query });
  const panel = await threatPanel(
    context.services,
    findThreat(context).id,
    readListRequest(context.query, context),
  );
  return fragment(panel!);
}

export async function renderThreat(
  context: ThreatContext,
  {
    rejected,
    view,
  }: {
    /** The note that could not be saved, with the reason. */
    rejected?: { text: string; message: string };
    /** Parameters of the view that the threat was opened from. */
    view: URLSearchParams;
  },
): Promise<PageResult> {
  const details = await loadDetails(context, view);
  return page(
    visible(details.threat.domain, nameCharactersMax),
    <>
      <Head {...details} />
      <Life {...details} />
      <div class="cols cols-main">
        <MainColumn {...details} rejected={rejected} />
        <Aside {...details} />
      </div>
    </>,
    { status: rejected === undefined ? 200 : 400 },
  );
}

async function loadDetails(context: ThreatContext, view: URLSearchParams): Promise<Details> {
  const { services, query } = context;
  const { config, deliveries, enrichment, eventLog, threats, traps } = services;
  const threat = findThreat(context);
  const { id } = threat;
  const loaded = await loadThreat(services, threat, readListRequest(view, context));
  const { enabledLookups } = enrichment;
  return {
    ...loaded,
    advice: adviceOn({
      ...threat,
      facts: loaded.known?.facts,
      reactivates: config.detection.reactivate,
      looksUpNames: enabledLookups.names,
      isChecked: (loaded.known?.checkedAt ?? null) !== null,
    }),
    deliveries: deliveries.log.list({ threat: id }, deliveriesShownMax),
    differences: await enrichment.pictures.differences(id),
    enabledLookups,
    events: eventLog.ofThreat(id, eventsShownMax),
    hasOriginal: (await enrichment.originalOf(id)) !== undefined,
    isSettled: enrichment.isSettled(id),
    notes: threats.notes.list(id),
    requested: query.has("asked"),
    visits: traps.visits.ofThreat(id, visitsShownMax),
  };
}

function Head(details: Details) {
  const { comparison, enabledLookups, known, mark, place, threat, view } = details;
  const shownName = visible(threat.domain, nameCharactersMax);
  return (
    <>
      <nav class="crumbs" aria-label="Pages above this one">
        <a href={listPath(view, { open: threat.id })}>Threats</a>
        <span class="push">
          <PlaceLinks place={place} view={view} />
        </span>
      </nav>
      <header class="head">
        <div class="stack gap-s">
          <h1 class="line">
            <ComparedName name={threat.domain} comparison={comparison} />
            <button
              type="button"
              class="btn plain small square"
              data-copy={threat.domain}
              hidden
              aria-label={`Copy ${shownName}`}
              title="Copy name"
            >
              <Icon name="copy" />
            </button>
          </h1>
          <div class="line s quiet">
            <Marks threat={threat} />
            <TypeOf threat={threat} />
            <CheckState
              id={threat.id}
              view={view}
              requested={details.requested}
              isEnabled={enabledLookups.names || enabledLookups.registration}
              isSettled={details.isSettled}
              checkedAt={known?.checkedAt ?? null}
            />
          </div>
        </div>
        <div class="line">
          <DecisionButtons threat={threat} mark={mark} view={view} />
          <ThreatMenu threat={threat} hasRegistrationResponse={details.hasRegistrationResponse} />
        </div>
      </header>
    </>
  );
}

function Life({ lifecycle, threat }: Details) {
  // A single moment has no course.
  if (lifecycle.steps.length < 2) return null;
  const speed = timeToPage(lifecycle);
  return (
    <Card title="Lifecycle" aside={speed === undefined ? null : <span class="faint">{speed}</span>}>
      <LifecycleLine
        lifecycle={lifecycle}
        status={threat.status}
        name={visible(threat.domain, nameCharactersMax)}
      />
    </Card>
  );
}

function MainColumn(props: Details & { rejected: { text: string; message: string } | undefined }) {
  const { rejected, ...details } = props;
  const { comparison, known, origins, threat } = details;
  const facts = known?.facts;
  return (
    <div class="stack">
      <PageComparison {...details} facts={facts} />
      <ImitationCard threat={threat} facts={facts} />
      <NameCard threat={threat} comparison={comparison} />
      <SeenAt visits={details.visits} />
      <FactCards threat={threat} facts={facts} enabledLookups={details.enabledLookups} origins={origins} />
      <Late>
        <Card title="Notes and history" id="notes">
          <NoteForm path={`${threatPath(threat.id)}/notes`} view={details.view} rejected={rejected} />
          <Timeline threat={threat} history={details.history} notes={details.notes} />
        </Card>
      </Late>
    </div>
  );
}

/** A part that follows the column at the side where there is only one column. */
function Late({ children }: { children: ComponentChildren }) {
  return <div class="late">{children}</div>;
}

function Aside({ advice, deliveries, events, ...details }: Details) {
  const { threat } = details;
  const { id, severity, severityReasons } = threat;
  return (
    <div class="stack">
      <Card title="Case" id="case">
        <CaseDetails {...details} />
      </Card>
      <Reports reports={details.reports} threatId={id} />
      {details.campaignTies === undefined ? null : (
        <Card title="Campaign">
          <CampaignNote ties={details.campaignTies} />
        </Card>
      )}
      <Card
        title={`Why ${severity}`}
        aside={
          <Help about="severity" manual={severityManualPath}>
            The severity follows from the name and the facts. Each reason opens what it means.
          </Help>
        }
      >
        <ReasonTags reasons={severityReasons} />
      </Card>
      <Card title="Recommended actions">
        <ul class="stack gap-s s">
          {advice.map((step) => (
            <li>{step}</li>
          ))}
        </ul>
        <div class="line after">
          <LinkButton
            path={`${threatPath(id)}/evidence`}
            label="Evidence"
            icon="download"
            variant="plain"
            small
          />
        </div>
      </Card>
      <Late>
        <Card title="Deliveries">
          <Deliveries events={events} deliveries={deliveries} />
        </Card>
      </Late>
    </div>
  );
}

/** Reports beyond these are folded, so that what follows stays in view. */
const shownMax = 5;

/** The reports of a threat, newest first, and the way to a new one. */
function Reports({ reports, threatId }: { reports: readonly ListedReport[]; threatId: string }) {
  const newest = reports.toReversed();
  return (
    <Card
      title="Reports"
      id="report"
      aside={<LinkButton path={newReportPath([threatId])} label="Report" icon="send" small />}
    >
      {reports.length === 0 ? (
        <p class="quiet">
          Not reported yet. A report goes to the registrar, the hosting provider or others who can take the
          site down, with the evidence.
        </p>
      ) : (
        <>
          <ReportList reports={newest.slice(0, shownMax)} />
          {newest.length <= shownMax ? null : (
            <details class="more">
              <summary>{counted(newest.length - shownMax, "earlier report")}</summary>
              <ReportList reports={newest.slice(shownMax)} />
            </details>
          )}
        </>
      )}
    </Card>
  );
}

function ReportList({ reports }: { reports: readonly ListedReport[] }) {
  return (
    <ul class="stack gap-s">
      {reports.map(({ next, report }) => (
        <li>
          <div class="line">
            <span>
              <a href={takedownPath(report.seq)}>{purposeLabels[report.purpose]}</a> to{" "}
              <RecipientName recipient={report.recipient} />
            </span>
            <NextMark next={next} />
          </div>
          <p class="line s quiet">
            <Time at={report.createdAt} relative />
            <DeliveryMark report={report} />
          </p>
        </li>
      ))}
    </ul>
  );
}
