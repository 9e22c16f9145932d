// Responses in the form of RFC 9083 and of the response profile of gTLD registries, about invented names.

const card = (...properties: unknown[]) => ["vcard", [["version", {}, "text", "4.0"], ...properties]];

const registrarEntity = {
  objectClassName: "entity",
  handle: "4711",
  roles: ["registrar"],
  publicIds: [{ type: "IANA Registrar ID", identifier: "4711" }],
  vcardArray: card(["fn", {}, "text", "Cheap Names, Inc."]),
  entities: [
    {
      objectClassName: "entity",
      roles: ["abuse"],
      vcardArray: card(
        ["fn", {}, "text", ""],
        ["tel", { type: "fax" }, "uri", "tel:+1.5555550199"],
        ["tel", { type: "voice" }, "uri", "tel:+1.5555550100"],
        ["email", {}, "text", "Abuse@Cheap-Names.example"],
      ),
    },
  ],
};

const events = [
  { eventAction: "registration", eventDate: "2026-02-10T09:30:00Z" },
  { eventAction: "expiration", eventDate: "2027-02-10T09:30:00Z" },
  { eventAction: "last changed", eventDate: "2026-02-11T11:00:02+01:00" },
  { eventAction: "last update of RDAP database", eventDate: "2026-03-01T08:00:00Z" },
];

/** Response of a thin registry: no registrant, and a link to the registrar's service. */
export function thin(related: string) {
  return {
    objectClassName: "domain",
    handle: "1234567890_DOMAIN_COM-VRSN",
    ldhName: "EXAMPLE-BANC.COM",
    links: [
      {
        value: "https://rdap.example/com/v1/domain/EXAMPLE-BANC.COM",
        rel: "self",
        href: "https://rdap.example/x",
        type: "application/rdap+json",
      },
      {
        value: "https://www.cheap-names.example",
        rel: "related",
        href: "https://www.cheap-names.example",
        type: "text/html",
      },
      { value: related, rel: "related", href: related, type: "application/rdap+json" },
    ],
    status: ["client delete prohibited", "client transfer prohibited", "active"],
    entities: [registrarEntity],
    events,
    secureDNS: { delegationSigned: false },
    nameservers: [
      { objectClassName: "nameserver", ldhName: "NS2.CHEAP-DNS.EXAMPLE" },
      { objectClassName: "nameserver", ldhName: "NS1.CHEAP-DNS.EXAMPLE" },
    ],
    rdapConformance: ["rdap_level_0", "icann_rdap_technical_implementation_guide_0"],
    notices: [{ title: "Terms of Use", description: ["Service subject to Terms of Use."] }],
  };
}

/** Response of a registrar: the registrant, most of it redacted, and a different date. */
export function full() {
  return {
    ...thin("https://nowhere.example/"),
    ldhName: "example-banc.com",
    links: [],
    events: [...events, { eventAction: "registrar expiration", eventDate: "2030-01-01T00:00:00Z" }],
    entities: [
      {
        objectClassName: "entity",
        roles: ["registrant"],
        vcardArray: card(
          ["fn", {}, "text", "REDACTED FOR PRIVACY"],
          ["org", {}, "text", "Harbour Holdings Ltd"],
          ["adr", { cc: "is" }, "text", ["", "", "", "Reykjavik", "", "", ""]],
          ["email", {}, "text", "owner@elsewhere.example"],
        ),
      },
      {
        objectClassName: "entity",
        roles: ["technical", "administrative"],
        vcardArray: card(["org", {}, "text", "Somebody Else"]),
      },
      registrarEntity,
    ],
  };
}

export const notFound = {
  errorCode: 404,
  title: "Not Found",
  description: ["Object not found"],
  rdapConformance: ["rdap_level_0"],
};
