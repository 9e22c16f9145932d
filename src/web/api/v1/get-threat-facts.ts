import { jsonFields } from "../../../platform/lib/key-names.ts";
import { Type } from "@sinclair/typebox";
import { factsJson, inspectionJson } from "../../../facts/enrichment/facts/facts-json.ts";
import { originsJson } from "../../../threats/threats/origins-json.ts";
import { reasonsJson } from "../../../threats/threats/reasons-json.ts";
import { registrationSources } from "../../../platform/vocabulary/site.ts";
import { choice, closed, orNull, threatFields, time } from "../../../platform/vocabulary/schemas.ts";
import { threatSources } from "../../../platform/vocabulary/threats.ts";
import { notFound } from "../../../platform/lib/errors.ts";
import { findThreat } from "./get-threat.ts";
import example from "./get-threat-facts.example.json" with { type: "json" };
import { operation } from "./services.ts";

const text = (description: string) => Type.String({ description });
const texts = (description: string) => Type.Array(Type.String(), { description });

const dns = Type.Object(
  {
    exists: choice(["yes", "no"], { description: "Whether the name exists in DNS." }),
    addresses: texts("IP addresses."),
    mail_servers: texts("Names of the mail servers."),
    name_servers: texts("Names of the name servers."),
    canonical_name: orNull(text("Target of its CNAME.")),
    parked: orNull(text("Parking service.")),
    sinkholed: orNull(text("Operator of the sinkhole.")),
    wildcard: Type.Boolean({ description: "Whether every name below its parent resolves to the same." }),
  },
  { ...closed, description: "Facts from DNS." },
);

const pageCertificate = Type.Object(
  {
    issuer: text("Issuer."),
    not_before: text("Start of its validity."),
    not_after: text("End of its validity."),
    fault: orNull(text("Why browsers reject it.")),
  },
  { ...closed, description: "Certificate with which the page was served." },
);

const page = Type.Object(
  {
    final_url: text("Address after all redirects."),
    redirects: texts("Addresses before it."),
    status: Type.Integer({ description: "HTTP status." }),
    title: text("Title of the page, chosen by its author."),
    asks_for_password: Type.Boolean(),
    asks_for_card: Type.Boolean(),
    names_brand: Type.Boolean(),
    redirects_to_protected: Type.Boolean(),
    parked: orNull(text("Parking service.")),
    certificate: orNull(pageCertificate),
    favicon_hash: orNull(text("Hash of its icon.")),
  },
  { ...closed, description: "The page under the name." },
);

const inspectionSignal = Type.Object(
  {
    code: text("Stable code of the signal."),
    points: Type.Number({
      description: "Contribution to the score, in log-odds; negative: it speaks against an imitation.",
    }),
    text: text("Text of the observation."),
  },
  { ...closed, description: "An observation that contributes to the score." },
);

const inspection = Type.Object(
  {
    protected_domain: threatFields.protected_domain,
    imitates: Type.Boolean({ description: "Whether the page imitates the protected site." }),
    score: Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Estimated probability that the page imitates the protected site.",
    }),
    original: orNull(text("Address of your page that it resembles most.")),
    signals: Type.Array(inspectionSignal, { description: "The largest contribution first." }),
    inspected_at: orNull(time("When the page was fetched.")),
  },
  { ...closed, description: "Latest comparison of the page with the protected site." },
);

const network = Type.Object(
  {
    addresses: texts("Addresses of the name that belong to the network."),
    first_address: text("First address of the network."),
    last_address: text("Last address of the network."),
    name: orNull(text("Name of the network.")),
    organization: orNull(text("Organization that holds it.")),
    country: orNull(text("Its country, as ISO 3166-1 code.")),
    asn: orNull(Type.Integer({ description: "Number of the autonomous system that announces it." })),
    abuse_email: orNull(text("Address of its abuse desk.")),
    abuse_phone: orNull(text("Phone number of its abuse desk.")),
    source: choice(registrationSources, { description: "Protocol of the source." }),
    source_url: text("URL of the response; for WHOIS, the server."),
    looked_up_at: time("When the source was queried."),
  },
  { ...closed, description: "Network of one or more addresses of the name, from its regional registry." },
);

const certificate = Type.Object(
  {
    issuer: orNull(text("Distinguished name of the issuer.")),
    serial: orNull(text("Serial number, hexadecimal.")),
    not_before: orNull(time("Start of its validity.")),
    log: text("Certificate log."),
    index: Type.Integer({ minimum: 0, description: "Index of the entry in the log." }),
    entry_url: text("Address at which the log serves the entry."),
    verified: Type.Boolean({ description: "False for a name that no signature of the log covers." }),
    seen_at: time("When the log received it."),
  },
  { ...closed, description: "A certificate that contains the name." },
);

const namedAddress = Type.Object(
  {
    url: text("The address. It may be dangerous to open."),
    source: choice(threatSources, { description: "Source that named it." }),
    seen_at: time("When the source named it."),
  },
  { ...closed, description: "An address under which a source named the threat." },
);

const schema = Type.Object(
  {
    verified: Type.Boolean({ description: "Whether anything but the name is known." }),
    reasons: texts("Reasons for the similarity."),
    reason_codes: texts("Stable code of each of these reasons."),
    severity_summary: text(
      "The decisive reasons for the severity in a few words, as the console and messages show them.",
    ),
    severity_reasons: texts("Reasons for the severity."),
    severity_reason_codes: texts("Stable code of each of these reasons."),
    looked_at: orNull(time("When facts were last looked up.")),
    next_look_at: orNull(time("When they are due to be looked up again.")),
    dns: orNull(dns),
    page: orNull(page),
    inspection: orNull(inspection),
    networks: orNull(Type.Array(network, { description: "Networks that host the name." })),
    visual_similarity: orNull(
      Type.Number({ description: "Similarity of the screenshot with that of the protected page, 0 to 1." }),
    ),
    unknown: Type.Record(Type.String(), Type.String(), {
      description: "Why the last lookup of a fact failed, by fact.",
    }),
    certificates: Type.Array(certificate, { description: "Newest first." }),
    urls: Type.Array(namedAddress, { description: "Newest first." }),
  },
  { ...closed, $id: "ThreatFacts", description: "The facts that were found about a threat." },
);

export const getThreatFacts = operation({
  method: "GET",
  path: "/v1/threats/{id}/facts",
  id: "getThreatFacts",
  tag: "Threats",
  scope: "threats:read",
  summary: "Get the facts about a threat",
  description:
    "Returns the facts that lookups and sources found, with times and reasons. The registration data is in the threat itself.",
  params: { id: threatFields.id },
  response: {
    description: "The facts.",
    schema: Type.Object({ data: schema }, closed),
    example: { data: example },
  },
  notFound: true,
  run(services, { caller, params }) {
    const { id } = findThreat(services, caller, params["id"]);
    const threat = services.threats.get(id);
    if (threat === undefined) throw notFound("There is no threat with this ID.");
    const known = services.factsOf(id);
    return {
      data: {
        verified: threat.verified,
        ...reasonsJson(threat),
        ...jsonFields({ lookedAt: known?.checkedAt, nextLookAt: known?.dueAt }),
        ...factsJson(known?.facts ?? { unknown: {} }),
        inspection: inspectionJson(known?.facts ?? {}),
        ...originsJson(services.threats.origins(id)),
      },
    };
  },
});
