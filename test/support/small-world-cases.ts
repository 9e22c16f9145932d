/** Names in the small world with what they serve: each kind of look-alike of example-bank.com once. */
import { limited, ru } from "../facts/lookups/whois-texts.ts";
import type { Zones } from "./dns-server.ts";

// Global addresses that belong to no site: the anycast addresses of RFC 7723 and RFC 8155. The third belongs to a parking service.
export const webAddress = "192.0.0.9";
export const registryAddress = "192.0.0.10";
const parkingAddress = "64.190.62.22";
export const sites = [parkingAddress];

const web = { A: [webAddress], NS: ["ns1.host.test"] };
const registry = { A: [registryAddress] };

export const zones: Zones = {
  com: { NS: ["a.gtld-servers.net"] },
  "example-bank.com": { A: [webAddress] },
  "rdap.verisign.com": registry,
  "rdap.publicinterestregistry.org": registry,
  "whois.tcinet.ru": registry,
  "whois.denic.de": registry,
  "rdap.arin.net": registry,

  "examp1e-bank.com": web,
  "example-bank.net": { MX: [[10, "mx.host.test"]], NS: ["ns1.host.test"] },
  "example-bamk.com": web,
  "examplebank.com": web,
  "example-bank.org": { A: [parkingAddress], NS: ["ns1.sedoparking.com"] },
  "login-example-bank.com": web,
  "secure-example-bank.com": { A: [webAddress], NS: ["ns1.sinkhole.shadowserver.org"] },
  "exmaple-bank.com": { ...web, truncated: true },
  "example-bank.ru": { NS: ["ns1.dns.example"] },
  "example-bank.de": web,
  "example-bank-login.com": web,
  // Unknown: neither threats nor gone.
  "exampe-bank.com": { rcode: "SERVFAIL" },
  "example-banck.com": { referral: true },
  "example-bnk.com": { CNAME: "example-bnk.net" },
  "example-bnk.net": { CNAME: "example-bnk.com" },
  // Below a wildcard every name resolves, so none of them counts.
  "*.xyz": { A: [webAddress] },
  // No look-alikes.
  "unrelated.com": web,
};
export const planted = Object.keys(zones).slice(7, 18);

/** Response of the regional registry about the address of the pages. */
export const hostingNetwork = {
  objectClassName: "ip network",
  startAddress: "192.0.0.8",
  endAddress: "192.0.0.15",
  name: "SMALL-WORLD",
  entities: [
    { roles: ["abuse"], vcardArray: ["vcard", [["email", {}, "text", "abuse@small-host.example"]]] },
  ],
};

const signIn = `<title>Example Bank</title><body style="margin:0;font:20px sans-serif"><div style="height:120px;background:#036"></div>
  <form action="/login" method="post" style="margin:80px;width:400px;height:300px;background:#ccd"><h1>Example Bank</h1>
  <input name="user"><input type="password" name="password"></form></body>`;
const html = (body: string) => () =>
  new Response(body, { headers: { "content-type": "text/html; charset=utf-8" } });

export const pages: Record<string, (request: Request) => Response> = {
  "example-bank.com": html(signIn),
  "examp1e-bank.com": html(signIn),
  "example-bamk.com":
    html(`<title>Bread</title><h1>A bakery</h1><p>Rolls and loaves since 1902, in the old town.</p>
    <div style="float:right;width:600px;height:700px;background:#a31"></div>`),
  "examplebank.com": () => Response.redirect("http://example-bank.com/", 301),
  "example-bank.org": html("<title>example-bank.org</title><p>This domain is for sale</p>"),
  "exmaple-bank.com": html(
    "<title>Pay</title><form><input name=cardnumber placeholder='Card number'></form>",
  ),
  // Redirects the visitor into a private network, which must not be followed.
  "login-example-bank.com": () => Response.redirect("http://169.254.169.254/latest/meta-data/", 302),
  "example-bank.de": html("<title>Example Bank</title><p>Your Example Bank in Germany</p>"),
  // A sign-in page with an error status, which browsers ignore and simple crawlers do not.
  "example-bank-login.com": () =>
    new Response(signIn, { status: 404, headers: { "content-type": "text/html" } }),
};

/** Days since the registration; by default 400. */
export const ages: Record<string, number> = { "examp1e-bank.com": 1, "example-bamk.com": 3_000 };
/** Response of the registry instead of a record. */
export const faults: Record<string, () => Response> = {
  "login-example-bank.com": html("<h1>Our new portal</h1>"),
  "example-bank.org": () => new Response("", { status: 429, headers: { "retry-after": "3600" } }),
};

export function whoisAnswer(query: string): string {
  if (query === "example-bank.ru") return ru.replaceAll("EXAMPLE-BANC", "EXAMPLE-BANK");
  return limited["denic"]![0];
}
