import { badRequest } from "../../../../platform/lib/errors.ts";
import { parseWholeNumber } from "../../kit/fields.ts";
import { fragment, type PageResult } from "../../kit/page-result.ts";
import type { Context } from "../../shell/router.ts";
import { readListRequest } from "../../threat-kit/filters.ts";
import { Fresh } from "../../threat-kit/fresh.tsx";

/** Sends the fragment with the number of new threats in a view. */
export async function showNewThreats({
  services,
  query: given,
  account,
  now,
}: Context<"threatIndex">): Promise<PageResult> {
  const { filter, query } = readListRequest(given, { account, now });
  const since = parseWholeNumber(given.get("since"));
  if (since === undefined) throw badRequest('"since" in the URL must be a number');
  const count = await services.threatIndex().newerThan(filter, since);
  return fragment(<Fresh query={query} since={since} count={count} />);
}
