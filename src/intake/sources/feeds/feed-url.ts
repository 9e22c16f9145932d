/** Returns the address of a feed with the secret `name=value` in its query. */
export function withQuery(url: string, query: string | null): string {
  if (query === null) return url;
  // A # would start the fragment, which is not sent.
  return `${url}${url.includes("?") ? "&" : "?"}${query.replaceAll("#", "%23")}`;
}

/** Returns an address without its query, which may contain a key. */
export function locationOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
