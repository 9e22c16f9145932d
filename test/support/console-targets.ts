import type { Route, FindRoute } from "../../src/web/console/shell/router.ts";

type Target = Pick<Route, "method" | "path">;

/** Returns everything that a page leads to: links, forms that can be sent, buttons, and what the script loads. */
export function targetsIn(html: string): Target[] {
  const forms = [...html.matchAll(/<form method="post" action="([^"]*)"([^>]*)>([\s\S]*?)<\/form>/g)];
  const posts = forms
    .filter(([, , attributes, content]) => {
      const id = / id="([^"]*)"/.exec(attributes!)?.[1];
      return (
        /<button(?! type="button")/.test(content!) || (id !== undefined && html.includes(` form="${id}"`))
      );
    })
    .map(([, action]) => action!);
  const all = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, address]) => address!);
  const targets = (method: Target["method"], addresses: string[]) =>
    addresses
      .filter((address) => address.startsWith("/console"))
      .map((address) => ({ method, path: address.replace(/(?:[?#]|&#).*$/s, "") }));
  return [
    ...targets("GET", all(/<a [^>]*?href="([^"]*)"/g)),
    ...targets("GET", all(/<form [^>]*?method="get" action="([^"]*)"/g)),
    ...targets("GET", all(/ (?:data-refresh|data-fresh|src)="([^"]*)"/g)),
    ...targets("POST", [...posts, ...all(/ (?:formaction|data-undo|data-upload)="([^"]*)"/g)]),
  ];
}

/** Returns a function that fills the path of a route with identifiers that exist, learned from what pages lead to. */
export function learnAddresses(findRoute: FindRoute, pages: Map<string, string>) {
  const learned = new Map<string, string>();
  for (const { method, path } of [...pages.values()].flatMap(targetsIn)) {
    const pattern = findRoute(method, path)?.route.path;
    if (pattern === undefined) continue;
    const [names, values] = [pattern.split("/"), path.split("/")];
    for (const end of [...names.keys()].slice(1))
      learned.set(names.slice(0, end + 1).join("/"), values.slice(0, end + 1).join("/"));
  }
  return function addressOf({ path }: Pick<Route, "path">): string {
    const names = path.split("/");
    const end = names.findLastIndex((_, index) => learned.has(names.slice(0, index + 1).join("/")));
    const start = learned.get(names.slice(0, end + 1).join("/")) ?? "";
    return [start, ...names.slice(end + 1).map((name) => (name.startsWith(":") ? "1" : name))].join("/");
  };
}
