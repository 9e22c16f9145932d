import type { ProtectedDomain } from "../../../threats/domains/domains.ts";
import { notFound } from "../../../platform/lib/errors.ts";
import type { Context } from "../shell/router.ts";

/** @throws PublicError `not_found` */
export function findDomain({ services, params }: Context<"domains">): ProtectedDomain {
  const domain = services.domains.find(params["domain"]!);
  if (domain === undefined) throw notFound("There is no protected domain with this name.");
  return domain;
}

/** Returns whether the configuration file declares the domain, so that it can only be changed there. */
export function isDeclared({ origin, enabled }: ProtectedDomain): boolean {
  return origin === "file" && enabled;
}

/** Counts the threats of a domain. */
export function threatCounts(
  { threats }: Context<"threats">["services"],
  domain: string,
): { all: number; active: number } {
  const total = (status?: "active") =>
    threats.list({ protectedDomain: domain, ...(status && { status }) }, { page: 1, perPage: 1 }).total;
  return { all: total(), active: total("active") };
}
