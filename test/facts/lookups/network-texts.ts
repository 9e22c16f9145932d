// Responses in the form of the five regional registries (RFC 9083 and their extensions), about invented networks.

const card = (...properties: unknown[]) => ["vcard", [["version", {}, "text", "4.0"], ...properties]];

/** ARIN: the contact is nested in the entity of the organization, and the originating systems are an extension. */
export const arin = {
  rdapConformance: ["nro_rdap_profile_0", "rdap_level_0", "cidr0", "arin_originas0"],
  objectClassName: "ip network",
  handle: "NET-104-152-0-0-1",
  startAddress: "104.152.0.0",
  endAddress: "104.152.7.255",
  ipVersion: "v4",
  name: "EXAMPLE-HOST",
  parentHandle: "NET-104-0-0-0-0",
  cidr0_cidrs: [{ v4prefix: "104.152.0.0", length: 21 }],
  arin_originas0_originautnums: [64501],
  entities: [
    {
      objectClassName: "entity",
      handle: "EXH-7",
      roles: ["registrant"],
      vcardArray: card(
        ["fn", {}, "text", "Example Host LLC"],
        ["adr", { label: "1 Main Street\nUnited States" }, "text", ["", "", "", "", "", "", ""]],
        ["email", {}, "text", "owner@example-host.example"],
      ),
      entities: [
        {
          objectClassName: "entity",
          roles: ["technical"],
          vcardArray: card(["email", {}, "text", "noc@example-host.example"]),
        },
        {
          objectClassName: "entity",
          handle: "ABUSE123-ARIN",
          roles: ["abuse"],
          vcardArray: card(
            ["fn", {}, "text", "Abuse Desk"],
            ["email", {}, "text", "abuse@example-host.example"],
            ["tel", { type: ["work", "voice"] }, "text", "+1-555-555-0100"],
          ),
        },
      ],
    },
  ],
};

/** RIPE NCC: the contact of `abuse-c` is an entity of the network. */
export const ripe = {
  objectClassName: "ip network",
  handle: "185.12.64.0 - 185.12.67.255",
  startAddress: "185.12.64.0",
  endAddress: "185.12.67.255",
  ipVersion: "v4",
  name: "DE-BEISPIEL-20120801",
  type: "ALLOCATED PA",
  country: "DE",
  entities: [
    {
      handle: "ORG-BH1-RIPE",
      roles: ["registrant"],
      vcardArray: card(["fn", {}, "text", "Beispiel Hosting GmbH"], ["kind", {}, "text", "org"]),
    },
    {
      handle: "BEISPIEL-MNT",
      roles: ["technical"],
      vcardArray: card(["email", {}, "text", "technik@beispiel-hosting.example"]),
    },
    {
      handle: "AR1234-RIPE",
      roles: ["abuse"],
      vcardArray: card(
        ["fn", {}, "text", "Abuse contact role object"],
        ["email", { type: "abuse" }, "text", "missbrauch@beispiel-hosting.example"],
      ),
    },
  ],
};

/** APNIC: the holder is a remark, and the entity of the incident response team may list no address. */
export const apnic = {
  objectClassName: "ip network",
  startAddress: "103.20.4.0",
  endAddress: "103.20.7.255",
  ipVersion: "v4",
  name: "EXAMPLENET-AP",
  type: "ALLOCATED PORTABLE",
  country: "SG",
  entities: [{ handle: "IRT-EXAMPLENET-SG", objectClassName: "entity", roles: ["abuse"] }],
  remarks: [
    { title: "description", description: ["Examplenet Pte Ltd", "Singapore"] },
    {
      title: "remarks",
      description: ["For spam and abuse issues", "write to net-abuse@examplenet.example only"],
    },
  ],
};

/** LACNIC: the abuse contact is nested in the registrant, and the autonomous system is a text of an extension. */
export const lacnic = {
  objectClassName: "ip network",
  handle: "179.60.128.0/22",
  startAddress: "179.60.128.0",
  endAddress: "179.60.131.255",
  ipVersion: "v4",
  type: "DIRECT ALLOCATION",
  status: ["active"],
  lacnic_originAutnum: ["AS64502"],
  lacnic_legalRepresentative: "Persona",
  entities: [
    {
      objectClassName: "entity",
      handle: "CL-EHSA-LACNIC",
      roles: ["registrant"],
      vcardArray: card(
        ["fn", {}, "text", "Ejemplo Hosting S.A."],
        ["adr", {}, "text", ["", "", "Calle 1", "Santiago", "", "", "CL"]],
      ),
      entities: [
        {
          objectClassName: "entity",
          roles: ["abuse"],
          vcardArray: card(["email", { type: "work" }, "text", "abuso@ejemplo-hosting.example"]),
        },
      ],
    },
  ],
};

/** AFRINIC: remarks only. */
export const afrinic = {
  objectClassName: "ip network",
  startAddress: "2c0f:f000::",
  endAddress: "2c0f:f000:ffff:ffff:ffff:ffff:ffff:ffff",
  ipVersion: "v6",
  name: "EXAMPLE-ZA",
  country: "ZA",
  entities: [],
  remarks: [{ description: ["Example Cape Hosting", "Abuse reports: reports@cape-hosting.example"] }],
};

export const whoisArin = `
#
# ARIN WHOIS data and services are subject to the Terms of Use
#

NetRange:       104.0.0.0 - 104.255.255.255
CIDR:           104.0.0.0/8
NetName:        NET104
Organization:   American Registry for Internet Numbers (ARIN)

NetRange:       104.152.0.0 - 104.152.7.255
CIDR:           104.152.0.0/21
NetName:        EXAMPLE-HOST
OriginAS:       AS64501
Organization:   Example Host LLC (EXH-7)


OrgName:        Example Host LLC
Country:        US

OrgTechEmail:   noc@example-host.example

OrgAbuseHandle: ABUSE123-ARIN
OrgAbusePhone:  +1-555-555-0100
OrgAbuseEmail:  abuse@example-host.example
`;

export const whoisRipe = `% This is the RIPE Database query service.
% The objects are in RPSL format.

% Information related to '185.12.64.0 - 185.12.67.255'

% Abuse contact for '185.12.64.0 - 185.12.67.255' is 'missbrauch@beispiel-hosting.example'

inetnum:        185.12.64.0 - 185.12.67.255
netname:        DE-BEISPIEL-20120801
country:        DE
org:            ORG-BH1-RIPE
admin-c:        BH1-RIPE

organisation:   ORG-BH1-RIPE
org-name:       Beispiel Hosting GmbH
e-mail:         buero@beispiel-hosting.example
`;

export const whoisApnic = `% [whois.apnic.net]

inetnum:        103.20.4.0 - 103.20.7.255
netname:        EXAMPLENET-AP
descr:          Examplenet Pte Ltd
country:        SG
mnt-irt:        IRT-EXAMPLENET-SG

irt:            IRT-EXAMPLENET-SG
e-mail:         noc@examplenet.example
abuse-mailbox:  net-abuse@examplenet.example
`;

export const whoisLacnic = `% Joint Whois - whois.lacnic.net

inetnum:     179.60.128/22
status:      assigned
aut-num:     AS64502
owner:       Ejemplo Hosting S.A.
country:     CL
owner-c:     DUE
tech-c:      TEC
abuse-c:     ABU

nic-hdl:     DUE
person:      Persona
e-mail:      persona@ejemplo-hosting.example

nic-hdl:     ABU
person:      Equipo
e-mail:      abuso@ejemplo-hosting.example
`;

export const whoisAfrinic = `% This is the AfriNIC Whois server.

inet6num:       2c0f:f000::/32
netname:        EXAMPLE-ZA
descr:          Example Cape Hosting
country:        ZA
remarks:        Abuse reports: reports@cape-hosting.example
`;
