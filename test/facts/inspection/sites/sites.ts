import { brandKinds, drawLogo, makeCompany, type Company } from "./companies.ts";
import { copyClasses, makeCopy } from "./copies.ts";
import { diceFrom, type Dice } from "./dice.ts";
import { pngOf } from "./drawing.ts";
import { allowedName, harmlessClasses, makeHarmless } from "./harmless.ts";
import { assetsOf, origin, pageOf, pathOf, type PageRole } from "./pages.ts";
import { responder, type Content, type Site } from "./site.ts";
import { skinNames, type SkinName } from "./skins.ts";
import { languages } from "./words.ts";

export type { Site } from "./site.ts";

export type Half = "tuning" | "reporting";

export interface ProtectedBrand {
  protectedDomain: string;
  /** Brand keywords, as a user would enter them, and the name of the site. */
  names: string[];
  allow: string[];
  /** Addresses of the pages that are likely to be imitated. */
  pages: string[];
  /** The logo as a raster image, as a user would add it. */
  logo?: () => Uint8Array<ArrayBuffer>;
}

/** Numbers of brands of each half; those in between belong to both. Brands 0 to 17 are only for tuning. */
const brandsOf: Record<Half, [first: number, end: number]> = { tuning: [0, 30], reporting: [18, 48] };
/** Each half has ways to build sites that the other one has not. */
const skinsOf: Record<Half, SkinName[]> = {
  tuning: skinNames.filter((name) => !["bem", "material"].includes(name)),
  reporting: skinNames.filter((name) => name !== "blocks"),
};
const shareOfCopies = 0.4;

/**
 * Makes sites that are the same for the same arguments: the originals of 30 brands, copies of them and harmless sites.
 * @param count number of copies and harmless sites together.
 * @param screenshots screenshots of originals by protected domain, for copies that consist of one picture.
 */
export function makeSites({
  seed,
  count,
  half = "tuning",
  screenshots = new Map(),
}: {
  seed: number;
  count: number;
  half?: Half;
  screenshots?: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}): { sites: Site[]; brands: ProtectedBrand[] } {
  const companies = brandsFor(half);
  const dice = diceFrom(`${half} ${seed}`);
  const skins = skinsOf[half];
  const others = Array.from({ length: 40 }, (_, index) => {
    const own = dice.fork(`other ${index}`);
    return makeCompany(own, { kind: own.pick(brandKinds), language: "en", skins });
  });
  const copies = shares(copyClasses, Math.round(count * shareOfCopies));
  const harmless = shares(harmlessClasses, count - copies.length);
  const common = { screenshot: (domain: string) => screenshots.get(domain) };
  const sites = [
    ...companies.map(originalSite),
    ...copies.map((name, index) => {
      const own = dice.fork(`copy ${index}`);
      return makeCopy(own, { name, brand: own.fork("brand").pick(companies), index, ...common });
    }),
    ...harmless.map((name, index) => {
      const own = dice.fork(`harmless ${index}`);
      return makeHarmless(own, {
        name,
        brand: own.fork("brand").pick(companies),
        others: [...companies, ...others],
        index,
        skins,
        ...common,
      });
    }),
  ];
  return { sites: withoutRepeatedHosts(sites), brands: companies.map(protectedBrand) };
}

function brandsFor(half: Half): Company[] {
  const [first, end] = brandsOf[half];
  const taken = new Set<string>();
  return Array.from({ length: end - first }, (_, at) => {
    for (let attempt = 0; ; attempt++) {
      const dice = diceFrom(`brand ${first + at} ${attempt}`);
      const language = dice.chance(0.6) ? "en" : dice.pick(languages);
      const company = makeCompany(dice, {
        kind: brandKinds[(first + at) % brandKinds.length]!,
        language,
        skins: skinsOf[half],
      });
      const word = company.name.split(" ")[0]!;
      if (taken.has(word)) continue;
      taken.add(word);
      return company;
    }
  });
}

function protectedBrand(company: Company): ProtectedBrand {
  return {
    protectedDomain: company.domain,
    names: [company.label, company.name],
    allow: [allowedName(company)],
    logo: () => pngOf(drawLogo(company, { height: 64 })),
    pages: (["home", "sign_in", "payment"] as const).map((role) => origin(company) + pathOf(company, role)),
  };
}

function originalSite(company: Company): Site {
  let visits = 0;
  const contents = () => {
    const roles: PageRole[] = ["home", "sign_in", "payment", "password", "about"];
    const pages = roles.map((role): [string, Content] => [
      pathOf(company, role),
      () => pageOf(company, role, { visit: ++visits }),
    ]);
    return new Map<string, Content>([...assetsOf(company), ...pages]);
  };
  return {
    host: `www.${company.domain}`,
    aliases: [company.domain],
    class: company.kind,
    kind: "original",
    protectedDomain: company.domain,
    start: `${origin(company)}/`,
    needsBrowser: company.isScripted,
    respond: responder(contents, "nginx"),
  };
}

/** Returns `count` names, each as often as its share, in an order without meaning. */
function shares(table: Record<string, number>, count: number): string[] {
  const total = Object.values(table).reduce((sum, share) => sum + share, 0);
  const all = Object.entries(table).flatMap(([name, share]) =>
    Array.from({ length: Math.max(1, Math.round((share / total) * count)) }, () => name),
  );
  return interleaved(all).slice(0, count);
}

function interleaved(names: string[]): string[] {
  const dice: Dice = diceFrom("order of classes");
  return dice.some(names, names.length);
}

function withoutRepeatedHosts(sites: Site[]): Site[] {
  const taken = new Set<string>();
  return sites.filter(({ host }) => !taken.has(host) && taken.add(host));
}
