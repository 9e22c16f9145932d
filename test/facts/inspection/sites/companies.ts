import type { Dice } from "./dice.ts";
import { blank, icoOf, paint, pngOf, svgOf, write, type Raster, type Shape } from "./drawing.ts";
import { markupOf, type Markup, type SkinName } from "./skins.ts";
import type { Language } from "./words.ts";

/** The owner of a site, with everything that its pages have in common. */
export interface Company {
  name: string;
  /** Brand keyword: the name in lowercase letters. */
  label: string;
  domain: string;
  kind: string;
  language: Language;
  colors: { main: string; accent: string; ink: string; paper: string };
  mark: Shape[];
  font: string;
  markup: Markup;
  skin: SkinName;
  /** Whether its pages are rendered by a script. */
  isScripted: boolean;
  /** Whether the password is asked for on a second page. */
  isTwoStep: boolean;
  logo: "png" | "svg" | "inline" | "text" | "webp";
  paths: { signIn: string; payment: string; assets: string; logo: string; style: string; script: string };
  /** For choices that stay the same on all of its pages. */
  dice: Dice;
}

const starts =
  "Nor Val Ber Kas Tor Mel Sol Ver Lun Cor Fen Gal Hal Jor Kel Lor Mar Nim Ost Pel Quin Ros Sil Tam Ul Vex Wil Xen Yor Zan Bri Cre Dra Fle Gri Klo Pra Sta Tri Vio".split(
    " ",
  );
const middles = "a e i o u an en or ia eo ar il on".split(" ");
const ends =
  "vik dal bank ta rix mont sen lia nex go pay ly fy zon mar den ford stad tel via net ris gan by co qua rium dex".split(
    " ",
  );
const everyday =
  "Summit Harbor Meridian Beacon Orchard Pioneer Compass Lantern Granite Juniper Falcon Cedar Anchor Cobalt Magnet Sparrow Willow Copper Northstar Bluebird Redwood Silverline Evergreen Keystone".split(
    " ",
  );
const suffixOf: Record<string, readonly string[]> = {
  bank: ["Bank", "Savings", "Credit Union", "Trust", "Direkt", ""],
  shop: ["", "Shop", "Market", "Store", "Outlet"],
  mail: ["Mail", "Post", "Inbox", ""],
  parcel: ["Express", "Parcel", "Post", "Logistics", ""],
  tax: ["Revenue", "Tax Office", "Taxation"],
  saas: ["", "Cloud", "Works", "Desk", "HQ"],
  exchange: ["Exchange", "X", "Coin", ""],
  payment: ["Pay", "", "Wallet"],
  telecom: ["Telecom", "Mobile", "", "Fiber"],
  university: ["University", "College", "Institute"],
  streaming: ["", "TV", "Play", "Plus"],
  airline: ["Air", "Airways", "Airlines"],
  craft: ["& Sons", "Carpentry", "Workshop", "Garage", "Bakery", "Studio"],
  club: ["Club", "Association", "Choir", "Society"],
};
export const brandKinds = Object.keys(suffixOf).filter((kind) => !["craft", "club"].includes(kind));
export const companyKinds = Object.keys(suffixOf);
const palette =
  "#0b5fff #c8102e #007a33 #ff6200 #5b2d8e #00838f #1a237e #d81b60 #2e7d32 #f9a825 #37474f #6d4c41 #0097a7 #ad1457 #283593 #ef6c00 #00695c #4527a0 #b71c1c #1565c0".split(
    " ",
  );
const fonts = [
  "Arial, sans-serif",
  "Georgia, serif",
  "Verdana, sans-serif",
  "'Helvetica Neue', Arial, sans-serif",
  "system-ui, sans-serif",
  "'Trebuchet MS', sans-serif",
  "'DejaVu Sans', sans-serif",
];
const topLevel: Record<Language, readonly string[]> = {
  en: ["com", "com", "com", "net", "io", "co", "org", "app", "co.uk"],
  de: ["de", "de", "com", "at"],
  fr: ["fr", "com", "be"],
  es: ["es", "com", "mx"],
  it: ["it", "com"],
  nl: ["nl", "com"],
  pt: ["pt", "com.br"],
  pl: ["pl", "com"],
  tr: ["com.tr", "com"],
  ar: ["ae", "com"],
  ja: ["jp", "co.jp"],
};

/** Returns a company that is the same for the same dice. */
export function makeCompany(
  dice: Dice,
  {
    kind,
    language,
    skins,
    like,
  }: { kind: string; language: Language; skins: readonly SkinName[]; like?: Company },
): Company {
  const word =
    like === undefined
      ? baseWord(dice.fork("word"))
      : `${like.name.split(" ")[0]} ${dice.pick(["Gardens", "Plumbing", "Legal", "Dental", "Books", "Motors"])}`;
  const suffix = like === undefined ? dice.fork("suffix").pick(suffixOf[kind]!) : "";
  const name = suffix === "" ? word : `${word} ${suffix}`;
  const label = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const short =
    dice.fork("domain").chance(0.5) && word.length > 5 && like === undefined
      ? word.toLowerCase().replaceAll(" ", "-")
      : label;
  const skin = dice.fork("skin").pick(skins);
  const colors = colorsFor(dice.fork("colors"));
  const paths = pathsFor(dice.fork("paths"));
  return {
    name,
    label: label.length < 5 ? short : label,
    domain: `${short}.${dice.fork("suffix of domain").pick(topLevel[language])}`,
    kind,
    language,
    colors,
    mark: markFor(dice.fork("mark"), colors),
    font: dice.fork("font").pick(fonts),
    markup: markupOf(skin, dice.fork("markup")),
    skin,
    isScripted: ["hashed", "material"].includes(skin) && dice.fork("scripted").chance(0.3),
    isTwoStep: dice.fork("steps").chance(0.25),
    logo: dice.fork("logo").pick(["png", "png", "svg", "svg", "inline", "text", "webp"]),
    paths,
    dice,
  };
}

function baseWord(dice: Dice): string {
  if (dice.chance(0.25)) return dice.pick(everyday);
  const word = dice.pick(starts) + (dice.chance(0.6) ? dice.pick(middles) : "") + dice.pick(ends);
  return dice.chance(0.15) ? `${word} ${dice.pick(everyday)}` : word;
}

function colorsFor(dice: Dice) {
  const [main = "#0b5fff", accent = "#c8102e"] = dice.some(palette, 2);
  return {
    main,
    accent,
    ink: dice.pick(["#222222", "#1a1a1a", "#333333", "#111827"]),
    paper: dice.pick(["#ffffff", "#ffffff", "#f7f7f7", "#f4f6f8", "#fffdf8"]),
  };
}

function pathsFor(dice: Dice) {
  const assets = dice.pick([
    "/assets",
    "/static",
    "/images",
    "/img",
    "/media",
    "/_next/static",
    "/resources/public",
    "/etc/designs/site",
  ]);
  const hash = dice.hex(8);
  return {
    signIn: dice.pick([
      "/login",
      "/signin",
      "/account/login",
      "/auth/login.html",
      "/user/sign-in",
      "/portal/logon",
      "/login.php",
      "/en/login",
      "/myaccount",
    ]),
    payment: dice.pick(["/checkout", "/pay", "/payment", "/billing/payment-method", "/cart/payment.html"]),
    assets,
    logo: `${assets}/${dice.pick(["logo", "brand", "header-logo", "logo-main", `logo.${hash}`])}`,
    style: `${assets}/${dice.pick(["style", "main", `app.${hash}`, "site", "theme"])}.css`,
    script: `${assets}/${dice.pick(["app", "main", `bundle.${hash}`, "site"])}.js`,
  };
}

/** A background with a few simple shapes, or with the first letter of the name made of bars. */
function markFor(dice: Dice, { main, accent }: { main: string; accent: string }): Shape[] {
  const shapes: Shape[] = [];
  const background = dice.pick(["circle", "box", "round", "diamond", "hexagon", "shield", "none"]);
  const front = background === "none" ? main : dice.pick(["#ffffff", "#ffffff", accent]);
  const polygon = (points: [number, number][], color: string): Shape => ({ kind: "polygon", points, color });
  if (background === "circle") shapes.push({ kind: "circle", x: 50, y: 50, radius: 48, color: main });
  if (background === "box")
    shapes.push({ kind: "box", x: 2, y: 2, width: 96, height: 96, round: 0, color: main });
  if (background === "round")
    shapes.push({ kind: "box", x: 2, y: 2, width: 96, height: 96, round: 24, color: main });
  if (background === "diamond")
    shapes.push(
      polygon(
        [
          [50, 0],
          [100, 50],
          [50, 100],
          [0, 50],
        ],
        main,
      ),
    );
  if (background === "hexagon")
    shapes.push(
      polygon(
        [
          [25, 5],
          [75, 5],
          [100, 50],
          [75, 95],
          [25, 95],
          [0, 50],
        ],
        main,
      ),
    );
  if (background === "shield")
    shapes.push(
      polygon(
        [
          [5, 5],
          [95, 5],
          [95, 55],
          [50, 100],
          [5, 55],
        ],
        main,
      ),
    );
  const count = dice.between(2, 4);
  for (let index = 0; index < count; index++) {
    const color = dice.chance(0.75) ? front : accent;
    const x = dice.between(22, 56);
    const y = dice.between(22, 56);
    const size = dice.between(14, 40);
    const shape = dice.pick(["circle", "bar", "pole", "triangle", "slant", "arrow"]);
    if (shape === "circle") shapes.push({ kind: "circle", x: x + 8, y: y + 8, radius: size / 2, color });
    if (shape === "bar")
      shapes.push({ kind: "box", x: 22, y, width: size + 16, height: 11, round: dice.pick([0, 5]), color });
    if (shape === "pole")
      shapes.push({ kind: "box", x, y: 22, width: 11, height: size + 16, round: dice.pick([0, 5]), color });
    if (shape === "triangle")
      shapes.push(
        polygon(
          [
            [x, y + size],
            [x + size / 2, y],
            [x + size, y + size],
          ],
          color,
        ),
      );
    if (shape === "slant")
      shapes.push(
        polygon(
          [
            [x, 76],
            [x + 12, 76],
            [x + 30, 24],
            [x + 18, 24],
          ],
          color,
        ),
      );
    if (shape === "arrow")
      shapes.push(
        polygon(
          [
            [x, y],
            [x + size, y + size / 2],
            [x, y + size],
            [x + size / 3, y + size / 2],
          ],
          color,
        ),
      );
  }
  return shapes;
}

export interface LogoChange {
  /** Height in pixels. */
  height?: number;
  /** Colors to replace. */
  recolor?: (color: string) => string;
}

function shapesOf({ mark }: Company, { recolor }: LogoChange): Shape[] {
  return recolor === undefined ? mark : mark.map((shape) => ({ ...shape, color: recolor(shape.color) }));
}

/** Draws the mark with the name beside it. */
export function drawLogo(company: Company, change: LogoChange = {}): Raster {
  const height = change.height ?? 48;
  const text = company.name;
  const raster = blank(Math.ceil(height * 1.25 + text.length * height * 0.52), height);
  paint(raster, shapesOf(company, change), 0, 0, height);
  const color = change.recolor?.(company.colors.ink) ?? company.colors.ink;
  write(raster, text, { left: height * 1.2, top: height * 0.22, height: height * 0.56, color });
  return raster;
}

export function drawIcon(company: Company, side: number, change: LogoChange = {}): Raster {
  const raster = blank(side, side);
  paint(raster, shapesOf(company, change), 0, 0, side);
  return raster;
}

export interface Asset {
  type: string;
  body: () => Uint8Array<ArrayBuffer> | string | Promise<Uint8Array<ArrayBuffer>>;
}

export function logoExtension({ logo }: Company): string {
  return logo === "text" || logo === "inline" ? "svg" : logo;
}

/** Returns the logo as a file in the company's format. */
export function logoAsset(company: Company, change: LogoChange = {}): Asset {
  const extension = logoExtension(company);
  if (extension === "svg") return { type: "image/svg+xml", body: () => logoSvg(company, change) };
  const png = () => pngOf(drawLogo(company, change));
  if (extension === "webp")
    return {
      type: "image/webp",
      body: () => new Bun.Image(png()).webp({ quality: 85 }).bytes() as Promise<Uint8Array<ArrayBuffer>>,
    };
  return { type: "image/png", body: png };
}

export function logoSvg(company: Company, change: LogoChange = {}): string {
  const { ink } = company.colors;
  return svgOf(shapesOf(company, change), {
    text: company.name.replace("&", "&amp;"),
    color: change.recolor?.(ink) ?? ink,
    font: company.font.replaceAll("'", ""),
  });
}

export function iconAsset(company: Company, change: LogoChange = {}): Asset {
  const format = company.dice.fork("icon").pick(["png", "ico png", "ico bitmap", "svg"]);
  if (format === "svg") return { type: "image/svg+xml", body: () => svgOf(shapesOf(company, change)) };
  if (format === "png") return { type: "image/png", body: () => pngOf(drawIcon(company, 32, change)) };
  const content = format === "ico png" ? "png" : "bitmap";
  return {
    type: "image/x-icon",
    body: () => icoOf(drawIcon(company, content === "png" ? 48 : 16, change), content),
  };
}
