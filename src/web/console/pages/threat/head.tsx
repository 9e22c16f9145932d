import type { ComponentChildren } from "preact";
import { capitalized, grouped } from "../../../../platform/lib/wording.ts";
import type { Place } from "../../../../threats/index/threat-index.ts";
import type { Threat } from "../../../../threats/threats/store/queries.ts";
import { Time } from "../../kit/components.tsx";
import { Help, Menu, MenuLink } from "../../kit/disclosure.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Icon, inWords, typeDescriptions, Name } from "../../kit/inline.tsx";
import { domainPath, newReportPath, pathWith, threatPath } from "../../kit/paths.ts";
import { decisions, seenFields } from "../../threat-kit/decisions.tsx";
import otherSites from "./other-sites.json" with { type: "json" };
import { SeverityMark, StatusMark, SiteMark } from "../../threat-kit/threat-marks.tsx";

/** Severity, decision and state of the site. */
export function Marks({ threat }: { threat: Threat }) {
  return (
    <>
      <SeverityMark {...threat} />
      <StatusMark status={threat.status} />
      <SiteMark site={threat.siteState} />
    </>
  );
}

/** The type of a threat and the domain that it resembles. */
export function TypeOf({ threat: { protectedDomain, type } }: { threat: Threat }) {
  const label = inWords(type);
  return (
    <div>
      {capitalized(label)}
      <Help topic={{ about: label, text: typeDescriptions[type], manual: "detection#types" }} /> of{" "}
      <a href={domainPath(protectedDomain)}>
        <Name name={protectedDomain} />
      </a>
    </div>
  );
}

/** One decision is primary: the next step of an active threat. */
export function DecisionButtons(props: {
  threat: Threat;
  /** Mark of the decisions that the page shows. */
  mark: number;
  /** The view that the threat was opened from, to which the decision leads on. */
  view: URLSearchParams;
}) {
  const { threat, mark, view } = props;
  const { id, status } = threat;
  return (
    <>
      {decisions
        .filter((one) => one.status !== status)
        .map((one) => (
          <PostButton
            action={`${threatPath(id)}/status`}
            label={one.label}
            fields={{ status: one.status, view: view.toString(), ...seenFields(mark) }}
            dataKey={one.key}
            variant={one.status === "resolved" && status === "active" ? "primary" : undefined}
            icon={one.status === "resolved" ? "check" : undefined}
          />
        ))}
    </>
  );
}

/** Links to the neighbors in the view, and the position among them. */
export function PlaceLinks(props: { place: Place | undefined; view: URLSearchParams; inPanel?: boolean }) {
  const { place, view, inPanel = false } = props;
  if (place === undefined) return null;
  const { next, position, previous, total } = place;
  const marks = inPanel ? { "data-panel": "" } : {};
  const link = (id: string, [label, key, rel]: [string, "j" | "k", string], icon: "up" | "down") => (
    <a
      {...marks}
      class={inPanel ? "btn plain small square" : "btn plain small"}
      href={threatPath(id, view)}
      rel={rel}
      data-key={key}
      aria-keyshortcuts={key}
      aria-label={inPanel ? `${label} threat` : undefined}
      title={`${label} (${key.toUpperCase()})`}
    >
      <Icon name={icon} />
      {inPanel ? null : (
        <>
          {label}
          <kbd aria-hidden="true">{key.toUpperCase()}</kbd>
        </>
      )}
    </a>
  );
  const count = (
    <span class={inPanel ? "xs faint" : "hide-s"}>
      {position > total ? `${grouped(total)} left` : `${grouped(position)} of ${grouped(total)}`}
    </span>
  );
  return (
    <>
      {inPanel ? null : count}
      {previous && link(previous.id, ["Previous", "k", "prev"], "up")}
      {next && link(next.id, ["Next", "j", "next"], "down")}
      {inPanel ? count : null}
    </>
  );
}

/** Less frequent actions: evidence, reports, and other sites that know about the name. None of them is the site itself. */
export function ThreatMenu(props: { threat: Threat; hasRegistrationResponse: boolean }) {
  const { threat, hasRegistrationResponse } = props;
  const { id, domain } = threat;
  const path = threatPath(id);
  return (
    <Menu>
      <MenuLink path={newReportPath([id])} icon="send" label="Report" />
      <MenuLink path={`${path}/evidence`} icon="download" label="Download evidence" />
      {hasRegistrationResponse ? (
        <MenuLink path={`${path}/registration`} icon="download" label="Raw registration data" />
      ) : null}
      <li>
        <hr />
      </li>
      {Object.entries(otherSites).map(([label, address]) => (
        <li>
          <a href={address.replace("NAME", encodeURIComponent(domain))} rel="noreferrer noopener">
            <Icon name="out" />
            {label}
          </a>
        </li>
      ))}
    </Menu>
  );
}

/**
 * Time of the last check, with a button to repeat it unless lookups are off. Refreshes itself while a requested check
 * runs.
 */
export function CheckState(props: {
  id: string;
  view: URLSearchParams;
  /** A check was just requested. */
  requested: boolean;
  /** Whether anything is looked up at all. */
  isEnabled: boolean;
  isSettled: boolean;
  checkedAt: number | null;
}) {
  const { id, view, requested, isEnabled, isSettled, checkedAt } = props;
  const path = `${threatPath(id)}/look`;
  const again = threatPath(id, view);
  if (!isEnabled)
    return (
      <State>
        {checkedAt === null ? null : (
          <span>
            Checked <Time at={checkedAt} relative />.
          </span>
        )}
        <span>
          DNS, pages, registration data and screenshots are not looked up, because{" "}
          <code>lookups.enabled</code> is false in the configuration file.
        </span>
      </State>
    );
  if (requested && !isSettled)
    return (
      <div
        id="look"
        class="line tight"
        role="status"
        data-refresh={pathWith(path, view)}
        data-refresh-ms="1500"
      >
        Checking… <a href={again}>Show the known facts</a>
      </div>
    );
  return (
    <State>
      {requested ? (
        <span role="status">
          Check finished. <a href={again}>Show the results</a>
        </span>
      ) : (
        <span>
          {checkedAt === null ? "Not checked yet." : <Time at={checkedAt} prefix="Checked " relative />}
        </span>
      )}
      <PostButton
        action={path}
        label={checkedAt === null && !requested ? "Check now" : "Check again"}
        fields={{ view: view.toString() }}
        variant="plain"
        small
      />
    </State>
  );
}

function State({ children }: { children: ComponentChildren }) {
  return (
    <div id="look" class="line tight">
      {children}
    </div>
  );
}
