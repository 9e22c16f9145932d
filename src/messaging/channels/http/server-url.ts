import { FieldError } from "../../../platform/lib/errors.ts";

/**
 * Returns the address of a server, without a slash at the end. What is no URL is returned as it is: the rules for URLs,
 * which are applied afterward, say what is wrong with it.
 * @param allowPath whether the server may be below a path, behind a reverse proxy
 * @throws PublicError for an address with a query, or with a path that is not allowed
 */
export function serverUrl(
  text: string,
  { allowPath, hint }: { allowPath: boolean; /** What is not part of the URL. */ hint: string },
): string {
  if (!URL.canParse(text)) return text;
  const { pathname, search } = new URL(text);
  if (search !== "" || (pathname !== "/" && !allowPath))
    throw new FieldError("url", `url must be the address of the server only, such as https://host; ${hint}`);
  return text.replace(/[#?].*$/, "").replace(/\/+$/, "");
}
