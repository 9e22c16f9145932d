/** How a visit presents itself. Phishing pages show their content only to the visitors that they expect. */
export interface Visitor {
  name: VisitorName;
  userAgent: string;
  /** Value of Accept-Language. */
  languages: string;
  /** Page from which the visitor comes. */
  referrer?: string;
}

export type VisitorName = "desktop" | "iphone" | "android" | "webmail";

const iphoneUserAgent =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1";
const androidUserAgent =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36";
const searchEngine = "https://www.google.com/";
const webmail = "https://mail.google.com/";
/** Further languages in which a page that shows nothing is requested. */
const othersMax = 3;
const english = "en";
const anyLanguage = `${english};q=0.9,*;q=0.5`;

/**
 * Returns the visitors in the order in which they are tried, seven at most.
 * @param languages languages of the protected sites, the most important first, such as `de` or `pt-br`
 */
export function visitorsFor(languages: readonly string[] = []): Visitor[] {
  const [own = english, second = english, third = own, ...others] = valid(languages);
  const preferred = preferring(own);
  return [
    { name: "desktop", userAgent: browserUserAgent, languages: own === english ? anyLanguage : preferred },
    { name: "iphone", userAgent: iphoneUserAgent, languages: preferred },
    { name: "android", userAgent: androidUserAgent, languages: preferring(second), referrer: searchEngine },
    { name: "webmail", userAgent: browserUserAgent, languages: preferring(third), referrer: webmail },
    ...others.slice(0, othersMax).map((language): Visitor => {
      const preferredOther = preferring(language);
      return { name: "webmail", userAgent: browserUserAgent, languages: preferredOther, referrer: webmail };
    }),
  ];
}

/** Returns the visitor that differs from the first one in everything by which pages choose what they show. */
export function otherVisitor(languages: readonly string[] = []): Visitor {
  const [own = english] = valid(languages);
  return {
    name: "iphone",
    userAgent: iphoneUserAgent,
    languages: preferring(own),
    referrer: searchEngine,
  };
}

function valid(languages: readonly string[]): string[] {
  return languages.filter((language) => /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(language));
}

/** Returns the user agent of a kind of visitor. */
export function userAgentOf(name: VisitorName): string {
  if (name === "iphone") return iphoneUserAgent;
  return name === "android" ? androidUserAgent : browserUserAgent;
}

/** Spelled as browsers do: a language with its most common region first. */
function preferring(language: string): string {
  const [base = english] = language.toLowerCase().split("-");
  const first = base === english ? "en-US" : (new Intl.Locale(base).maximize().region ?? base.toUpperCase());
  const own = base === english ? first : `${base}-${first}`;
  return base === english ? `${own},en;q=0.9` : `${own},${base};q=0.9,en-US;q=0.8,en;q=0.7`;
}

/**
 * User agent for page requests, with and without a browser: a very common browser. Phishing pages show something
 * harmless to programs that identify themselves.
 */
export const browserUserAgent =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
