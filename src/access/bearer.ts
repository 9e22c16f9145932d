import { bearer } from "@elysiajs/bearer";
import { Elysia } from "elysia";

// The plugin also takes a token from the query, where it would end up in logs and histories. No query can
// hold this name: percent-encoding cannot express a lone surrogate (RFC 3629 §3).
const nameNoQueryHas = "\ud800";

/**
 * Puts the bearer token of the `Authorization` header on the context of the routes that follow, as `bearer`.
 * This is `@elysiajs/bearer` with its two gaps closed: it tells schemes apart by case and takes `BearerX abc`
 * for one, and it reads `?access_token=`.
 */
export function bearerToken() {
  return new Elysia()
    .derive({ as: "scoped" }, ({ headers }) => {
      headers["authorization"] = canonicalAuthorization(headers["authorization"]);
    })
    .use(bearer({ extract: { header: "Bearer", query: nameNoQueryHas } }));
}

// RFC 9110 §11.1 and §11.4: the scheme's case does not matter, and spaces part it from the token.
const bearerAuthorization = /^bearer +([\x21-\x7e]+) *$/i;

/** `Bearer <token>` for what is a bearer token in any spelling, undefined for everything else. */
export function canonicalAuthorization(header: string | undefined): string | undefined {
  const token = header === undefined ? null : bearerAuthorization.exec(header);
  return token === null ? undefined : `Bearer ${token[1]}`;
}
