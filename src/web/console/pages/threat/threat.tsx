import type { ComponentChildren, VNode } from "preact";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { isId } from "../../../../platform/lib/ids.ts";
import type { Place } from "../../../../threats/index/threat-index.ts";
import { Card, LinkButton } from "../../kit/components.tsx";
import { List } from "../../kit/table.tsx";
import { ImitationCard, imitationOf } from "../../inspection-kit/threat-imitation.tsx";
import { Help } from "../../kit/disclosure.tsx";
import { Icon } from "../../kit/inline.tsx";
import { fragment, page, type PageResult } from "../../kit/page-result.ts";
import { threatPath } from "../../kit/paths.ts";
import { ComparedName } from "../../threat-kit/compared-name.tsx";
import { listPath, readListRequest, type ListRequest } from "../../threat-kit/filters.ts";
import { ReasonTags } from "../../threat-kit/reasons.tsx";
import { CampaignNote } from "../../threat-kit/campaign-note.tsx";
import { LifecycleLine, timeToPage } from "../../threat-kit/lifecycle-line.tsx";
import { PagePair } from "../../inspection-kit/page-pair.tsx";
import { VerdictDetails } from "../../inspection-kit/verdict.tsx";
import { PostButton } from "../../kit/form.tsx";
import { SeenAt } from "../traps/visits.tsx";
import { CaseDetails } from "./case.tsx";
import {
  adviceOn,
  findThreat,
  type LoadedThreat,
  loadThreat,
  type ThreatContext,
  type LoadServices,
} from "./load.ts";
import { FactCards, ShortFacts } from "./facts.tsx";
import { CheckState, DecisionButtons, Marks, PlaceLinks, ThreatMenu, TypeOf } from "./head.tsx";
import { Deliveries, NoteForm, Reports, Timeline } from "./history.tsx";
import { NameCard, ComparedNames } from "./name-comparison.tsx";
import { PageComparison } from "./page-comparison.tsx";

const eventsShownMax = 10;
const visitsShownMax = 10;
const deliveriesShownMax = 100;
const nameCharactersMax = 80;
/** Number of signals of a comparison that the panel shows one by one. */
const signalsShownMax = 5;

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
      <Life details={details} />
      <div class="cols cols-main">
        <MainColumn {...details} rejected={rejected} />
        <Aside details={details} />
      </div>
    </>,
    { status: rejected === undefined ? 200 : 400 },
  );
}

/** Everything that the page shows, also beyond the panel. */
type Details = Awaited<ReturnType<typeof loadDetails>>;

async function loadDetails(context: ThreatContext, view: URLSearchParams) {
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
    /** A check was just requested. */
    requested: query.has("asked"),
    visits: traps.visits.ofThreat(id, visitsShownMax),
  };
}

function Head(details: Details) {
  const { enabledLookups, keywords, known, mark, place, threat, view } = details;
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
            <ComparedName {...threat} keywords={keywords} />
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

function Life({ details }: { details: Details }) {
  const { lifecycle } = commonParts(details, { inPanel: false });
  const speed = timeToPage(details.lifecycle);
  return lifecycle === undefined ? null : (
    <Card {...lifecycle} aside={speed === undefined ? null : <span class="faint">{speed}</span>} />
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

function Aside({ details }: { details: Details }) {
  const { advice, deliveries, events } = details;
  const { id } = details.threat;
  const parts = commonParts(details, { inPanel: false });
  return (
    <div class="stack">
      <Card {...parts.case} id="case" />
      <Reports reports={details.reports} threatId={id} />
      {parts.campaign && <Card {...parts.campaign} />}
      <Card {...parts.severity} aside={<Help topic="severity" />} />
      <Card title="Recommended actions">
        <List class="stack gap-s s" items={advice} />
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

/** The parts that the page and the panel have in common, each with its title. */
function commonParts(loaded: LoadedThreat, { inPanel }: { inPanel: boolean }) {
  const { campaignTies, lifecycle, threat } = loaded;
  const { domain, severity, severityReasons, status } = threat;
  const name = visible(domain, nameCharactersMax);
  return {
    case: { title: "Case", children: <CaseDetails {...loaded} inPanel={inPanel} /> },
    campaign: campaignTies && { title: "Campaign", children: <CampaignNote ties={campaignTies} /> },
    severity: { title: `Why ${severity}`, children: <ReasonTags reasons={severityReasons} /> },
    // A single moment has no course.
    lifecycle:
      lifecycle.steps.length < 2
        ? undefined
        : {
            title: "Lifecycle",
            children: <LifecycleLine lifecycle={lifecycle} status={status} name={name} narrow={inPanel} />,
          },
  };
}

/**
 * Returns the panel of a threat beside the list of a view; null if there is no such threat. Changes nothing.
 * @param place its place in the view; undefined: not known yet
 */
export async function threatPanel(
  services: LoadServices,
  id: string,
  request: ListRequest,
  place?: Place,
): Promise<VNode | null> {
  const threat = isId("threat", id) ? services.threats.get(id) : undefined;
  return threat === undefined ? null : (
    <ThreatPanel {...await loadThreat(services, threat, request, place)} />
  );
}

function ThreatPanel(loaded: LoadedThreat) {
  const { comparison, keywords, known, mark, place, threat, view, whyMissing } = loaded;
  const { id, domain } = threat;
  const parts = commonParts(loaded, { inPanel: true });
  const imitation = imitationOf({ threat, facts: known?.facts });
  return (
    <aside class="panel" id="panel" data-id={id} aria-label={visible(domain, nameCharactersMax)}>
      <div class="bar">
        <PlaceLinks place={place} view={view} inPanel />
        <div class="push line tight">
          <a class="btn plain small" href={threatPath(id, view)}>
            <Icon name="out" />
            Open page
          </a>
          <ThreatMenu threat={threat} hasRegistrationResponse={loaded.hasRegistrationResponse} />
          <a
            class="btn plain small square"
            data-panel-close=""
            href={listPath(view)}
            aria-label="Close panel"
            title="Close (Esc)"
          >
            <Icon name="x" />
          </a>
        </div>
      </div>
      <div class="stack">
        <div>
          <h2>
            <ComparedName {...threat} keywords={keywords} />
          </h2>
          <div class="s quiet">
            <TypeOf threat={threat} />
          </div>
        </div>
        <div class="line">
          <Marks threat={threat} />
        </div>
        <div class="line">
          <DecisionButtons threat={threat} mark={mark} view={view} />
        </div>
      </div>
      <Part {...parts.case} />
      {parts.campaign && <Part {...parts.campaign} />}
      <Part title="Name">
        <ComparedNames threat={threat} comparison={comparison} />
      </Part>
      <Part title="Page">
        <PagePair threat={threat} facts={known?.facts} whyMissing={whyMissing} />
        {loaded.canInspect ? (
          <div class="line after">
            <PostButton
              action={`${threatPath(id)}/look`}
              label="Inspect page"
              fields={{ view: view.toString() }}
              small
            />
          </div>
        ) : null}
      </Part>
      {imitation === undefined ? null : (
        <Part title="Comparison with your pages">
          <VerdictDetails verdict={imitation} signalsMax={signalsShownMax} />
        </Part>
      )}
      <Part {...parts.severity} />
      {parts.lifecycle && <Part {...parts.lifecycle} />}
      <Part title="Facts">
        <ShortFacts {...loaded} />
      </Part>
    </aside>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <h3>{title}</h3>
      {children}
    </div>
  );
}
