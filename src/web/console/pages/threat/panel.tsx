import type { ComponentChildren, VNode } from "preact";
import { isId } from "../../../../platform/lib/ids.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { hostsOf } from "../../../../threats/index/columns/hosts.ts";
import type { Place } from "../../../../threats/index/threat-index.ts";
import { PagePair } from "../../inspection-kit/page-pair.tsx";
import { imitationOf } from "../../inspection-kit/threat-imitation.tsx";
import { VerdictDetails } from "../../inspection-kit/verdict.tsx";
import { Facts, Time } from "../../kit/components.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Icon } from "../../kit/icons.tsx";
import { inWords } from "../../kit/labels.ts";
import { Text } from "../../kit/name.tsx";
import { threatPath } from "../../kit/paths.ts";
import { ComparedName } from "../../threat-kit/compared-name.tsx";
import { listPath, type ListRequest } from "../../threat-kit/filters.ts";
import { ReasonTags } from "../../threat-kit/reasons.tsx";
import { CampaignNote } from "../../threat-kit/campaign-note.tsx";
import { LifecycleLine } from "../../threat-kit/lifecycle-line.tsx";
import { CaseDetails } from "./case.tsx";
import { DecisionButtons, Marks, PlaceLinks, ThreatMenu, TypeOf } from "./head.tsx";
import { loadThreat, type LoadedThreat, type LoadServices } from "./load.ts";
import { ComparedNames } from "./name-comparison.tsx";

/** Number of signals of a comparison that the panel shows one by one. */
const signalsShownMax = 5;

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
  const { comparison, known, lifecycle, mark, place, threat, view, whyMissing } = loaded;
  const { id, domain, severity, severityReasons, status } = threat;
  const imitation = imitationOf({ threat, facts: known?.facts });
  return (
    <aside class="panel" id="panel" data-id={id} aria-label={visible(domain, 80)}>
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
            <ComparedName name={domain} comparison={comparison} />
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
      <Part title="Case">
        <CaseDetails {...loaded} inPanel />
      </Part>
      {loaded.campaignTies === undefined ? null : (
        <Part title="Campaign">
          <CampaignNote ties={loaded.campaignTies} />
        </Part>
      )}
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
      <Part title={`Why ${severity}`}>
        <ReasonTags reasons={severityReasons} />
      </Part>
      {lifecycle.steps.length < 2 ? null : (
        <Part title="Lifecycle">
          <LifecycleLine lifecycle={lifecycle} status={status} name={visible(domain, 80)} narrow />
        </Part>
      )}
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

function ShortFacts({ known, threat }: LoadedThreat) {
  const { existence, page, registration } = known?.facts ?? {};
  const hosts = hostsOf(threat);
  const rows: [string, string | undefined | null][] = [
    ["Title", page?.title || undefined],
    ["Registrar", registration?.registrar],
    ["Address", existence?.addresses[0]],
    ["Network", hosts.network],
    ["Name servers", hosts.nameServers],
    ["Mail", existence?.mailServers[0]],
    ["Certificate", page?.certificate?.issuer],
    ["Source", inWords(threat.source)],
  ];
  return (
    <Facts
      facts={[
        ...rows.flatMap(([name, text]): [string, ComponentChildren][] =>
          text === undefined || text === null || text === ""
            ? []
            : [[name, <Text text={text} charactersMax={80} />]],
        ),
        ["First seen", <Time at={threat.firstSeen} relative />],
      ]}
    />
  );
}
