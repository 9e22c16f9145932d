import { linesOfList, listText } from "../../../platform/lib/lists/list-texts.ts";
import embeddedText from "./data/rdap-services.txt" with { type: "text" };
import { lazy } from "../../../platform/lib/startup.ts";
import { fieldsOf, parseJson } from "../../../platform/lib/json.ts";
import type { NetworkNeeds } from "../../../platform/network/http/needs.ts";

/** Maps suffixes to RDAP services. */
export type RdapServices = ReturnType<typeof rdapServices>;

export interface Bootstrap {
  publication: string | undefined;
  /** Pairs of suffix and base URL. */
  services: [suffix: string, url: string][];
}

const servicesMax = 20_000;
const suffixForm = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){0,3}$/;

/** Returns the list of the data update, else the embedded one. It is used until a more recent one has been downloaded. */
export function embeddedRdapServices(): RdapServices {
  return rdapServices(parseServiceLines(listText("rdap_services", embeddedText)));
}

/** Parses lines with the URL of a service and its suffixes. */
export function parseServiceLines(text: string): [suffix: string, url: string][] {
  return linesOfList(text).flatMap((line) => {
    const [url = "", ...suffixes] = line.split(" ");
    return suffixes.map((suffix): [string, string] => [suffix, url]);
  });
}

export function rdapServices(pairs: Iterable<readonly [suffix: string, url: string]>) {
  const bySuffix = new Map(pairs);
  return {
    /** Returns the base URL, with a trailing slash, for the longest suffix of `domain` that has a service. */
    serviceFor: (domain: string) => findBySuffix(bySuffix, domain),
  };
}

/** Returns what is known for the longest suffix of a domain, over whole labels (RFC 9224 §4). */
export function findBySuffix(known: ReadonlyMap<string, string>, domain: string): string | undefined {
  let found: string | undefined;
  for (let at = domain.indexOf("."); at !== -1 && found === undefined; at = domain.indexOf(".", at + 1))
    found = known.get(domain.slice(at + 1));
  return found;
}

/** Parses IANA's registry file (RFC 9224 §3). Invalid entries are skipped; a file without valid entries is an error. */
export function parseBootstrap(json: string): Bootstrap | { error: string } {
  const file = parseJson(json);
  if (file === undefined) return { error: "not JSON" };
  const entries: unknown = Array.isArray(file) ? file : fieldsOf(file)["services"];
  if (!Array.isArray(entries)) return { error: "no list of services" };
  const services: [string, string][] = [];
  for (const entry of entries as unknown[]) {
    if (services.length >= servicesMax) break;
    if (!Array.isArray(entry)) continue;
    const [suffixes, urls] = entry as [unknown, unknown];
    const url = Array.isArray(urls) ? preferred(urls) : undefined;
    if (url === undefined || !Array.isArray(suffixes)) continue;
    for (const suffix of suffixes as unknown[]) {
      if (typeof suffix !== "string" || !suffixForm.test(suffix.toLowerCase())) continue;
      services.push([suffix.toLowerCase(), url]);
    }
  }
  if (services.length === 0) return { error: "no services" };
  const { publication } = file as { publication?: unknown };
  const dated = typeof publication === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(publication);
  return { publication: dated ? publication : undefined, services: services.slice(0, servicesMax) };
}

/** Prefers HTTPS (RFC 9224 §3). */
function preferred(urls: unknown[]): string | undefined {
  const usable = urls.filter(
    (url): url is string => typeof url === "string" && /^https?:\/\/[^\s]+$/.test(url),
  );
  const url = usable.find((candidate) => candidate.startsWith("https:")) ?? usable[0];
  if (url === undefined || !URL.canParse(url)) return undefined;
  return url.endsWith("/") ? url : `${url}/`;
}

export const ianaBootstrapUrl = "https://data.iana.org/rdap/dns.json";
const refreshedKeepMs = 7 * 86_400_000;
const retryAfterMs = 86_400_000;
/** Several times the length of the list. */
const listBytesMax = 256 * 1024;
/** A list that is much shorter than the embedded one is taken as an error. */
const suffixesMin = 500;

/**
 * Finds RDAP services in IANA's current list, or in the embedded copy if that cannot be downloaded.
 * @param url URL of IANA's list; undefined: use the embedded list only.
 */
export function createRdapDirectory({
  client,
  clock,
  url,
  userAgent,
  timeoutMs,
}: NetworkNeeds<"client" | "clock" | "userAgent"> & { url: string | undefined; timeoutMs: number }) {
  const embedded = lazy(embeddedRdapServices);
  let refreshed: RdapServices | undefined;
  /** In monotonic milliseconds; undefined before the first refresh. */
  let nextRefreshAtMs: number | undefined;
  let refreshing: Promise<void> | undefined;

  async function refresh(from: string): Promise<void> {
    const result = await client.send({
      url: from,
      headers: { Accept: "application/json", "User-Agent": userAgent },
      timeoutMs,
      bodyBytesMax: listBytesMax,
    });
    nextRefreshAtMs = clock.monotonicMs() + retryAfterMs;
    if (!("response" in result) || result.response.status !== 200 || result.response.cut) return;
    const list = parseBootstrap(new TextDecoder().decode(result.response.body));
    if ("error" in list || list.services.length < suffixesMin) return;
    refreshed = rdapServices(list.services);
    nextRefreshAtMs = clock.monotonicMs() + refreshedKeepMs;
  }

  return {
    async serviceFor(domain: string) {
      if (url !== undefined && (nextRefreshAtMs === undefined || clock.monotonicMs() >= nextRefreshAtMs)) {
        refreshing ??= refresh(url).finally(() => (refreshing = undefined));
        await refreshing;
      }
      return (refreshed ?? embedded()).serviceFor(domain);
    },
  };
}
