import { addressParts, isFileKind, isKnown, siteOf } from "../measures/addresses.ts";
import type { RequestedData } from "../measures/requested-data.ts";
import type { BrandReading } from "./brand-reading.ts";
import { partOf, type Measure, type Measures } from "./signal-rule.ts";

/** Links that lead nowhere, from which on they are a pattern. */
const deadLinksDoubt = 3;
const scriptExtensions = new Set(["php", "asp", "aspx", "cgi", "jsp", "pl"]);

export const requestMeasures = {
  asks_password: asks("password"),
  asks_card: asks("card"),
  asks_code: asks("code"),
  asks_identity: asks("identity"),
  asks_seed_phrase: asks("seed_phrase"),
  asks_account: ({ forms }) => {
    const asked = new Set(forms.flatMap(({ asksFor }) => asksFor));
    return asked.has("account") && asked.size === 1 ? { strength: 1 } : undefined;
  },
  sends_elsewhere: (page, brand) => {
    const target = page.forms.find(
      ({ to, asksFor }) =>
        asksFor.length > 0 && to !== undefined && siteOf(to.host) !== page.site && !brand.isOwnHost(to.host),
    );
    if (target === undefined) return undefined;
    // Newsletters are often run by others.
    const isAccountOnly = target.asksFor.every((data) => data === "account");
    return { strength: isAccountOnly ? 0.3 : 1, params: { host: target.to!.host } };
  },
  sends_to_collector: ({ forms, print }) => {
    const targets = [
      ...forms.flatMap(({ to }) => to ?? []),
      ...print.scriptAddresses.flatMap((address) => addressParts(address) ?? []),
    ];
    const found = targets.find((target) => isKnown("collector", target));
    return found === undefined ? undefined : { strength: 1, params: { host: found.host } };
  },
  sends_to_mailer: (page, brand) => {
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
  kit_files: (page) => {
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
  dead_links: ({ print: { deadLinks }, links }) => {
    const live = links.reduce((total, { count }) => total + count, 0);
    const all = deadLinks + live;
    return { strength: partOf(deadLinks, all, deadLinksDoubt), params: { dead: deadLinks, all } };
  },
} satisfies Measures;

function postsTo(brand: BrandReading, path: string): boolean {
  return brand.originals.some(({ print }) =>
    print.forms.some(({ action }) => addressParts(action)?.path === path),
  );
}

function asks(data: RequestedData): Measure {
  return ({ forms }) => (forms.some(({ asksFor }) => asksFor.includes(data)) ? { strength: 1 } : undefined);
}
