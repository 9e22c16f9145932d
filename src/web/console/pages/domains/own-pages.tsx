import type { ComponentChildren } from "preact";
import type { ProtectedDomain } from "../../../../threats/domains/domains.ts";
import { describeProblem } from "../../../../facts/inspection/originals/capture-problems.ts";
import type { OriginalState } from "../../../../facts/inspection/originals/originals.ts";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import { beacon } from "../../../../response/traps/kinds/beacon/beacon.ts";
import type { Trap } from "../../../../response/traps/trap.ts";
import { ActionLink, Facts, Time } from "../../kit/components.tsx";
import { Help, type HelpTopic } from "../../kit/disclosure.tsx";
import { StateMark, Tag, Name, Text } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import type { PageResult } from "../../kit/page-result.ts";
import { domainPath, newTrapPath, originalsPath, trapPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import words from "../../inspection-kit/original-words.json" with { type: "json" };
import { findDomain, isDeclared } from "../../threat-kit/domains.ts";
import { BrandKeywords } from "./form.tsx";

/** The address changes with the screenshot, if its time is known. */
const originalMaxAgeSeconds = 86_400;
/** Allowed names and keywords that are shown; the form has all. */
const namesShownMax = 20;

/** Pages and words of the protected domain itself. */
export interface OwnPages {
  domain: ProtectedDomain;
  /** Undefined: there is no screenshot of its page. */
  screenshot: { at: Instant | undefined } | undefined;
  beacons: Pick<Trap, "id" | "name" | "enabled">[];
  originals: readonly OriginalState[];
  /** Number of suggestions from the original pages. */
  suggestions: number;
}

export async function readOwnPages(
  { services }: Pick<Context<"enrichment" | "originals" | "traps">, "services">,
  domain: ProtectedDomain,
): Promise<OwnPages> {
  const screenshot = await services.enrichment.originalOfDomain(domain.id);
  const beacons = services.traps.of(beacon).list();
  return {
    domain,
    screenshot,
    originals: services.originals.pages(domain),
    suggestions: (await services.originals.suggestions(domain)).length,
    beacons: beacons.filter(({ protectedDomain }) => protectedDomain?.domain === domain.domain),
  };
}

/** The screenshot of the original page, with the words, names and beacons that belong to it. */
export function OwnPagesCard({ own }: { own: OwnPages }) {
  const { domain, beacons } = own;
  const { may } = usePage();
  const { keywords, allow } = domain;
  const canEdit = domain.enabled && !isDeclared(domain) && may("administer");
  return (
    <section class="card stack">
      <header>
        <h2>Original pages</h2>
        {canEdit ? <a href={`${domainPath(domain.domain)}/edit`}>Edit</a> : null}
      </header>
      <OriginalPage own={own} />
      <Facts
        facts={[
          ["Pages", <PageStates own={own} />],
          [
            "Brand keywords",
            <Tags
              all={keywords}
              tag={(word) => <Text text={word} charactersMax={40} />}
              help="brand_keyword"
            />,
          ],
          ["Allowed names", <Tags all={allow} tag={(name) => <Name name={name} />} help="allowed_name" />],
          ["Beacons", <Beacons beacons={beacons} />],
          ["Protected since", <Time at={domain.createdAt} />],
        ]}
      />
      <details class="more">
        <summary>Where its words count</summary>
        <BrandKeywords domain={domain} />
      </details>
      {isDeclared(domain) ? (
        <p class="hint">Declared in the configuration file. To change it, edit the file.</p>
      ) : null}
    </section>
  );
}

function Tags(props: { all: readonly string[]; tag: (text: string) => ComponentChildren; help: HelpTopic }) {
  const { all, tag, help } = props;
  const further = all.length - namesShownMax;
  return (
    <div class="line tight">
      {all.slice(0, namesShownMax).map((text) => (
        <Tag>{tag(text)}</Tag>
      ))}
      {all.length === 0 ? <span class="faint">none</span> : null}
      {further > 0 ? <span>and {counted(further, "more", "more")}</span> : null}
      <Help topic={help} />
    </div>
  );
}

function OriginalPage({ own: { domain: protectedDomain, originals, screenshot } }: { own: OwnPages }) {
  if (screenshot === undefined) return <p class="s quiet">{whyNoScreenshot(originals)}</p>;
  const { domain } = protectedDomain;
  const { at } = screenshot;
  const path = `${domainPath(domain)}/original${at === undefined ? "" : `?v=${Math.floor(at)}`}`;
  return (
    <figure>
      <a class="shot" href={path}>
        <img src={path} alt={`Screenshot of ${domain}`} loading="lazy" width="640" height="400" />
      </a>
      <figcaption class="hint">
        {at === undefined ? null : (
          <>
            Screenshot taken <Time at={at} relative />.{" "}
          </>
        )}
        Inspected pages are compared with it.
      </figcaption>
    </figure>
  );
}

/** The state of each original page, with the way to all of them. */
function whyNoScreenshot(originals: readonly OriginalState[]): string {
  const home = originals.find(({ original }) => original.role === "home");
  if (home?.versions.some(({ state }) => state === "accepted") === true)
    return "No screenshot: there was no browser when the home page was captured.";
  if (home !== undefined && home.original.problem !== null)
    return `No screenshot: ${visible(describeProblem(home.original.problem), 300)}.`;
  return "No screenshot yet. The home page is captured within a minute, if a browser is installed and lookups are enabled.";
}

function PageStates({ own: { domain, originals, suggestions } }: { own: OwnPages }) {
  const path = originalsPath(domain.domain);
  return (
    <ul>
      {originals.map(({ original: { role, problem }, versions }) => (
        <li>
          <a href={path}>{words.roles[role]}</a>{" "}
          {problem !== null ? (
            <StateMark tone="warn">not captured</StateMark>
          ) : versions.some(({ state }) => state === "waiting") ? (
            <StateMark tone="warn">changed</StateMark>
          ) : null}
        </li>
      ))}
      {originals.length > 0 ? null : (
        <li>
          <a href={path}>None yet</a>
        </li>
      )}
      {suggestions === 0 ? null : (
        <li>
          <a href={`${path}#suggestions`}>{counted(suggestions, "suggestion")}</a>
        </li>
      )}
    </ul>
  );
}

function Beacons({ beacons }: { beacons: OwnPages["beacons"] }) {
  return (
    <div class="line tight">
      {beacons.map(({ id, name, enabled }) => (
        <span>
          <a href={trapPath(beacon.name, id)}>
            <Text text={name} charactersMax={60} />
          </a>
          {enabled ? null : <span class="faint"> disabled</span>}
        </span>
      ))}
      {beacons.length > 0 ? null : (
        <span class="faint">
          none
          <ActionLink path={newTrapPath(beacon.name)} label="create one" />
        </span>
      )}
      <Help topic="beacon" />
    </div>
  );
}

/** Sends the screenshot of the protected domain's page. */
export async function sendOriginal(context: Context<"domains" | "enrichment">): Promise<PageResult> {
  const { id } = findDomain(context);
  const screenshot = await context.services.enrichment.originalOfDomain(id);
  if (screenshot === undefined) throw notFound("There is no screenshot of the domain with this name.");
  return new Response(screenshot.webp, {
    headers: { "content-type": "image/webp", "cache-control": `private, max-age=${originalMaxAgeSeconds}` },
  });
}
