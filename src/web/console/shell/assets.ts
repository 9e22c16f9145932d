import { lazy } from "../../../platform/lib/startup.ts";
import { icon } from "../../http/icon.ts";
import { browserScript } from "../browser/script.ts";
import { assetsPath } from "../kit/paths.ts";
import icons from "../kit/icons.json" with { type: "json" };
import base from "../styles/base.css" with { type: "text" };
import charts from "../styles/charts.css" with { type: "text" };
import content from "../styles/content.css" with { type: "text" };
import controls from "../styles/controls.css" with { type: "text" };
import deliveries from "../styles/deliveries.css" with { type: "text" };
import domains from "../styles/domains.css" with { type: "text" };
import names from "../styles/names.css" with { type: "text" };
import narrow from "../styles/narrow.css" with { type: "text" };
import overlays from "../styles/overlays.css" with { type: "text" };
import overview from "../styles/overview.css" with { type: "text" };
import pages from "../styles/pages.css" with { type: "text" };
import sources from "../styles/sources.css" with { type: "text" };
import threat from "../styles/threat.css" with { type: "text" };
import threats from "../styles/threats.css" with { type: "text" };
import tokens from "../styles/tokens.css" with { type: "text" };

// Later sheets override earlier ones; the narrow layouts come last.
const styleSheets = [
  tokens,
  base,
  controls,
  content,
  names,
  charts,
  overlays,
  pages,
  overview,
  threats,
  threat,
  domains,
  sources,
  deliveries,
  narrow,
];

interface Asset {
  type: string;
  text: string;
  /** Compressed. Safe for assets only: in pages, compression could leak tokens (BREACH). */
  compressed: () => Uint8Array<ArrayBuffer>;
}

/** Static files of the pages. Their addresses contain a hash of the content, so browsers can cache them forever. */
export interface Assets {
  stylePath: string;
  scriptPath: string;
  iconPath: string;
  /** A sprite; see `kit/icons.json`. */
  iconsPath: string;
  /** Returns a response, compressed if the client accepts it; undefined if there is no such file. */
  respond(name: string, acceptEncoding: string | null, headers: Record<string, string>): Response | undefined;
}

/** A page contains the address of the sprite dozens of times. */
const hashCharacters = 8;

/** Returns a style sheet without comments, line breaks and indentation. No string in the sheets contains `, ` or `; `. */
function compactStyles(sheet: string): string {
  const withoutComments = sheet.replace(/\/\*[^]*?\*\//g, "");
  return withoutComments.replace(/\s*\n\s*/g, " ").replace(/([{};,]) | (?=[{}])/g, "$1");
}

/** Returns a script without comments and indentation. */
function compactScript(script: string): string {
  const transpiler = new Bun.Transpiler({ loader: "js", target: "browser", minifyWhitespace: true });
  // The transpiler drops the directive of the script.
  return `"use strict";${transpiler.transformSync(script)}`;
}

/** Returns the icons as one file. Their attributes are quoted like those of its head. */
function iconSprite(): string {
  const symbols = Object.entries(icons).map(([name, shapes]) => {
    const size = name === "mark" ? 24 : 16;
    return `  <symbol id="i-${name}" viewBox="0 0 ${size} ${size}">${shapes.replaceAll("'", '"')}</symbol>\n`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">
  <!-- Drawn for phishwatch on a 16 px grid: 1.5 px stroke, round caps and joins. MIT license, like the rest of phishwatch. -->
${symbols.join("")}</svg>
`;
}

export function createAssets(): Assets {
  const files = new Map<string, Asset>();
  const add = (name: string, ending: string, type: string, text: string) => {
    const path = `${name}.${Bun.SHA256.hash(text, "hex").slice(0, hashCharacters)}.${ending}`;
    files.set(path, { type, text, compressed: lazy(() => Bun.gzipSync(text)) });
    return `${assetsPath}/${path}`;
  };
  return {
    stylePath: add("console", "css", "text/css; charset=utf-8", compactStyles(styleSheets.join("\n"))),
    scriptPath: add("console", "js", "text/javascript; charset=utf-8", compactScript(browserScript())),
    iconPath: add("icon", "svg", "image/svg+xml", icon),
    iconsPath: add("icons", "svg", "image/svg+xml", iconSprite()),
    respond(name, acceptEncoding, headers) {
      const asset = files.get(name);
      if (asset === undefined) return undefined;
      headers["cache-control"] = "public, max-age=31536000, immutable";
      headers["content-type"] = asset.type;
      headers["vary"] = "accept-encoding";
      if (!/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(acceptEncoding ?? ""))
        return new Response(asset.text, { headers });
      headers["content-encoding"] = "gzip";
      return new Response(asset.compressed(), { headers });
    },
  };
}
