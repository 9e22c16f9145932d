import { bearer } from "@elysiajs/bearer";
import { Elysia } from "elysia";

// RFC 9110 §11.1 and §11.4: the scheme is case-insensitive and separated from the token by spaces.
const bearerAuthorization = /^bearer +([\x21-\x7e]+) *$/i;

/** Returns the token of an `Authorization` header (RFC 6750 §2.1), or undefined if there is none. */
export function tokenOf(authorization: string | null | undefined): string | undefined {
  if (authorization === null || authorization === undefined) return undefined;
  return bearerAuthorization.exec(authorization)?.[1];
}

// The plugin also reads the token from the query, where it would end up in logs and browser histories. No query can
// contain this name: percent-encoding cannot express a lone surrogate (RFC 3629 §3).
const impossibleParameter = "\ud800";

/**
 * Adds the bearer token to the context of the routes that follow, as `bearer`. This is `@elysiajs/bearer` with two
 * gaps closed: the plugin compares the scheme case-sensitively and accepts `BearerX abc`, and it reads
 * `?access_token=`. It copies all headers and the query of each request and awaits a promise, which takes 3 µs, so the
 * routes under `/v1` call `tokenOf` instead.
 */
export function bearerToken() {
  return new Elysia()
    .derive({ as: "scoped" }, ({ headers }) => {
      const token = tokenOf(headers["authorization"]);
      headers["authorization"] = token === undefined ? undefined : `Bearer ${token}`;
    })
    .use(bearer({ extract: { header: "Bearer", query: impossibleParameter } }));
}
