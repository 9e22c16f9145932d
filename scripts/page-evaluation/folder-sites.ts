import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import type { ProtectedBrand, Site } from "../../test/facts/inspection/sites/sites.ts";

/** Files that describe a site and are not served. */
const notes = ["names.txt", "allow.txt", "pages.txt", "start.txt", "protected-domain.txt"];

/** Reads the sites of a folder with the layout that the usage of `scripts/evaluate-pages` describes. */
export async function sitesInFolder(folder: string): Promise<{ sites: Site[]; brands: ProtectedBrand[] }> {
  const brands: ProtectedBrand[] = [];
  const sites: Site[] = [];
  for (const domain of await foldersIn(join(folder, "originals"))) {
    const at = join(folder, "originals", domain);
    const files = await filesIn(at);
    const listed = await linesOf(join(at, "pages.txt"));
    const paths =
      listed.length > 0
        ? listed
        : files
            .filter((file) => /\.html?$/.test(file))
            .map((file) => `/${file.replace(/(^|\/)index\.html?$/, "$1")}`);
    brands.push({
      protectedDomain: domain,
      names: [domain.split(".")[0]!, ...(await linesOf(join(at, "names.txt")))],
      allow: await linesOf(join(at, "allow.txt")),
      pages: paths.map((path) => `https://${domain}${path}`),
    });
    sites.push({
      ...served(at),
      host: domain,
      aliases: [`www.${domain}`],
      class: "original",
      kind: "original",
      protectedDomain: domain,
      start: `https://${domain}/`,
    });
  }
  if (brands.length === 0)
    throw new Error(`no original pages: put them into ${join(folder, "originals")}/DOMAIN/`);
  for (const kind of ["copies", "harmless"] as const) {
    for (const name of await foldersIn(join(folder, kind))) {
      for (const host of await foldersIn(join(folder, kind, name))) {
        const at = join(folder, kind, name, host);
        const [protectedDomain = ""] = await linesOf(join(at, "protected-domain.txt"));
        sites.push({
          ...served(at),
          host,
          aliases: [],
          class: name,
          kind: kind === "copies" ? "copy" : "harmless",
          protectedDomain,
          start: `http://${host}${await startOf(at)}`,
        });
      }
    }
  }
  return { sites, brands };
}

async function startOf(folder: string): Promise<string> {
  const [path] = await linesOf(join(folder, "start.txt"));
  if (path !== undefined) return path;
  const pages = (await filesIn(folder)).filter((file) => /\.html?$/.test(file));
  const first = pages.find((file) => /^index\.html?$/.test(file)) ?? pages[0];
  return first === undefined || /^index\.html?$/.test(first) ? "/" : `/${encodeURI(first)}`;
}

/** Serves the files of a folder; a path that ends with a slash is its `index.html`. */
function served(folder: string): Pick<Site, "needsBrowser" | "respond"> {
  return {
    needsBrowser: false,
    async respond(request) {
      const path = decodeURIComponent(new URL(request.url).pathname).slice(1);
      const name = path === "" || path.endsWith("/") ? `${path}index.html` : path;
      const at = join(folder, name);
      if (relative(folder, at).startsWith("..") || notes.includes(name))
        return new Response("not found", { status: 404 });
      for (const candidate of [at, at.replace(/html$/, "htm"), `${at}.html`]) {
        const file = Bun.file(candidate);
        if (await file.exists()) return new Response(file);
      }
      return new Response("not found", { status: 404 });
    },
  };
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !notes.includes(file))
    .sort();
}

async function linesOf(path: string): Promise<string[]> {
  const file = Bun.file(path);
  if (!(await file.exists())) return [];
  return (await file.text())
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
