import type { Facts } from "../../enrichment/facts/facts.ts";
import { dayMs, toIsoTime, type Instant } from "../../lib/clock.ts";
import type { SeverityFacts } from "../../threats/severity/severity.ts";
import type { Registration } from "../../vocabulary/registration.ts";

const certificateDays = 90;

/** Returns the stored facts of a sample threat, which agree with the reasons for its severity. */
export function storedFacts({
  domain,
  protectedDomain,
  ipAddress,
  whois,
  evidence,
  checkedAt,
}: {
  domain: string;
  protectedDomain: string;
  ipAddress: string | null;
  whois: Registration;
  evidence: SeverityFacts;
  checkedAt: Instant;
}): Facts {
  if (evidence.exists !== "yes")
    return {
      existence: { exists: "no", addresses: [], mailServers: [], nameServers: [], wildcard: false },
      unknown: {},
    };
  const { page, parked } = evidence;
  return {
    existence: {
      exists: "yes",
      addresses: ipAddress === null ? [] : [ipAddress],
      mailServers: evidence.mail === true ? [`mx1.${domain}`] : [],
      nameServers: whois.name_servers ?? [],
      wildcard: false,
      ...(parked !== undefined && { parked }),
    },
    registration: whois,
    registrationAt: checkedAt,
    ...(page !== undefined && {
      page: {
        firstUrl: `https://${domain}/`,
        finalUrl: `https://${domain}/${page.asksForPassword ? "login" : ""}`,
        redirects: page.asksForPassword ? [`https://${domain}/login`] : [],
        status: 200,
        title: page.namesBrand ? `Sign in – ${protectedDomain}` : "Welcome",
        asksForPassword: page.asksForPassword,
        asksForCard: page.asksForCard,
        namesBrand: page.namesBrand,
        redirectsToProtected: page.redirectsToProtected,
        certificate: {
          issuer: "Sample CA R1",
          notBefore: toIsoTime(checkedAt - dayMs),
          notAfter: toIsoTime(checkedAt + (certificateDays - 1) * dayMs),
        },
      },
      pageAt: checkedAt,
      pageFailures: 0,
    }),
    unknown:
      page === undefined && ipAddress !== null && parked === undefined
        ? { page: "the server refuses the connection" }
        : {},
  };
}
