import type { ComponentChildren } from "preact";
import { hasPage, type Facts as ThreatFacts } from "../../../../facts/enrichment/facts/facts.ts";
import type { Origins } from "../../../../threats/threats/store/origins.ts";
import type { EnabledLookups } from "../../../../facts/enrichment/plan.ts";
import type { HostField } from "../../../../threats/index/columns/hosts.ts";
import type { Threat } from "../../../../threats/threats/store/queries.ts";
import { seenAs } from "../../inspection-kit/page-pair.tsx";
import { Address } from "../../inspection-kit/verdict.tsx";
import { Facts, Time, type Fact } from "../../kit/components.tsx";
import { List } from "../../kit/table.tsx";
import { StateMark, Text } from "../../kit/inline.tsx";
import { hostParameters, listPath } from "../../threat-kit/filters.ts";

export function PageFacts({ facts, enabledLookups }: FactsProps) {
  const { page, unknown } = facts ?? {};
  if (page === undefined) return <Absent why={whyNoPage(facts, enabledLookups)} />;
  const asks = [page.asksForPassword ? "a password" : "", page.asksForCard ? "a card number" : ""].filter(
    Boolean,
  );
  const isShown = hasPage(facts!);
  return (
    <>
      <Facts
        facts={[
          ["Address", <Text text={page.finalUrl} charactersMax={400} />],
          page.redirects.length > 0 && ["Redirects", <Texts texts={page.redirects} none="" />],
          ["Status", page.status],
          ["Title", page.title === "" ? "none" : <Text text={page.title} />],
          isShown && ["Asks for", asks.length === 0 ? "no secrets" : <strong>{asks.join(" and ")}</strong>],
          isShown && ["Names the brand", page.namesBrand ? "yes" : "no"],
          isShown && ["Redirects to you", page.redirectsToProtected ? "yes" : "no"],
          optional("Shown", seenAs(page)),
          optional("Parked", page.parked),
          optional("Favicon hash", page.faviconHash),
        ]}
      />
      <Failed why={unknown?.page} />
    </>
  );
}

export function CertificateFacts({ facts, enabledLookups }: FactsProps) {
  const certificate = facts?.page?.certificate;
  if (certificate === undefined)
    return (
      <Absent
        why={
          facts?.page === undefined
            ? whyNoPage(facts, enabledLookups)
            : "The page was served without TLS, so there is no certificate."
        }
      />
    );
  const { issuer, notBefore, notAfter, fault } = certificate;
  return (
    <Facts
      facts={[
        ["Issuer", <Text text={issuer} />],
        ["Valid from", factValue(notBefore)],
        ["Valid until", factValue(notAfter)],
        ["Validation", fault === undefined ? "valid" : <Text text={`browsers warn: ${fault}`} />],
      ]}
    />
  );
}

/** Certificates of certificate logs that contain the name. */
export function LoggedCertificates({ certificates }: Pick<Origins, "certificates">) {
  if (certificates.length === 0) return null;
  return (
    <>
      <h3 class="after">In certificate logs</h3>
      <List
        class="s gap-s stack"
        items={certificates.map((certificate) => (
          <LoggedCertificate {...certificate} />
        ))}
        max={listedMax}
        others="older ones"
      />
    </>
  );
}

function LoggedCertificate(certificate: Origins["certificates"][number]) {
  const { issuer, serial, notBefore, log, entryUrl, index, isVerified, seenAt } = certificate;
  return (
    <>
      {issuer === "" ? null : (
        <>
          <Text text={issuer} charactersMax={listedCharactersMax} />, serial <code>{serial}</code>
          <Time at={notBefore} prefix=", valid from " />:{" "}
        </>
      )}
      <a href={entryUrl} rel="noopener noreferrer">
        entry {index}
      </a>{" "}
      of <Text text={log} charactersMax={listedCharactersMax} />, <Time at={seenAt} relative />
      {isVerified ? null : (
        <>
          {" "}
          <span title="The log does not sign its list of names.">
            <StateMark tone="neutral">unverified</StateMark>
          </span>
        </>
      )}
    </>
  );
}

/** Addresses under which sources named the threat, defanged, so that they are not opened by mistake. */
export function NamedAddresses({ urls }: Pick<Origins, "urls">) {
  if (urls.length === 0) return null;
  return (
    <>
      <h3 class="after">Addresses that sources named</h3>
      <List
        class="s gap-s stack"
        items={urls.map(({ url, seenAt }) => [
          <Address address={url} />,
          <Time at={seenAt} prefix=", " relative />,
        ])}
        max={listedMax}
        others="older ones"
      />
    </>
  );
}

function whyNoPage(facts: FactsProps["facts"], { names }: FactsProps["enabledLookups"]): ComponentChildren {
  const { existence, unknown } = facts ?? {};
  if (existence?.exists === "no") return "The domain is not in DNS, so there is no page.";
  if (existence !== undefined && existence.addresses.length === 0)
    return "The domain has no server, so there is no page.";
  if (unknown?.page !== undefined)
    return (
      <>
        No page could be fetched: <Text text={unknown.page} />.
      </>
    );
  return whyUnknown(names, undefined, "lookups.enabled is false");
}

export interface FactsProps {
  threat: Threat;
  facts: ThreatFacts | undefined;
  enabledLookups: EnabledLookups;
}

/** Number of entries of a list that are shown. */
const listedMax = 6;
const listedCharactersMax = 120;
const valueCharactersMax = 160;

/** Explains why a fact is missing: its lookup is disabled, has not run yet, or failed. */
export function whyUnknown(isEnabled: boolean, failure: string | undefined, off: string): ComponentChildren {
  if (!isEnabled) return `Not looked up: ${off} in the configuration.`;
  if (failure === undefined) return "Not looked up yet.";
  return (
    <>
      Lookup failed: <Text text={failure} />.
    </>
  );
}

export function Absent({ why }: { why: ComponentChildren }) {
  return <p class="quiet s">{why}</p>;
}

export function Failed({ why }: { why: string | undefined }) {
  if (why === undefined) return null;
  return (
    <p class="faint xs">
      The last lookup failed, so these facts are from an earlier one: <Text text={why} />.
    </p>
  );
}

export function Texts({ texts, none }: { texts: readonly string[]; none: string }) {
  if (texts.length === 0) return <>{none}</>;
  return (
    <List
      class="plain"
      items={texts.map((text) => (
        <Text text={text} charactersMax={listedCharactersMax} />
      ))}
      max={listedMax}
    />
  );
}

/** A time, with how long ago it was. */
function When({ at }: { at: number }) {
  return (
    <>
      <Time at={at} />,{" "}
      <span class="faint">
        <Time at={at} relative="due" />
      </span>
    </>
  );
}

/** A host with a link to the threats that share it. */
export function sharedHost(name: string, field: HostField, host: string | null): Fact {
  if (host === null) return false;
  const text = <Text text={host} charactersMax={valueCharactersMax} />;
  if (host.length > valueCharactersMax) return [name, text];
  const view = new URLSearchParams({ status: "all", [hostParameters[field]]: host });
  return [
    name,
    <a href={listPath(view)} title="Show all threats that share it">
      {text}
    </a>,
  ];
}

export function optional(name: string, text: string | undefined): Fact {
  return text !== undefined && [name, <Text text={text} />];
}

/** Renders a value of registration data or a certificate; times with how long ago they were. */
export function factValue(value: unknown): ComponentChildren {
  if (Array.isArray(value)) return <Texts texts={value.map(String)} none="none" />;
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = String(value);
  const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? <Text text={text} charactersMax={valueCharactersMax} /> : <When at={at} />;
}
