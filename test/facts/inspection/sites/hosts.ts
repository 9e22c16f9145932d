import type { Dice } from "./dice.ts";
import { cities, noun } from "./words.ts";

export const freeHosts =
  "pages.dev web.app vercel.app netlify.app github.io blogspot.com weebly.com workers.dev firebaseapp.com wixsite.com r2.dev onrender.com herokuapp.com godaddysites.com square.site surge.sh".split(
    " ",
  );
const suffixes =
  "com com com net org info online site shop xyz top io co de fr nl pl com.br co.uk in ru click live store".split(
    " ",
  );
const helpers =
  "my web go app get the online portal info service secure account update center team group hub".split(" ");

/**
 * Returns a host name without a brand, as both harmless sites and copies have. Each is different, because it contains
 * what identifies the site.
 */
export function ordinaryHost(dice: Dice, index: number): string {
  const word = dice.pick([noun(dice), dice.pick(cities).toLowerCase(), dice.letters(dice.between(4, 9))]);
  const other = dice.pick([noun(dice), dice.pick(helpers), dice.letters(3)]);
  const number = index.toString(36);
  const label = dice.pick([
    `${word}${other}${number}`,
    `${word}-${other}${number}`,
    `${word}${number}`,
    `${dice.letters(6)}${number}`,
  ]);
  if (dice.chance(0.18)) return `${label}.${dice.pick(freeHosts)}`;
  const start = dice.pick([
    "www.",
    "",
    "",
    "",
    `${dice.pick(["mail", "shop", "app", "login", "my", "secure", "cdn"])}.`,
  ]);
  return `${start}${label}.${dice.pick(suffixes)}`;
}

export function freeHost(dice: Dice, index: number): string {
  return `${noun(dice)}-${dice.letters(4)}${index.toString(36)}.${dice.pick(freeHosts)}`;
}

/**
 * Returns the name of a file in a folder, as every kind of site has it: none, so that the folder is opened, a name without
 * an extension, or a page or a script.
 */
export function fileName(dice: Dice, words: readonly string[]): string {
  const word = dice.pick(words);
  return dice.pick([
    "",
    "",
    word,
    word,
    `${word}/`,
    `${word}.html`,
    `${word}.php`,
    `${word}/${dice.between(10, 999)}`,
    "index.html",
    "index.php",
  ]);
}

/** Returns the name of a company's own host. Each is different. */
export function companyHost(dice: Dice, { domain, index }: { domain: string; index: number }): string {
  return `${dice.pick(["www.", "", ""])}${domain.replace(/^([^.]+)/, `$1${index.toString(36)}`)}`;
}

/** Returns a folder as on shared and on hacked hosting, without the last slash. */
export function folder(dice: Dice): string {
  return dice.pick([
    "",
    "",
    "",
    "",
    `/${dice.letters(5)}`,
    `/${dice.hex(8)}`,
    "/wp-content/uploads/2026",
    `/wp-includes/${dice.letters(4)}`,
    `/~${dice.letters(6)}/web`,
    "/secure",
    "/account",
    `/${dice.letters(3)}/${dice.between(100, 999)}`,
    "/new",
    "/s",
  ]);
}
