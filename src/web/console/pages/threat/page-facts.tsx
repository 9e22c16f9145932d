import type { ComponentChildren } from "preact";
import { hasPage } from "../../../../facts/enrichment/facts/facts.ts";
import type { Origins } from "../../../../threats/threats/store/origins.ts";
import { seenAs } from "../../inspection-kit/seen-as.ts";
import { Address } from "../../inspection-kit/verdict.tsx";
import { Facts, Time } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { Text } from "../../kit/name.tsx";
import {
  Absent,
  Failed,
  factValue,
  type FactsProps,
  listedCharactersMax,
  listedMax,
  optional,
  type Row,
  Texts,
  whyUnknown,
} from "./fact-values.tsx";

export function PageFacts({ facts, enabledLookups }: FactsProps) {
  const { page, unknown } = facts ?? {};
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
      ["Redirects to you", page.redirectsToProtected ? "yes" : "no"],
    );
  rows.push(
    ...optional("Shown", seenAs(page)),
    ...optional("Parked", page.parked),
    ...optional("Favicon hash", page.faviconHash),
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
  const more = certificates.length - listedMax;
  return (
    <>
      <h3 class="after">In certificate logs</h3>
      <ul class="s gap-s stack">
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

/** Addresses under which sources named the threat, defanged: nobody should open one by mistake. */
export function NamedAddresses({ urls }: Pick<Origins, "urls">) {
  if (urls.length === 0) return null;
  const more = urls.length - listedMax;
  return (
    <>
      <h3 class="after">Addresses that sources named</h3>
      <ul class="s gap-s stack">
        {urls.slice(0, listedMax).map(({ url, seenAt }) => (
          <li>
            <Address address={url} />, <Time at={seenAt} relative />
          </li>
        ))}
        {more > 0 ? <li>and {more} older ones</li> : null}
      </ul>
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
