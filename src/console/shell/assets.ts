import base from "@knadh/oat/oat.min.css" with { type: "text" };
import { icon } from "../../http/icon.ts";
import { lazy } from "../../lib/startup.ts";
import { browserScript } from "../browser/script.ts";
import { assetsPath } from "../kit/paths.ts";
import own from "../styles/base.css" with { type: "text" };
import settings from "../styles/settings.css" with { type: "text" };
import sources from "../styles/sources.css" with { type: "text" };
import threats from "../styles/threats.css" with { type: "text" };

interface Asset {
  type: string;
  content: string;
  /** Compressed. Safe for assets only: in pages, compression could leak tokens (BREACH). */
  compressed: () => Uint8Array<ArrayBuffer>;
}

/** Static files of the pages. Their addresses contain a hash of the content, so browsers can cache them forever. */
export interface Assets {
  stylePath: string;
  scriptPath: string;
  iconPath: string;
  /** Returns a response, compressed if the client accepts it; undefined if there is no such file. */
  respond(name: string, acceptEncoding: string | null, headers: Record<string, string>): Response | undefined;
}

export function createAssets(): Assets {
  const files = new Map<string, Asset>();
  const add = (name: string, ending: string, type: string, content: string) => {
    const path = `${name}.${Bun.SHA256.hash(content, "hex").slice(0, 16)}.${ending}`;
    files.set(path, { type, content, compressed: lazy(() => Bun.gzipSync(content)) });
    return `${assetsPath}/${path}`;
  };
  return {
    stylePath: add(
      "console",
      "css",
      "text/css; charset=utf-8",
      `${base}\n${own}\n${settings}\n${threats}\n${sources}`,
    ),
    scriptPath: add("console", "js", "text/javascript; charset=utf-8", browserScript()),
    iconPath: add("icon", "svg", "image/svg+xml", icon),
    respond(name, acceptEncoding, headers) {
      const asset = files.get(name);
      if (asset === undefined) return undefined;
      headers["cache-control"] = "public, max-age=31536000, immutable";
      headers["content-type"] = asset.type;
      headers["vary"] = "accept-encoding";
      if (!/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(acceptEncoding ?? ""))
        return new Response(asset.content, { headers });
      headers["content-encoding"] = "gzip";
      return new Response(asset.compressed(), { headers });
    },
  };
}
