import { iconAsset, logoAsset, logoExtension } from "./companies.ts";
import { kept, plainHtml, startOf, withMailer, type Copy, type Kit } from "./kit.ts";
import { formMarkup, origin } from "./pages.ts";
import type { Content } from "./site.ts";
import { phrase } from "./words.ts";

/** A footer as authors of kits write it. */
export function kitFooter({ dice, brand }: Kit): string {
  const own = dice.fork("footer of the kit");
  const links = (["privacy", "terms", "help"] as const)
    .map((key) => `<a href="${own.pick(["#", "#", `/${key}`])}">${phrase(brand.language, key)}</a>`)
    .join(" ");
  return own.pick([
    `<footer><p>© ${own.between(2021, 2026)} ${brand.name}</p>${links}</footer>`,
    `<div class="footer">${links}</div>`,
    `<p>© 2026 ${brand.name}. ${phrase(brand.language, "privacy")}</p>`,
  ]);
}

/** A page of the kit's own with the logo and a form. */
export function minimalKit(kit: Kit): Copy {
  const { brand, dice, owner } = kit;
  const file = `${kit.folder}/${dice.pick(["logo", "images/logo", "l", dice.letters(5)])}`;
  const isLinked = dice.chance(0.4);
  const source = isLinked ? `${origin(brand)}${brand.paths.logo}.${logoExtension(brand)}` : file;
  const title = dice.pick([
    brand.name,
    phrase(brand.language, "signIn"),
    `${phrase(brand.language, "signIn")} - ${brand.name}`,
  ]);
  const role = dice.pick(["sign_in", "payment", "verify"] as const);
  const form = formMarkup(
    { ...brand, markup: owner.markup, dice: dice.fork("form"), isTwoStep: false },
    role,
    { text: dice.fork("text") },
  );
  const logo = `<img src="${source}"${dice.chance(0.5) ? ` alt="${brand.name}"` : ""} width="180">`;
  const legal = dice.chance(0.6) ? kitFooter(kit) : "";
  const icon = dice.chance(0.5) ? `<link rel="icon" href="${kit.folder}/favicon.ico">` : "";
  const html = withMailer(
    kit,
    `<!doctype html><html lang="${brand.language}"><head><meta charset="utf-8"><title>${title}</title>${icon}<style>${owner.markup.styles(brand.colors, brand.font)}</style></head><body>${logo}${form}${legal}</body></html>`,
  );
  const contents = new Map<string, Content>([
    [startOf(kit), html],
    [file, logoAsset(brand)],
  ]);
  if (icon !== "") contents.set(`${kit.folder}/favicon.ico`, iconAsset(brand));
  return { contents };
}

/** A copy that something else is done to: most are made from the original, some are a page of the kit's own. */
export function anyCopy(kit: Kit): { copy: Copy; html: string } {
  const copy = kit.dice.fork("base").chance(0.6) ? kept(kit, plainHtml(kit)) : minimalKit(kit);
  return { copy, html: copy.contents.get(startOf(kit)) as string };
}
