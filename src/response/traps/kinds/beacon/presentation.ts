import type { TrapPresentation } from "../../presentation.ts";
import { ownHosts, type Beacon, type BeaconDetails, type NewBeacon } from "./details.ts";
import { beaconSnippets } from "./snippets.ts";

export const beaconPresentation: TrapPresentation<NewBeacon, BeaconDetails> = {
  title: "Beacons",
  icon: "beacon",
  aliases: [],
  summary: "scripts that report when a copy of your page is shown elsewhere",
  lead: "A few bytes of script in your own pages that report when somebody shows a copy on another host.",
  emptyList: "No beacons yet.",
  exampleName: "sign-in",
  texts: {
    nameHint: "For example, sign-in. Default: the protected domain.",
    nameFlag: "name of the beacon (default: the protected domain)",
    memoHint: "What the beacon is for.",
    memoFlag: "what the beacon is for",
    show: "show a beacon with the code for the page",
    visits: "list where pages with the beacon were shown, newest first",
    enabled: "reports visits again",
    disabled: "no longer reports visits; its address returns 404",
    advanced: "With a Content-Security-Policy, or without scripts",
    deleting:
      "Its address will return 404, and its visits will be deleted. The threats and events that resulted from them are kept.",
  },
  create: {
    summary: "create a beacon for pages of a protected domain",
    details:
      "Prints the script element for the pages to standard output. It reports every host that shows a page, except the protected domain, hosts below it, and allowed hosts.",
    examples: [
      ["phishwatch beacons create example-bank.com --name sign-in > snippet.html", "for the sign-in page"],
      [
        "phishwatch beacons create example-bank.com --allow cdn.partner.example",
        "for a page that a partner shows too",
      ],
    ],
    lead: "Create one for each page or site that you want to tell apart.",
    done: "Beacon created. Put the script below into the page.",
  },
  fields: [
    {
      name: "domain",
      type: "protected_domain",
      label: "Protected domain",
      hint: "The page may be shown on this domain and on every host below it.",
      command: { argument: "domain" },
    },
    {
      name: "allow",
      type: "hosts",
      label: "Additional hosts that may show the page",
      hint: "One per line, including all hosts below them. The allowed names of the domain are always included.",
      command: {
        flag: "--allow <host>",
        description: "additional host that may show the pages, including all hosts below it",
      },
    },
  ],
  read: ({ domain, allow }) => ({
    protectedDomain: String(domain ?? ""),
    ...(Array.isArray(allow) ? { allow: allow.map(String) } : {}),
  }),
  columns: ({ protectedDomain }) => [
    { label: "Protected domain", value: { hosts: [protectedDomain!.domain] } },
  ],
  facts: (beacon) => [
    { label: "Protected domain", value: { hosts: [beacon.protectedDomain!.domain] } },
    { label: "May be shown on", value: { hosts: ownHosts(beacon) } },
  ],
  deployment(beacon, { url }) {
    const { script, style, scriptHash } = snippetsOf(beacon, url);
    return [
      {
        text: "Paste this script anywhere into the page. On your own hosts it sends no requests; it sets no cookies and does not delay loading.",
        snippet: script,
        label: "script",
      },
      {
        text: "If the page has a Content-Security-Policy, allow the script by its hash:",
        snippet: `script-src ${scriptHash}`,
        label: "policy",
        level: "advanced",
      },
      {
        text: "For pages without scripts, use this element. Every view requests its background image, including views by your own visitors, and only the Referer header identifies the page:",
        snippet: style,
        label: "element",
        level: "advanced",
      },
    ];
  },
  json(beacon, { url }) {
    const { script, style, scriptHash } = snippetsOf(beacon, url);
    return {
      protected_domain: beacon.protectedDomain!.domain,
      allow: beacon.details.allow,
      script,
      script_hash: scriptHash,
      style,
    };
  },
  visitColumns: ["page", "threat"],
  visitClasses: {
    foreign: "on a host that is not yours",
    own: "on your own hosts",
    unknown: "requested by a style sheet that did not say where it came from",
    translation_proxy: "through a translation service",
    web_archive: "in a web archive",
    search_cache: "in a search engine's cache",
    local_file: "a saved copy, opened from a disk",
    no_host: "without a host, as in data: or about:",
    local_network: "on localhost, a private address, or a name that public DNS does not have",
  },
};

function snippetsOf(beacon: Beacon, url: string) {
  return beaconSnippets(url, ownHosts(beacon));
}
