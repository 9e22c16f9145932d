// Responses in the forms that registries publish, about invented names and organizations.

const icannNotice = `URL of the ICANN Whois Inaccuracy Complaint Form: https://www.icann.org/wicf/
>>> Last update of whois database: 2026-03-01T08:00:00Z <<<

For more information on Whois status codes, please visit https://icann.org/epp

NOTICE: The expiration date displayed in this record is the date the
registrar's sponsorship of the domain name registration in the registry is
currently set to expire.

TERMS OF USE: You are not authorized to access or query our Whois
database through the use of electronic processes that are high-volume and
automated. The Registry may restrict or terminate your access to the Whois
database for failure to abide by these terms of use, such as exceeding the
query rate limit.
`;

export const com = `   Domain Name: EXAMPLE-BANC.COM
   Registry Domain ID: 1234567890_DOMAIN_COM-VRSN
   Registrar WHOIS Server: whois.cheap-names.example
   Registrar URL: http://www.cheap-names.example
   Updated Date: 2026-02-11T10:00:02Z
   Creation Date: 2026-02-10T09:30:00Z
   Registry Expiry Date: 2027-02-10T09:30:00Z
   Registrar: Cheap Names, Inc.
   Registrar IANA ID: 4711
   Registrar Abuse Contact Email: abuse@cheap-names.example
   Registrar Abuse Contact Phone: +1.5555550100
   Domain Status: clientDeleteProhibited https://icann.org/epp#clientDeleteProhibited
   Domain Status: clientTransferProhibited https://icann.org/epp#clientTransferProhibited
   Name Server: NS2.CHEAP-DNS.EXAMPLE
   Name Server: NS1.CHEAP-DNS.EXAMPLE
   DNSSEC: unsigned
   ${icannNotice}`;

/** Response of a registrar: all data about the registrant, most of it redacted. */
export const registrar = `Domain Name: EXAMPLE-BANC.COM
Registry Domain ID: 1234567890_DOMAIN_COM-VRSN
Registrar WHOIS Server: whois.cheap-names.example
Registrar URL: http://www.cheap-names.example
Updated Date: 2026-02-11T10:00:02Z
Creation Date: 2026-02-10T09:30:00Z
Registrar Registration Expiration Date: 2027-02-10T09:30:00Z
Registrar: Cheap Names, Inc.
Registrar IANA ID: 4711
Domain Status: clientTransferProhibited http://www.icann.org/epp#clientTransferProhibited
Registry Registrant ID: Not Available From Registry
Registrant Name: REDACTED FOR PRIVACY
Registrant Organization: Harbour Holdings Ltd
Registrant Street:
Registrant State/Province: Reykjavik
Registrant Country: is
Registrant Email: https://www.cheap-names.example/contact?d=example-banc.com
Admin Organization: Somebody Else GmbH
Admin Country: DE
Tech Name:
Tech Email: tech@elsewhere.example
Name Server: NS1.CHEAP-DNS.EXAMPLE
Name Server: NS2.CHEAP-DNS.EXAMPLE
DNSSEC: unsigned
Registrar Abuse Contact Email: Abuse@Cheap-Names.example
Registrar Abuse Contact Phone: +1.5555550100
${icannNotice}`;

export const jp = `[ JPRS database provides information on network administration. Its use is    ]
[ restricted to network administration purposes.                               ]

Domain Information:
[Domain Name]                   EXAMPLE-BANC.JP

[Registrant]                    Taro Test

[Name Server]                   ns1.dns.example
[Name Server]                   ns2.dns.example
[Signing Key]                   

[Created on]                    2026/02/10
[Expires on]                    2027/02/28
[Status]                        Active
[Last Updated]                  2026/02/11 01:05:05 (JST)

Contact Information:
[Name]                          Whois Privacy Service
[Email]                         proxy@registrar.example
`;

export const coJp = `Domain Information: [ドメイン情報]
a. [Domain Name]                EXAMPLE-BANC.CO.JP
g. [Organization]               Example Banc Corporation
l. [Organization Type]          Corporation
m. [Administrative Contact]     XX1234JP
p. [Name Server]                ns1.dns.example
p. [Name Server]                ns2.dns.example
s. [Signing Key]                
[State]                         Connected (2027/03/31)
[Registered Date]               2026/03/11
[Connected Date]                2026/03/12
[Last Update]                   2026/04/01 01:02:03 (JST)
`;

export const uk = `
    Domain name:
        example-banc.co.uk

    Data validation:
        Nominet was able to match the registrant's name and address against a 3rd party data source on 10-Feb-2026

    Registrar:
        Cheap Names Limited t/a Cheap Names [Tag = CHEAP]
        URL: https://www.cheap-names.example

    Relevant dates:
        Registered on: 10-Feb-2026
        Expiry date:  10-Feb-2027
        Last updated:  11-Feb-2026

    Registration status:
        Registered until expiry date.

    Name servers:
        ns1.dns.example
        ns2.dns.example   192.0.2.7

    DNSSEC:
        Signed

    WHOIS lookup made at 09:00:00 01-Mar-2026

-- 
This WHOIS information is provided for free by Nominet UK the central registry
for .uk domain names. You may not access the .uk WHOIS or use any data from it
except as permitted by the terms of use, which includes restrictions on:
(A) use of the data for advertising, (B) obscuring, removing or hiding any or
all of this notice and (C) exceeding query rate or volume limits. The data is
provided on an 'as-is' basis. Access may be withdrawn or restricted at any time.
`;

export const fr = `%%
%% This is the AFNIC Whois server.
%%
%% complete date format: YYYY-MM-DDThh:mm:ssZ
%%

domain:                        example-banc.fr
status:                        ACTIVE
eppstatus:                     active
hold:                          NO
holder-c:                      EB1234-FRNIC
admin-c:                       EB1235-FRNIC
tech-c:                        CN99-FRNIC
registrar:                     CHEAP NAMES SAS
Expiry Date:                   2027-02-10T09:30:00Z
created:                       2026-02-10T09:30:00Z
last-update:                   2026-02-11T10:00:00Z
source:                        FRNIC

nserver:                       ns1.dns.example
nserver:                       ns2.dns.example [192.0.2.7]
source:                        FRNIC

registrar:                     CHEAP NAMES SAS
address:                       1 rue du Test
country:                       FR
phone:                         +33.123456789
registered:                    1999-01-01T00:00:00Z
source:                        FRNIC

nic-hdl:                       EB1234-FRNIC
type:                          ORGANIZATION
contact:                       Holding Exemple
country:                       FR
changed:                       2020-01-01T00:00:00Z
status:                        obsolete
source:                        FRNIC
`;

export const de = `% Restricted rights.
%
% Terms and Conditions of Use
%
% The above data may only be used within the scope of technical or
% administrative necessities of Internet operation or to remedy legal
% problems.

Domain: example-banc.de
Nserver: ns1.dns.example
Nserver: ns2.dns.example 192.0.2.7
Status: connect
Changed: 2026-02-11T10:00:00+01:00
`;

export const br = `% Copyright (c) Nic.br - Use of this data is governed by the Use and
% Privacy Policy at https://registro.br/upp . Distribution,
% commercialization, reproduction, and use for advertising or similar
% purposes are expressly prohibited.

domain:      example-banc.com.br
owner:       Exemplo Comércio Ltda
ownerid:     00.000.000/0001-00
country:     BR
owner-c:     EXBAN1
tech-c:      EXBAN1
nserver:     ns1.dns.example
nsstat:      20260301 AA
nslastaa:    20260301
nserver:     ns2.dns.example
dsrecord:    12345 ECDSA-SHA-256 AABBCC
created:     20260210 #12345678
changed:     20260211
expires:     20270210
status:      published

nic-hdl-br:  EXBAN1
person:      Fulano de Teste
created:     20010101
changed:     20050505
country:     PT

% Security and mail abuse issues should also be addressed to
% cert.br, http://www.cert.br/ , respectivelly to cert@cert.br
`;

export const ru = `% TCI Whois Service. Terms of use:
% https://tcinet.ru/documents/whois_ru_rf.pdf (in Russian)

domain:        EXAMPLE-BANC.RU
nserver:       ns1.dns.example.
nserver:       ns2.dns.example.
state:         REGISTERED, DELEGATED, VERIFIED
org:           Example Banc LLC
registrar:     CHEAP-RU
created:       2026-02-10T09:30:00Z
paid-till:     2027-02-10T09:30:00Z
source:        TCI

Last updated on 2026-03-01T08:01:30Z
`;

export const nl = `Domain name: example-banc.nl
Status:      active

Registrar:
   Cheap Names B.V.
   Teststraat 1
   1000AA AMSTERDAM
   Netherlands

Abuse Contact:
   +31.201234567
   abuse@cheap-names.example

Creation Date: 2026-02-10

Updated Date: 2026-02-11

DNSSEC:      yes

Domain nameservers:
   ns1.dns.example
   ns2.dns.example

Record maintained by: SIDN BV
`;

export const eu = `% The WHOIS service offered by EURid and the access to the records
% in the EURid WHOIS database are provided for information purposes
% only.

Domain: example-banc.eu
Script: LATIN

Registrant:
        NOT DISCLOSED!
        Visit www.eurid.eu for the web-based WHOIS.

Technical:
        Organisation: Somebody Else SA
        Language: en
        Email: tech@elsewhere.example

Registrar:
        Name: Cheap Names SA
        Website: https://www.cheap-names.example

Name servers:
        ns1.dns.example
        ns2.dns.example (192.0.2.7)

Keys:
        flags:KSK protocol:3 algorithm:ECDSAP256SHA256 pubKey:AAAA

Please visit www.eurid.eu for more info.
`;

export const it = `
*********************************************************************
* Please note that the following result could be a subgroup of      *
* the data contained in the database.                               *
*********************************************************************

Domain:             example-banc.it
Status:             ok
Signed:             no
Created:            2026-02-10 09:30:00
Last Update:        2026-02-11 00:10:00
Expire Date:        2027-02-10

Registrant
  Organization:     Esempio Srl
  Address:          Via della Prova 1
                    IT
  Created:          2019-05-05 10:00:00

Admin Contact
  Name:             Persona Prova
  Organization:     Altra Srl

Registrar
  Organization:     Cheap Names S.p.A.
  Name:             CHEAP-REG
  Web:              https://www.cheap-names.example
  DNSSEC:           no

Nameservers
  ns1.dns.example
  ns2.dns.example
`;

export const pl = `DOMAIN NAME:           example-banc.pl
registrant type:       organization
nameservers:           ns1.dns.example. [192.0.2.6]
                       ns2.dns.example. [192.0.2.7]
created:               2026.02.10 10:30:00
last modified:         2026.02.11 11:00:00
renewal date:          2027.02.10 10:30:00

no option

dnssec:                Unsigned

REGISTRAR:
Cheap Names Sp. z o.o.
ul. Testowa 1
00-000 Warszawa
Polska/Poland
+48.221234567

WHOIS database responses: https://dns.pl/en/whois
`;

export const cn = `Domain Name: example-banc.cn
ROID: 20260210s10001s12345678-cn
Domain Status: ok
Registrant: Ceshi Ltd
Registrant Contact Email: someone@elsewhere.example
Sponsoring Registrar: Cheap Names (Beijing)
Name Server: ns1.dns.example
Name Server: ns2.dns.example
Registration Time: 2026-02-10 17:30:00
Expiration Time: 2027-02-10 17:30:00
DNSSEC: unsigned
`;

export const tr = `** Domain Name: example-banc.com.tr
Domain Status: Active
Frozen Status: -

** Registrant:
   Hidden upon user request
   Hidden upon user request

** Registrar:
NIC Handle		: chp12
Organization Name	: Cheap Names A.S.
Address			: Deneme Sokak 1

** Domain Servers:
ns1.dns.example
ns2.dns.example 192.0.2.7

** Additional Info:
Created on..............: 2026-Feb-10.
Expires on..............: 2027-Feb-09.
`;

/** Responses of registries about an unregistered name: text and the queried name. */
export const unregistered: Record<string, [domain: string, text: string]> = {
  com: ["example-banc.com", `No match for domain "EXAMPLE-BANC.COM".\r\n${icannNotice}`],
  org: [
    "example-banc.org",
    "Domain not found.\n>>> Last update of WHOIS database: 2026-03-01T08:00:00Z <<<\n",
  ],
  uk: [
    "example-banc.uk",
    `
    No match for "example-banc.uk".

    This domain name has not been registered.

    WHOIS lookup made at 09:00:00 01-Mar-2026

-- 
This WHOIS information is provided for free by Nominet UK. You may not access it except as permitted, with
restrictions on (C) exceeding query rate or volume limits. Access may be withdrawn or restricted at any time.
`,
  ],
  fr: ["example-banc.fr", "%%\n%% This is the AFNIC Whois server.\n%%\n\n%% NOT FOUND\n"],
  de: ["example-banc.de", "Domain: example-banc.de\nStatus: free\n"],
  eu: [
    "example-banc.eu",
    "% The WHOIS service offered by EURid\n\nDomain: example-banc.eu\nScript: LATIN\n\nStatus: AVAILABLE\n",
  ],
  it: ["example-banc.it", "Domain:             example-banc.it\nStatus:             AVAILABLE\n"],
  nl: ["example-banc.nl", "example-banc.nl is free\n"],
  br: ["example-banc.com.br", "% Copyright (c) Nic.br\n\n% No match for example-banc.com.br\n"],
  jp: [
    "example-banc.jp",
    "[ JPRS database provides information on network administration. ]\n\nNo match!!\n\nWith JPRS WHOIS, you can query the following domain name information\n",
  ],
  ru: [
    "example-banc.ru",
    "% TCI Whois Service.\n\nNo entries found for the selected source(s).\n\nLast updated on 2026-03-01T08:01:30Z\n",
  ],
  pl: [
    "example-banc.pl",
    "No information available about domain name example-banc.pl in the Registry NASK database.\n",
  ],
  ch: ["example-banc.ch", "We do not have an entry in our database matching your query.\n"],
  at: ["example-banc.at", "% Copyright (c)2026 by NIC.AT\n\n% nothing found\n"],
  se: [
    "example-banc.se",
    '# Copyright (c) 1997- The Swedish Internet Foundation.\n\ndomain "example-banc.se" not found.\n',
  ],
  au: ["example-banc.com.au", "No Data Found\n>>> Last update of WHOIS database: 2026-03-01T08:00:00Z <<<\n"],
  cz: [
    "example-banc.cz",
    "%  (c) 2006-2026 CZ.NIC\n\n%ERROR:101: no entries found\n%\n% No entries found.\n",
  ],
  cn: ["example-banc.cn", "No matching record.\n"],
  ca: ["example-banc.ca", "Not found: example-banc.ca\n"],
  hk: ["example-banc.hk", "The domain has not been registered.\n"],
  tr: ["example-banc.com.tr", "** No match found for example-banc.com.tr\n"],
  be: ["example-banc.be", "% .be Whois Server 6.1\n\nDomain:\texample-banc.be\nStatus:\tAVAILABLE\n"],
  centralnic: ["example-banc.xyz", "The queried object does not exist: DOMAIN NOT FOUND\n"],
};

/** Responses of servers that limit queries. Several contain words of a negative response as well. */
export const limited: Record<string, [text: string, retryAfterMs: number | undefined]> = {
  pir: ["WHOIS LIMIT EXCEEDED - SEE WWW.PIR.ORG/WHOIS FOR DETAILS\n", undefined],
  denic: ["% Error: 55000000002 Connection refused; access control limit exceeded\n", undefined],
  nominet: [
    '\n    Error for "example-banc.uk".\n\n    the WHOIS query quota for 192.0.2.1 has been exceeded\n    and will be replenished in 93 seconds.\n\n    No match\n',
    93_000,
  ],
  afnic: ["%%\n%% This is the AFNIC Whois server.\n%%\n%% Too many requests...\n%% NOT FOUND\n", undefined],
  br: [
    "% Query rate limit exceeded. Reduced information.\n\n% No match for example-banc.com.br\n",
    undefined,
  ],
  eurid: ["-1: Still in grace period, wait 4 seconds\n", 4_000],
  switch: [
    "Requests of this client are not permitted. Please use https://www.nic.ch/whois/ for queries.\n",
    undefined,
  ],
  nask: ["request limit exceeded\n", undefined],
  registro: ["Your connection limit exceeded. Please slow down and try again later.\nNot found\n", undefined],
  busy: ["Domain not found? Server is busy now, please try again later.\n", undefined],
  quota: [
    "Excessive querying, maximum number of queries per hour exceeded. Try again in 5 minutes\nNo match\n",
    300_000,
  ],
  blocked: ["You have been blacklisted: no entries found\n", undefined],
};
