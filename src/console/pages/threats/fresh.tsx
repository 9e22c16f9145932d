import { grouped } from "../../../lib/wording.ts";
import { badRequest } from "../../../lib/errors.ts";
import { parseWholeNumber } from "../../kit/fields.ts";
import { Icon } from "../../kit/icons.tsx";
import { fragment, type PageResult } from "../../kit/page-result.ts";
import { newThreatsPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { listPath, readListRequest } from "../../threat-kit/filters.ts";

/**
 * Announces that threats have arrived since the page was loaded. The script asks for it from time to time, so that
 * nothing moves before the reader wants to see them.
 * @param since `seq` of the newest threat that the page has seen
 */
export function Fresh({ query, since, count }: { query: URLSearchParams; since: number; count: number }) {
  const asked = new URLSearchParams(query);
  asked.set("since", String(since));
  return (
    <div class="fresh" data-fresh={`${newThreatsPath}?${asked}`} data-count={count} hidden={count === 0}>
      {count === 0 ? null : (
        <a href={listPath(query)}>
          <Icon name="up" />
          {grouped(count)} new, show
        </a>
      )}
    </div>
  );
}

/** Sends the fragment with the number of new threats in a view. */
export async function showNewThreats({
  services,
  query: given,
}: Context<"threatIndex">): Promise<PageResult> {
  const { filter, query } = readListRequest(given);
  const since = parseWholeNumber(given.get("since"));
  if (since === undefined) throw badRequest('"since" in the URL must be a number');
  const count = await services.threatIndex().newerThan(filter, since);
  return fragment(<Fresh query={query} since={since} count={count} />);
}
