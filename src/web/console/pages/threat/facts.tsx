import type { ComponentChildren } from "preact";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { networkName, type Facts as KnownFacts } from "../../../../facts/enrichment/facts/facts.ts";
import { hostsOf } from "../../../../threats/index/columns/hosts.ts";
import type { Origins } from "../../../../threats/threats/store/origins.ts";
import { Card, Facts, Time, type Fact } from "../../kit/components.tsx";
import { inWords, Text } from "../../kit/inline.tsx";
import type { LoadedThreat } from "./load.ts";
import registrationNames from "./registration-names.json" with { type: "json" };
import {
  Absent,
  Failed,
  factValue,
  type FactsProps,
  optional,
  sharedHost,
  Texts,
  whyUnknown,
  CertificateFacts,
  LoggedCertificates,
  NamedAddresses,
  PageFacts,
} from "./page-facts.tsx";

/** Registration, DNS, page and certificate. */
export function FactCards({ origins, ...props }: FactsProps & { origins: Origins }) {
  const { facts } = props;
  return (
    <div class="cols cols-2 late">
      <FactCard title="Registration" at={facts?.registrationAt}>
        <RegistrationFacts {...props} />
      </FactCard>
      <Card title="DNS">
        <DnsFacts {...props} />
      </Card>
      <FactCard title="Page" at={facts?.pageAt}>
        <PageFacts {...props} />
        <NamedAddresses {...origins} />
      </FactCard>
      <Card title="Certificate">
        <CertificateFacts {...props} />
        <LoggedCertificates {...origins} />
      </Card>
    </div>
  );
}

function FactCard(props: {
  title: string;
  /** When these facts were determined. */
  at: Instant | undefined;
  children: ComponentChildren;
}) {
  const { title, at, children } = props;
  return (
    <Card
      title={title}
      aside={
        at === undefined ? null : (
          <span class="faint">
            <Time at={at} relative />
          </span>
        )
      }
    >
      {children}
    </Card>
  );
}

function DnsFacts({ threat, facts, enabledLookups }: FactsProps) {
  const { existence, unknown } = facts ?? {};
  if (existence === undefined)
    return <Absent why={whyUnknown(enabledLookups.names, unknown?.existence, "lookups.enabled is false")} />;
  const { exists, addresses, mailServers, nameServers, canonicalName, parked, sinkholed, wildcard } =
    existence;
  const hosts = hostsOf(threat);
  return (
    <>
      <Facts
        facts={[
          ["In DNS", exists],
          ["Addresses", <Texts texts={addresses} none="none: the domain has no server" />],
          sharedHost("Network", "network", hosts.network),
          ...hostingRows(facts),
          ["Mail servers", <Texts texts={mailServers} none="none: the domain receives no mail" />],
          ["Name servers", <Texts texts={nameServers} none="none" />],
          sharedHost("DNS operator", "nameServers", hosts.nameServers),
          optional("CNAME", canonicalName),
          optional("Parked with", parked),
          optional("Sinkhole", sinkholed),
          wildcard && ["Wildcard", "every name below its parent resolves to the same records"],
        ]}
      />
      <Failed why={unknown?.existence} />
    </>
  );
}

/** Returns who hosts the addresses of the name, each with its abuse address and the source. */
function hostingRows(
  { networks, unknown }: Pick<KnownFacts, "networks" | "unknown"> = { unknown: {} },
): Fact[] {
  if (networks === undefined && unknown.networks !== undefined)
    return [
      [
        "Hosting",
        <>
          unknown: <Text text={unknown.networks} />
        </>,
      ],
    ];
  return (networks ?? []).map((network): Fact => [
    "Hosting",
    <>
      <Text text={networkName(network)} charactersMax={120} />
      {network.country === undefined ? null : (
        <>
          {" "}
          (<Text text={network.country} charactersMax={20} />)
        </>
      )}
      <Text text={network.abuseEmail} prefix=", " />, from {network.source === "rdap" ? "RDAP" : "WHOIS"} of
      the address, <Time at={network.at} relative />
    </>,
  ]);
}

function RegistrationFacts({ threat, facts, enabledLookups }: FactsProps) {
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
                enabledLookups.names ? "scan.registration_data is off" : "lookups.enabled is false",
              )
        }
      />
    );
  return (
    <>
      <Facts
        facts={known.map(([key, name]) =>
          key === "registrar"
            ? sharedHost(name, "registrar", whois.registrar ?? null)
            : [name, factValue(whois[key as keyof typeof whois])],
        )}
      />
      <Failed why={failure} />
    </>
  );
}

/** The facts that the panel shows, in a few words. */
export function ShortFacts({ known, threat }: LoadedThreat) {
  const { existence, page, registration } = known?.facts ?? {};
  const hosts = hostsOf(threat);
  const rows: [string, string | undefined | null][] = [
    ["Title", page?.title],
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
        ...rows.map(([name, text]): Fact => [name, text ? <Text text={text} charactersMax={80} /> : null]),
        ["First seen", <Time at={threat.firstSeen} relative />],
      ]}
    />
  );
}
