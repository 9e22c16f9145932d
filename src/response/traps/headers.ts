/** Returns a request header, cut to `lengthMax` characters; null if absent. */
export function headerOf(request: Request, name: string, lengthMax: number): string | null {
  return request.headers.get(name)?.slice(0, lengthMax) ?? null;
}
