import { grouped } from "../../../platform/lib/wording.ts";
import { Icon } from "../kit/icons.tsx";
import { newThreatsPath } from "../kit/paths.ts";
import { listPath } from "./filters.ts";

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
