import type { ComponentChildren } from "preact";
import { hasPage, type Facts as KnownFacts } from "../../../enrichment/facts/facts.ts";
import type { EnabledLookups } from "../../../enrichment/plan.ts";
import type { Origins } from "../../../threats/store/origins.ts";
import type { Threat } from "../../../threats/store/queries.ts";
import { Facts, Time } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { Text } from "../../kit/name.tsx";

type Row = readonly [string, ComponentChildren];

export interface FactsProps {
  threat: Threat;
  facts: KnownFacts | undefined;
  enabledLookups: Pick<EnabledLookups, "names" | "registration">;
}

const listedMax = 6;
const listedCharactersMax = 120;
const valueCharactersMax = 160;

export function DnsFacts({ facts, enabledLookups }: FactsProps) {
  const { existence, unknown } = facts ?? {};
  if (existence === undefined)
    return <Absent why={whyUnknown(enabledLookups.names, unknown?.existence, "lookups.enabled is off")} />;
  const { exists, addresses, mailServers, nameServers, canonicalName, parked, sinkholed, wildcard } =
    existence;
  return (
    <>
      <Facts
        facts={[
          ["In DNS", exists],
          ["Addresses", <Texts texts={addresses} none="none: the domain has no server" />],
          ["Mail servers", <Texts texts={mailServers} none="none: the domain receives no mail" />],
          ["Name servers", <Texts texts={nameServers} none="none" />],
          ...optional("CNAME", canonicalName),
          ...optional("Parked with", parked),
          ...optional("Sinkhole", sinkholed),
          ...(wildcard
            ? [["Wildcard", "every name below its parent resolves to the same records"] as Row]
            : []),
        ]}
      />
      <Failed why={unknown?.existence} />
    </>
  );
}

const registrationNames: Record<string, string> = {
  registrar: "Registrar",
  registrar_iana_id: "IANA ID",
  created_at: "Registered",
  updated_at: "Updated",
  expires_at: "Expires",
  registrant_organization: "Registrant",
  registrant_country: "Country",
  name_servers: "Name servers",
  status: "Status",
  dnssec: "DNSSEC",
  abuse_email: "Abuse address",
  abuse_phone: "Abuse phone",
  source: "Source",
  fetched_at: "Fetched",
};

export function RegistrationFacts({ threat, facts, enabledLookups }: FactsProps) {
  const { whois } = threat;
  const known = Object.entries(registrationNames).filter(([key]) => key in whois);
  const failure = facts?.unknown.registration;
  if (known.length === 0)
    return (
      <Absent
        why={
          facts?.existence?.exists === "no" && failure === undefined
            ? "The domain is not in DNS, so its registration was not looked up."
            : whyUnknown(
                enabledLookups.registration,
                failure,
                enabledLookups.names ? "scan.registration_data is off" : "lookups.enabled is off",
              )
        }
      />
    );
  return (
    <>
      <Facts
        facts={known.map(([key, name]): Row => [name, registrationValue(whois[key as keyof typeof whois])])}
      />
      <Failed why={failure} />
    </>
  );
}

function registrationValue(value: unknown): ComponentChildren {
  if (Array.isArray(value)) return <Texts texts={value.map(String)} none="none" />;
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = String(value);
  const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? <Text text={text} charactersMax={valueCharactersMax} /> : <When at={at} />;
}

export function PageFacts({ facts, enabledLookups }: FactsProps) {
  const { page, pageAt, unknown } = facts ?? {};
  if (page === undefined) return <Absent why={whyNoPage(facts, enabledLookups)} />;
  const asks = [page.asksForPassword ? "a password" : "", page.asksForCard ? "a card number" : ""].filter(
    Boolean,
  );
  const rows: Row[] = [
    ["Address", <Text text={page.finalUrl} charactersMax={400} />],
    ...(page.redirects.length === 0 ? [] : [["Redirects", <Texts texts={page.redirects} none="" />] as Row]),
    ["Status", page.status],
    ["Title", page.title === "" ? "none" : <Text text={page.title} />],
  ];
  if (hasPage(facts!))
    rows.push(
      ["Asks for", asks.length === 0 ? "no secrets" : <strong>{asks.join(" and ")}</strong>],
      ["Names the brand", page.namesBrand ? "yes" : "no"],
      ["Redirects to your domain", page.redirectsToProtected ? "yes" : "no"],
    );
  rows.push(
    ...optional("Parked", page.parked),
    ...optional("Favicon hash", page.faviconHash),
    ...(pageAt === undefined ? [] : [["Fetched", <When at={pageAt} />] as Row]),
  );
  return (
    <>
      <Facts facts={rows} />
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
        ["Valid from", registrationValue(notBefore)],
        ["Valid until", registrationValue(notAfter)],
        ["Validation", fault === undefined ? "valid" : <Text text={`browsers warn: ${fault}`} />],
      ]}
    />
  );
}

/** Certificates of certificate logs that contain the name. */
export function LoggedCertificates({ certificates }: Pick<Origins, "certificates">) {
  if (certificates.length === 0) return null;
  const more = certificates.length - listedMax;
  return (
    <>
      <h3>In certificate logs</h3>
      <ul class="plain">
        {certificates.slice(0, listedMax).map((certificate) => (
          <li>
            <LoggedCertificate {...certificate} />
          </li>
        ))}
        {more > 0 ? <li>and {more} older ones</li> : null}
      </ul>
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
          {notBefore === null ? null : (
            <>
              , valid from <Time at={notBefore} />
            </>
          )}
          :{" "}
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

/** Addresses under which sources named the threat, as text: nobody should open one by mistake. */
export function NamedAddresses({ urls }: Pick<Origins, "urls">) {
  if (urls.length === 0) return null;
  const more = urls.length - listedMax;
  return (
    <>
      <h3>Addresses that sources named</h3>
      <ul class="plain">
        {urls.slice(0, listedMax).map(({ url, seenAt }) => (
          <li>
            <code>
              <Text text={url} charactersMax={400} />
            </code>
            , <Time at={seenAt} relative />
          </li>
        ))}
        {more > 0 ? <li>and {more} older ones</li> : null}
      </ul>
    </>
  );
}

function whyNoPage(
  facts: KnownFacts | undefined,
  { names }: FactsProps["enabledLookups"],
): ComponentChildren {
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
  return whyUnknown(names, undefined, "lookups.enabled is off");
}

/** Explains why a fact is missing: its lookup is disabled, has not run yet, or failed. */
function whyUnknown(isEnabled: boolean, failure: string | undefined, off: string): ComponentChildren {
  if (!isEnabled) return `Not looked up: ${off} in the configuration.`;
  if (failure === undefined) return "Not looked up yet.";
  return (
    <>
      Lookup failed: <Text text={failure} />.
    </>
  );
}

export function Absent({ why }: { why: ComponentChildren }) {
  return <p class="absent">{why}</p>;
}

function Failed({ why }: { why: string | undefined }) {
  if (why === undefined) return null;
  return (
    <p class="hint">
      The last lookup failed, so these facts are from an earlier one: <Text text={why} />.
    </p>
  );
}

function Texts({ texts, none }: { texts: readonly string[]; none: string }) {
  if (texts.length === 0) return <>{none}</>;
  const more = texts.length - listedMax;
  return (
    <ul class="plain">
      {texts.slice(0, listedMax).map((text) => (
        <li>
          <Text text={text} charactersMax={listedCharactersMax} />
        </li>
      ))}
      {more > 0 ? <li>and {more} more</li> : null}
    </ul>
  );
}

/** A time, with how long ago it was. */
export function When({ at }: { at: number }) {
  return (
    <>
      <Time at={at} />{" "}
      <span class="hint">
        (<Time at={at} relative="due" />)
      </span>
    </>
  );
}

function optional(name: string, text: string | undefined): Row[] {
  return text === undefined ? [] : [[name, <Text text={text} />]];
}
