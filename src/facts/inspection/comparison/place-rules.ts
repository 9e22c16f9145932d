import { addressParts, isIpAddress, isKnown, siteOf } from "../measures/addresses.ts";
import type { SignalRule } from "./signal-rule.ts";

/** Age in days from which on a certificate says nothing: kits are rarely used for longer. */
const certificateDaysMax = 14;
const brandLinksDoubt = 2;
const brandFilesDoubt = 1;

const passwordForm = {
  action: "https://page.example/",
  method: "post" as const,
  fields: [{ type: "password", autocomplete: "", descriptions: [] }],
};

export const placeRules: SignalRule[] = [
  {
    code: "links_to_brand",
    group: "identity",
    measures: "Share of the links that lead to the brand's own pages, times n / (n + 2) for n of them.",
    source: "Mohammad, Thabtah, McCluskey, An assessment of features related to phishing websites, 2012",
    measure: (page, brand) => {
      const own = page.links.filter(({ to }) => brand.isOwnPage(to.host)).length;
      const all = page.links.length;
      return all === 0
        ? undefined
        : { strength: (own / all) * (own / (own + brandLinksDoubt)), params: { own, all } };
    },
    keeps: {
      page: {
        links: ["terms", "help", "security", "cards"].map((path) => `https://examplebank.example/${path}`),
      },
    },
    drops: {
      page: {
        links: ["https://examplebank.example/", ..."abcdefghijkl"].map((path) =>
          path.length > 1 ? path : `https://page.example/${path}`,
        ),
      },
    },
  },
  {
    code: "files_from_brand",
    group: "identity",
    measures:
      "Share of its pictures and style sheets that it loads from hosts from which the originals load theirs, times n / (n + 1) for n of them.",
    measure: (page, brand) => {
      const files = page.resources.filter(({ kind }) => kind === "picture" || kind === "style");
      const own = files.filter(({ from }) => brand.isOwnHost(from.host)).length;
      return files.length === 0
        ? undefined
        : {
            strength: (own / files.length) * (own / (own + brandFilesDoubt)),
            params: { own, all: files.length },
          };
    },
    keeps: {
      page: { resources: ["a.png", "b.css"].map((file) => picture(`https://examplebank.example/${file}`)) },
    },
    drops: { page: { resources: ["a.png", "b.css"].map((file) => picture(`https://page.example/${file}`)) } },
  },
  {
    code: "brand_in_address",
    group: "place",
    measures:
      "A name of the brand is a word of the path, the query or the labels of a host name that is not the brand's: 1.",
    measure: ({ addressWords }, { names }) => (names.count(addressWords) > 0 ? { strength: 1 } : undefined),
    keeps: { page: { addresses: ["https://florist.example/examplebank/login"] } },
    drops: { page: { addresses: ["https://florist.example/shop"] } },
  },
  {
    code: "email_of_brand",
    group: "place",
    measures:
      "The address as it was requested contains an email address at the protected domain, plain or in Base64, as links to kits for mailboxes do: 1; 0.2 if the page asks for no password, as newsletters have such links, too.",
    measure: ({ forms, print, seen }, brand) => {
      const domain = brand.brand.protectedDomain;
      const isForMailbox = forms.some(({ asksFor }) => asksFor.includes("password"));
      return spelledOut(seen.requested ?? print.address).some((text) => text.includes(`@${domain}`))
        ? { strength: isForMailbox ? 1 : 0.2, params: { domain } }
        : undefined;
    },
    keeps: {
      page: { forms: [passwordForm] },
      seen: { requested: `https://page.example/#${btoa("ann@examplebank.example")}` },
    },
    drops: { seen: { requested: "https://page.example/#ann@florist.example" } },
  },
  {
    code: "free_hosting",
    group: "place",
    measures:
      "It is on a hosting service on which anyone can put a page at once: the private section of the Public Suffix List, and a list.",
    source: "https://publicsuffix.org",
    measure: ({ at, hosted }) =>
      hosted || isKnown("hosting", at) ? { strength: 1, params: { host: at.host } } : undefined,
    keeps: { page: { addresses: ["https://eb-secure.pages.dev/"] } },
    drops: { page: { addresses: ["https://florist.example/"] } },
  },
  {
    code: "ip_address",
    group: "place",
    measures: "The address has an IP address instead of a name.",
    measure: ({ at }) => (isIpAddress(at.host) ? { strength: 1 } : undefined),
    keeps: { page: { addresses: ["http://192.0.2.7/login"] } },
    drops: { page: { addresses: ["https://florist.example/login"] } },
  },
  {
    code: "young_certificate",
    group: "place",
    measures: "Its certificate is new: 1 − days / 14. A certificate that browsers reject counts as new.",
    measure: ({ seen: { certificate } }) => {
      if (certificate === undefined) return undefined;
      const { ageDays, isFaulty } = certificate;
      return {
        strength: isFaulty ? 1 : Math.max(0, 1 - Math.max(0, ageDays) / certificateDaysMax),
        params: { days: Math.floor(ageDays) },
      };
    },
    keeps: { seen: { certificate: { ageDays: 2, isFaulty: false } } },
    drops: { seen: { certificate: { ageDays: 60, isFaulty: false } } },
  },
  {
    code: "redirected",
    group: "place",
    measures: "The visit began on another site: 1 for a service that shortens addresses, otherwise 0.5.",
    measure: ({ print, site }) => {
      const others = print.redirects
        .flatMap((address) => addressParts(address) ?? [])
        .filter(({ host }) => siteOf(host) !== site);
      if (others.length === 0) return undefined;
      return {
        strength: others.some((at) => isKnown("short", at)) ? 1 : 0.5,
        params: { host: others[0]!.host },
      };
    },
    keeps: { page: { addresses: ["https://bit.ly/x", "https://page.example/login"] } },
    drops: { page: { addresses: ["http://page.example/", "https://page.example/login"] } },
  },
  {
    code: "hidden_markup",
    group: "place",
    measures: "The content is decoded by a script from a string, so that filters do not find it.",
    measure: ({ print }) => (print.from === "scripts" ? { strength: 1 } : undefined),
    keeps: { page: { from: "scripts" } },
    drops: { page: { from: "markup" } },
  },
];

/** Returns an address in the spellings that scripts of kits understand. */
function spelledOut(address: string): string[] {
  const texts = [address.toLowerCase()];
  try {
    texts.push(decodeURIComponent(address).toLowerCase());
  } catch {
    // A percent sign that is no escape leaves the address as it is.
  }
  for (const [part] of address.matchAll(/[A-Za-z0-9+_-]{12,400}/g))
    texts.push(Buffer.from(part, "base64url").toString("latin1").toLowerCase());
  return texts;
}

function picture(url: string) {
  return { kind: "picture" as const, url };
}
