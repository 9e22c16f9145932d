import type { SearchTerms } from "../../../../engines/archive/search/name-searches.ts";
import type { ProtectedDomain } from "../../../../threats/domains/domains.ts";
import type { Suggestion } from "../../../../facts/inspection/discovery/suggestions.ts";
import { isAtOrBelow } from "../../../../platform/lib/host-names.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import { parseNameQuery } from "../../../../threats/index/columns/name-query.ts";
import { Progress, Section } from "../../kit/components.tsx";
import { Note } from "../../kit/marks.tsx";
import { suggestionPath } from "../../kit/paths.ts";
import { Empty } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { compareNames, ComparedName } from "../../threat-kit/compared-name.tsx";
import { listPath } from "../../threat-kit/filters.ts";

/** Number of names in a preview. */
const shownMax = 40;

type PreviewServices = "archive" | "config" | "nameSearches" | "threatIndex";

/** Searches the names seen before for those that only the new keyword matches. Refreshes itself until it is complete. */
export async function KeywordPreview({
  context: { services },
  domain: { domain, keywords },
  suggestion: { kind, value },
}: {
  context: Pick<Context<PreviewServices>, "services">;
  domain: ProtectedDomain;
  suggestion: Suggestion;
}) {
  const { minSimilarity } = services.config.detection;
  const query = {
    kind: "look-alikes",
    domain,
    keywords: [...keywords, value],
    known: keywords,
    minSimilarity,
  } as const;
  const terms: SearchTerms = { query, since: undefined, source: undefined };
  const search = services.archive.status().enabled ? await services.nameSearches.search(terms) : null;
  if (search === null)
    return <Empty>The archive is disabled, so there are no names to try the keyword on.</Empty>;
  const isRunning = search === undefined || search.state === "running";
  const refresh = isRunning
    ? { "data-refresh": suggestionPath(domain, kind, value), "data-refresh-ms": "1000" }
    : {};
  const hits = search?.hits ?? [];
  const more = hits.length - shownMax;
  return (
    <section id="preview" aria-label="Preview" {...refresh}>
      <Section title="Names seen before that it would have matched">
        {search !== undefined && isRunning ? (
          <Progress done={search.names} total={search.namesTotal} label="names searched" />
        ) : null}
        {search?.state === "failed" ? <Note tone="bad">The search failed. Open the page again.</Note> : null}
        {hits.length === 0 ? (
          <Empty>{isRunning ? "None so far." : "None. It would have matched no name seen before."}</Empty>
        ) : (
          <ul class="card stack">
            {hits.slice(0, shownMax).map(({ name }) => (
              <li>
                <ComparedName name={name} comparison={compareNames(name, domain, [...keywords, value])} />
              </li>
            ))}
          </ul>
        )}
        {more > 0 ? (
          <p class="hint">
            and {grouped(more)} more{search?.isLimited === true ? ", at least" : ""}
          </p>
        ) : null}
      </Section>
    </section>
  );
}

export async function AllowPreview({
  context: { services },
  domain: { domain },
  suggestion: { value },
}: {
  context: Pick<Context<PreviewServices>, "services">;
  domain: ProtectedDomain;
  suggestion: Suggestion;
}) {
  const index = services.threatIndex();
  await index.prepare();
  const { threats } = await index.search(
    { protectedDomain: domain, text: parseNameQuery(value) },
    { key: "first_seen", descending: true },
    { page: 1, perPage: 500 },
  );
  const covered = threats.filter((threat) => isAtOrBelow(threat.domain, value));
  return (
    <section id="preview" aria-label="Preview">
      <Section title="Threats that it would have prevented">
        {covered.length === 0 ? (
          <Empty>None. No threat of this domain has this name or is below it.</Empty>
        ) : (
          <p>
            <a href={listPath(new URLSearchParams({ status: "all", domain, q: value }))}>
              {counted(covered.length, "threat")}
            </a>
            . Decide them after you have allowed the name: they are not changed.
          </p>
        )}
      </Section>
    </section>
  );
}
