import { isAtOrBelow } from "../../../platform/lib/host-names.ts";

/** Cookies of one visit. Many sites redirect in a loop to visitors that return none. */
export interface CookieJar {
  /** Value of the Cookie header; undefined if there are none for this host. */
  headerFor(url: URL): string | undefined;
  /** @param header the Set-Cookie headers of a response, joined by commas */
  take(url: URL, header: string | undefined): void;
}

const cookiesMax = 50;
const cookieLengthMax = 4_096;
/** Length of the Set-Cookie headers of a response that is read, in characters. */
const headerLengthMax = 16_384;

export function createCookieJar(): CookieJar {
  /** By domain and name; the domain is that of the host, or one above it that the cookie names. */
  const cookies = new Map<string, { domain: string; isExact: boolean; pair: string }>();
  return {
    headerFor({ hostname }) {
      const sent = [...cookies.values()].filter(({ domain, isExact }) =>
        isExact ? hostname === domain : isAtOrBelow(hostname, domain),
      );
      return sent.length === 0 ? undefined : sent.map(({ pair }) => pair).join("; ");
    },
    take({ hostname }, header) {
      for (const cookie of separated(header ?? "")) {
        const [pair = "", ...attributes] = cookie.split(";").map((part) => part.trim());
        const name = pair.slice(0, pair.indexOf("="));
        if (name === "" || pair.length > cookieLengthMax || /[^\x20-\x7e]/.test(pair)) continue;
        const named = attributes.find((attribute) => /^domain=/i.test(attribute))?.slice("domain=".length);
        const domain = named?.replace(/^\./, "").toLowerCase();
        // A page may set cookies for its own domain only; a name without a dot is a top-level domain.
        const isAbove = domain !== undefined && domain.includes(".") && isAtOrBelow(hostname, domain);
        const key = `${isAbove ? domain : hostname}\n${name}`;
        if (cookies.size >= cookiesMax && !cookies.has(key)) continue;
        cookies.set(key, { domain: isAbove ? domain : hostname, isExact: !isAbove, pair });
      }
    },
  };
}

/** Repeated headers are joined by commas; a comma in a date is not followed by a name and an equals sign. */
function separated(header: string): string[] {
  return header === ""
    ? []
    : header.slice(0, headerLengthMax).split(/,\s{0,9}(?=[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}=)/);
}
