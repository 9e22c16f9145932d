import type { NoticeRequest } from "./notice-type.ts";

const json = "application/json";

/**
 * Returns a request that sends JSON.
 * @param payload a text is JSON already
 */
export function jsonRequest(
  url: string | null,
  payload: object | string,
  { token = null, type = json }: { token?: string | null; type?: string } = {},
): NoticeRequest {
  return {
    method: "POST",
    url: url ?? "",
    headers: { ...bearer(token), "Content-Type": type },
    body: typeof payload === "string" ? payload : JSON.stringify(payload),
  };
}

/** Returns the header with an access token, or none. */
export function bearer(token: string | null): Record<string, string> {
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}
