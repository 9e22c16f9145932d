import { visible } from "../lib/safe-text.ts";
import { counted, grouped } from "../lib/wording.ts";

/** One observation about a page, and how much it says about whether the page imitates a protected brand. */
export interface Signal {
  /** Stable code, as it is stored. */
  code: string;
  /** Result of the comparison, 0 to 1. */
  strength: number;
  /** Contribution to the score, in log-odds; negative: it speaks against an imitation. */
  points: number;
  /** Values for the text, such as the address of the original. Untrusted. */
  params: Record<string, string | number>;
}

/** Result of comparing a page with a protected brand, as it is kept with the facts about a page. */
export interface PageImitation {
  protectedDomain: string;
  /** Estimated probability that the page imitates the brand, 0 to 1, at most four decimals. */
  score: number;
  imitates: boolean;
  /** Address of the original page that resembles it most; null or absent if none is known. */
  original?: string | null;
  /** From the largest contribution to the smallest. */
  signals: Signal[];
}

type Values = Readonly<Record<string, string>>;

/** Text of each signal, a clause about the page; its values are escaped. */
const signalTexts: Readonly<Record<string, (values: Values) => string>> = {
  own_page: () => "it is a page of the brand or of an allowed name",
  asks_password: () => "it asks for a password",
  asks_card: () => "it asks for a payment card",
  asks_code: () => "it asks for a one-time code or a PIN",
  asks_identity: () => "it asks for personal data such as a date of birth or an account number",
  asks_seed_phrase: () => "it asks for the recovery phrase of a wallet",
  presents_as_brand: () => "it presents itself as the brand and as nobody else",
  brand_and_request: () => "it asks for data in the name of the brand",
  brand_and_copy: () => "it presents itself as the brand with content of an original",
  copy_and_request: () => "it asks for data with content of an original",
  same_text: ({ percent, original }) => `${shareOf(percent)} of its text is also in ${original}`,
  same_title: ({ title, original }) => `its title “${title}” resembles that of ${original}`,
  same_structure: ({ percent, original }) => `${shareOf(percent)} of its structure is that of ${original}`,
  same_classes: ({ percent, original }) =>
    `${shareOf(percent)} of the class names in its markup are also in ${original}`,
  same_files: ({ count, original }) =>
    `${someOf(count, "files has a name that is", "files have names that are")} also used by ${original}`,
  same_scripts: ({ count, original }) => `${someOf(count, "scripts is", "scripts are")} also in ${original}`,
  same_pictures: ({ original }) => `it shows pictures of ${original}`,
  same_links: ({ count, original }) =>
    `${someOf(count, "links has a path that is", "links have paths that are")} also in ${original}`,
  same_form: ({ original }) => `its form has the fields of ${original}`,
  saved_from_brand: ({ address }) => `a program saved it from ${address}`,
  brand_in_title: ({ title }) => `its title names the brand: “${title}”`,
  brand_as_site_name: ({ name }) => `it calls itself “${name}”`,
  brand_in_heading: () => "a heading names the brand",
  brand_in_text: ({ count }) => `its text names the brand ${count === "1" ? "once" : `${count} times`}`,
  brand_in_descriptions: () => "descriptions or alternative texts name the brand",
  same_icon: () => "it has the icon of the original",
  same_logo: () => "it shows the logo",
  same_screenshot: ({ original }) => `it looks like ${original}`,
  picture_of_original: ({ original }) => `it shows a picture of ${original}`,
  logo_in_screenshot: ({ name }) => `its screenshot contains the logo “${name}”`,
  canonical_at_brand: ({ address }) => `it states that it is ${address}`,
  own_name: ({ name }) => `its host name and its content agree on the name “${name}”`,
  other_site_name: ({ name }) => `it calls itself “${name}”, which is not the brand`,
  other_title: ({ title }) => `its title names something else: “${title}”`,
  other_owner: ({ name }) => `its copyright notice names somebody else: “${name}”`,
  about_brand: ({ name }) => `its title or a heading says that it is about the brand: “${name}”`,
  brand_missing: () => "it does not name the brand, unlike the original",
  own_links: (values) => `${partOf(values, "link", "leads", "lead")} to its own site`,
  own_text: ({ words }) =>
    `about ${counted(Number(words), "word")} of its text ${words === "1" ? "is" : "are"} its own`,
  canonical_elsewhere: ({ host }) => `it states that it is a page of ${host}`,
  archive: ({ host }) => `${host} shows pages of others on purpose`,
  links_to_brand: (values) => `${partOf(values, "link", "leads", "lead")} to the brand's pages`,
  files_from_brand: (values) =>
    `${partOf(values, "picture or style sheet", "is", "are", "pictures and style sheets")} loaded from the brand`,
  brand_in_address: () => "its address contains the brand",
  email_of_brand: ({ domain }) => `its address contains an email address at ${domain}`,
  free_hosting: ({ host }) => `anyone can publish a page on the hosting service of ${host}`,
  ip_address: () => "it has an IP address instead of a name",
  young_certificate: ({ days }) => `${ageOf(Number(days))}, or browsers reject it`,
  redirected: ({ host }) => `visitors are sent there by ${host}`,
  hidden_markup: () => "a script decodes its content, which hides it from filters",
  asks_account: () => "it asks for a user name or an email address",
  sends_elsewhere: ({ host }) => `what visitors enter is sent to ${host}`,
  sends_to_collector: ({ host }) => `it sends data to ${host}, where anyone can receive it`,
  sends_to_mailer: ({ path }) => `its form is sent to ${path}, a name that kits use`,
  kit_files: ({ path }) => `it has a file of a known kit: ${path}`,
  dead_links: ({ dead, all }) => `${partOf({ own: dead, all }, "link", "leads", "lead")} nowhere`,
};

/** Returns a rounded percentage: `12 %`; a share that was found is never none at all. */
function shareOf(percent: string | undefined): string {
  return percent === "0" ? "less than 1 %" : `${percent} %`;
}

/** `one of its files is`, `1,200 of its files are`. */
function someOf(count: string | undefined, one: string, many: string): string {
  return count === "1" ? `one of its ${one}` : `${grouped(Number(count))} of its ${many}`;
}

/** `its only link leads`, `both of its links lead`, `all of its 12 links lead`, `one of its 12 links leads`. */
function partOf(
  { own, all }: Readonly<Record<string, string | undefined>>,
  noun: string,
  does: string,
  doAll: string,
  nouns = `${noun}s`,
): string {
  const [part, whole] = [Number(own), Number(all)];
  if (part === 0) return `none of its ${nouns} ${doAll}`;
  if (whole === 1) return `its only ${noun} ${does}`;
  const of = `of its ${grouped(whole)} ${nouns}`;
  if (part === whole) return whole === 2 ? `both of its ${nouns} ${doAll}` : `all ${of} ${doAll}`;
  return part === 1 ? `one ${of} ${does}` : `${grouped(part)} ${of} ${doAll}`;
}

function ageOf(days: number): string {
  return days < 1
    ? "its certificate is less than a day old"
    : `its certificate is ${counted(days, "day")} old`;
}

const valueCharactersMax = 100;

/**
 * Renders a signal as text that is safe to show; the only place that words it. One that another version stored may have a
 * code that has no text, which is shown itself.
 */
export function describeSignal({ code, params }: Pick<Signal, "code" | "params">): string {
  const values = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, visible(String(value), valueCharactersMax)]),
  );
  const text = Object.hasOwn(signalTexts, code) ? signalTexts[code] : undefined;
  return text?.(values) ?? visible(code.replaceAll("_", " "), valueCharactersMax);
}
