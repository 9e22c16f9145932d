import { bearer } from "@elysiajs/bearer";
import { Elysia } from "elysia";

// RFC 9110 §11.1 and §11.4: the scheme's case does not matter, and spaces part it from the token.
const bearerAuthorization = /^bearer +([\x21-\x7e]+) *$/i;

/** The token of an `Authorization` header (RFC 6750 §2.1); undefined when it carries none. */
export function tokenOf(authorization: string | null | undefined): string | undefined {
  if (authorization === null || authorization === undefined) return undefined;
  return bearerAuthorization.exec(authorization)?.[1];
}

// The plugin also takes a token from the query, where it would end up in logs and histories. No query can
// hold this name: percent-encoding cannot express a lone surrogate (RFC 3629 §3).
const nameNoQueryHas = "\ud800";

/**
 * Puts the bearer token on the context of the routes that follow, as `bearer`. This is `@elysiajs/bearer` with
 * its two gaps closed: it tells schemes apart by case and takes `BearerX abc` for one, and it reads
 * `?access_token=`. It copies all headers and the whole query of each request and makes it wait for a promise,
 * 3 µs in all, so the routes under `/v1` call `tokenOf` themselves.
 */
export function bearerToken() {
  return new Elysia()
    .derive({ as: "scoped" }, ({ headers }) => {
      const token = tokenOf(headers["authorization"]);
      headers["authorization"] = token === undefined ? undefined : `Bearer ${token}`;
    })
    .use(bearer({ extract: { header: "Bearer", query: nameNoQueryHas } }));
}
