import { addressParts, isFileKind, isKnown, siteOf } from "../measures/addresses.ts";
import type { RequestedData } from "../measures/requested-data.ts";
import type { BrandReading } from "./brand-reading.ts";
import type { PageReading } from "./page-reading.ts";
import type { SignalRule } from "./signal-rule.ts";

/** Links that lead nowhere, from which on they are a pattern. */
const deadLinksDoubt = 3;
const scriptExtensions = new Set(["php", "asp", "aspx", "cgi", "jsp", "pl"]);

export const requestRules: SignalRule[] = [
  asks("password", "asks_password", "a password", { name: "passwd", type: "password" }),
  asks("card", "asks_card", "a payment card", { name: "card number", type: "text" }),
  asks("code", "asks_code", "a one-time code or a PIN", { name: "SMS code", type: "text" }),
  asks("identity", "asks_identity", "personal data such as a date of birth or an account number", {
    name: "date of birth",
    type: "text",
  }),
  asks("seed_phrase", "asks_seed_phrase", "the recovery phrase of a wallet", {
    name: "recovery phrase",
    type: "text",
  }),
  {
    code: "asks_account",
    group: "request",
    measures:
      "A form requests a user name, an email address or a phone number and nothing secret, as the first step of a sign-in does.",
    measure: ({ forms }) => {
      const asked = new Set(forms.flatMap(({ asksFor }) => asksFor));
      return asked.has("account") && asked.size === 1 ? { strength: 1 } : undefined;
    },
    keeps: { page: { forms: [form("https://page.example/", [{ type: "email", name: "email" }])] } },
    drops: { page: { forms: [form("https://page.example/", [{ type: "search", name: "q" }])] } },
  },
  {
    code: "sends_elsewhere",
    group: "request",
    measures:
      "A form that requests data is sent to a site that is neither the page's nor the brand's: 1; 0.3 if it requests no more than a name or an address.",
    measure: (page, brand) => {
      const target = page.forms.find(
        ({ to, asksFor }) =>
          asksFor.length > 0 &&
          to !== undefined &&
          siteOf(to.host) !== page.site &&
          !brand.isOwnHost(to.host),
      );
      if (target === undefined) return undefined;
      // Newsletters are often run by others.
      const isAccountOnly = target.asksFor.every((data) => data === "account");
      return { strength: isAccountOnly ? 0.3 : 1, params: { host: target.to!.host } };
    },
    keeps: { page: { forms: [form("https://collector.example/in")] } },
    drops: { page: { forms: [form("https://page.example/in")] } },
  },
  {
    code: "sends_to_collector",
    group: "request",
    measures:
      "A form or a script names a service that passes on what it is sent to anyone: bots of Telegram and Discord, form services, webhook testers.",
    measure: ({ forms, print }) => {
      const targets = [
        ...forms.flatMap(({ to }) => to ?? []),
        ...print.scriptAddresses.flatMap((address) => addressParts(address) ?? []),
      ];
      const found = targets.find((target) => isKnown("collector", target));
      return found === undefined ? undefined : { strength: 1, params: { host: found.host } };
    },
    keeps: { page: { scriptAddresses: ["https://api.telegram.org/bot1:a/sendMessage"] } },
    drops: { page: { scriptAddresses: ["https://page.example/api"] } },
  },
  {
    code: "sends_to_mailer",
    group: "request",
    measures:
      "A form that requests data is sent to a script with a name that kits use, such as “send.php”, and that no original has.",
    measure: (page, brand) => {
      const target = page.forms.find(
        ({ to, asksFor }) =>
          asksFor.length > 0 &&
          to !== undefined &&
          scriptExtensions.has(to.extension) &&
          isFileKind("mailer", to.file) &&
          !postsTo(brand, to.path),
      );
      return target === undefined ? undefined : { strength: 1, params: { path: target.to!.path } };
    },
    keeps: { page: { forms: [form("https://page.example/x/send2.php")] } },
    drops: { page: { forms: [form("https://page.example/session")] } },
  },
  {
    code: "kit_files",
    group: "request",
    measures:
      "Addresses of its files, links or scripts contain the name of a file of a known kit, such as “antibots.php”.",
    measure: (page) => {
      const parts = [
        ...page.resources.map(({ from }) => from),
        ...page.links.map(({ to }) => to),
        ...page.print.scriptAddresses.flatMap((address) => addressParts(address) ?? []),
      ].find(
        ({ file, extension, host }) =>
          siteOf(host) === page.site && scriptExtensions.has(extension) && isFileKind("kit", file),
      );
      return parts === undefined ? undefined : { strength: 1, params: { path: parts.path } };
    },
    keeps: { page: { resources: [{ kind: "script", url: "https://page.example/a/antibots.php" }] } },
    drops: { page: { resources: [{ kind: "script", url: "https://page.example/a/app.js" }] } },
  },
  {
    code: "dead_links",
    group: "request",
    measures: "Share of the links that lead nowhere (to the page itself), times n / (n + 3) for n of them.",
    source: "Mohammad, Thabtah, McCluskey, An assessment of features related to phishing websites, 2012",
    measure: ({ print: { deadLinks }, links }) => {
      const live = links.reduce((total, { count }) => total + count, 0);
      const all = deadLinks + live;
      return all === 0
        ? undefined
        : {
            strength: (deadLinks / all) * (deadLinks / (deadLinks + deadLinksDoubt)),
            params: { dead: deadLinks, all },
          };
    },
    keeps: { page: { links: Array.from({ length: 8 }, () => "https://page.example/login#") } },
    drops: { page: { links: ["https://page.example/help", "https://page.example/terms"] } },
  },
];

function postsTo(brand: BrandReading, path: string): boolean {
  return brand.originals.some(({ print }) =>
    print.forms.some(({ action }) => addressParts(action)?.path === path),
  );
}

function asks(
  data: RequestedData,
  code: string,
  words: string,
  field: { name: string; type: string },
): SignalRule {
  return {
    code,
    group: "request",
    measures: `A form requests ${words}.`,
    measure: ({ forms }: PageReading) =>
      forms.some(({ asksFor }) => asksFor.includes(data)) ? { strength: 1 } : undefined,
    keeps: { page: { forms: [form("https://page.example/", [field])] } },
    drops: { page: { forms: [form("https://page.example/", [{ type: "search", name: "q" }])] } },
  };
}

function form(action: string, fields = [{ type: "password", name: "password" }]) {
  return {
    action,
    method: "post" as const,
    fields: fields.map(({ type, name }) => ({ type, autocomplete: "", descriptions: [name] })),
  };
}
