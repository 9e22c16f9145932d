import { logoAsset, logoExtension, type Company } from "./companies.ts";
import type { Dice } from "./dice.ts";
import { origin, type PageRole } from "./pages.ts";
import type { Content } from "./site.ts";
import { noun, paragraph, person, sentence } from "./words.ts";

/** Everything from which a harmless site is made. */
export interface Setting {
  dice: Dice;
  /** Owner of the site. */
  owner: Company;
  /** The protected brand that the site mentions. */
  brand: Company;
  /** Other brands, protected and not. */
  others: readonly Company[];
  /** A screenshot of the brand's sign-in page; undefined if there is none. */
  screenshot: Uint8Array<ArrayBuffer> | undefined;
}

export interface Harmless {
  main?: string;
  title?: string;
  role?: PageRole;
  /** The whole page, for sites that are not a company's. */
  html?: string;
  owner?: Company;
  contents?: [string, Content][];
  /** Whether the site has nothing to do with the brand. */
  isUnrelated?: boolean;
  host?: string | undefined;
  needsBrowser?: boolean;
  status?: number;
}

const logoFile = (company: Company) => `${company.paths.logo}.${logoExtension(company)}`;
export const logoAddress = (company: Company) => origin(company) + logoFile(company);
export const linkTo = (company: Company, text = company.name) => `<a href="${origin(company)}/">${text}</a>`;

/** Paragraphs in which a brand is mentioned a few times. */
export function mentions({ dice, owner, brand }: Setting, count: number): string {
  const { of } = owner.markup;
  const patterns = [
    `${brand.name} announced on Tuesday that its ${noun(dice)} will change next year.`,
    `Customers of ${brand.name} in ${person(dice).split(" ")[1]} reported problems with the ${noun(dice)}.`,
    `A spokesperson for ${brand.name} declined to comment.`,
    `According to ${linkTo(brand)}, the number of accounts grew by ${dice.between(2, 40)} percent.`,
    `Analysts compare ${brand.name} with its rivals and expect a ${noun(dice)}.`,
    `${person(dice)}, who has used ${brand.name} for ${dice.between(2, 15)} years, disagrees.`,
  ];
  const language = owner.language;
  return Array.from({ length: count }, () =>
    of("text", `${paragraph(dice, 2, { language })} ${dice.pick(patterns)} ${sentence(dice, { language })}`),
  ).join("\n");
}

/** A picture of the brand on the site itself or loaded from the brand. */
export function brandPicture({ dice, brand }: Setting): { markup: string; contents: [string, Content][] } {
  if (dice.chance(0.3))
    return { markup: `<img src="${logoAddress(brand)}" alt="${brand.name}" width="120">`, contents: [] };
  const file = `/uploads/${brand.label}.${logoExtension(brand)}`;
  return {
    markup: `<img src="${file}" alt="${brand.name} logo" width="200">`,
    contents: [[file, logoAsset(brand)]],
  };
}
