import { describeWarning, wordWarnings } from "../../../../engines/detection/brand/word-warnings.ts";
import { suggestionKinds, type SuggestionKind } from "../../../../facts/inspection/model/original.ts";
import type { Suggestion } from "../../../../facts/inspection/discovery/suggestions.ts";
import type { ProtectedDomain } from "../../../../threats/domains/domains.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import type { SearchTerms } from "../../../../engines/archive/search/name-searches.ts";
import { isAtOrBelow } from "../../../../platform/lib/host-names.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import { parseNameQuery } from "../../../../threats/index/columns/name-query.ts";
import { Card, LinkButton, Progress, Section, Note } from "../../kit/components.tsx";
import { Icon, type IconName, Name, Text } from "../../kit/inline.tsx";
import { PostButton } from "../../kit/form.tsx";
import { fragment, page, redirect, refreshing, type PageResult } from "../../kit/page-result.ts";
import { domainPath, domainsPath, originalsPath, suggestionPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { findDomain, isDeclared } from "../../threat-kit/domains.ts";
import words from "../../inspection-kit/original-words.json" with { type: "json" };
import { Empty } from "../../kit/table.tsx";
import { ComparedName } from "../../threat-kit/compared-name.tsx";
import { listPath } from "../../threat-kit/filters.ts";

type SuggestionServices = "archive" | "config" | "domains" | "nameSearches" | "originals" | "threatIndex";

const icons: Record<SuggestionKind, IconName> = { keyword: "note", allow: "ok", page: "image" };

/** Suggestions of a domain; renders nothing without any. */
export function SuggestionsCard(props: { domain: ProtectedDomain; suggestions: readonly Suggestion[] }) {
  const { domain, suggestions } = props;
  if (suggestions.length === 0) return null;
  return (
    <Card title="Suggestions" id="suggestions" flush>
      <ul class="todo">
        {suggestions.map((suggestion) => (
          <SuggestionItem domain={domain} suggestion={suggestion} />
        ))}
      </ul>
      <p class="remark">
        {isDeclared(domain)
          ? "The configuration file declares this domain: add keywords and allowed names there."
          : "Derived from the pages, their certificates and their links."}
      </p>
    </Card>
  );
}

function SuggestionItem({ domain, suggestion }: { domain: ProtectedDomain; suggestion: Suggestion }) {
  const { kind, value, source } = suggestion;
  return (
    <li>
      <span>
        <Icon name={icons[kind]} />
      </span>
      <div>
        <span class="strong">
          {words.suggestions[kind]}: <Value suggestion={suggestion} />
        </span>
        <p class="hint">Found in: {words.sources[source]}</p>
        <div class="line tight">
          <AddButton domain={domain} suggestion={suggestion} />
          {kind === "page" ? null : (
            <LinkButton path={suggestionPath(domain.domain, kind, value)} label="Preview" small />
          )}
          <DismissButton domain={domain} suggestion={suggestion} small />
        </div>
      </div>
    </li>
  );
}

function Value({ suggestion: { kind, value } }: { suggestion: Pick<Suggestion, "kind" | "value"> }) {
  return kind === "allow" ? <Name name={value} /> : <Text text={value} charactersMax={120} />;
}

/** A keyword or an allowed name of a domain that the configuration file declares is added there. */
function AddButton({ domain, suggestion }: { domain: ProtectedDomain; suggestion: Suggestion }) {
  const { kind, value, role } = suggestion;
  if (isDeclared(domain)) return null;
  return (
    <PostButton
      action={`${originalsPath(domain.domain)}/suggestions`}
      label={kind === "allow" ? "Allow" : "Add"}
      fields={{ kind, value, role: role ?? "other", step: "add" }}
      small
    />
  );
}

function DismissButton(props: { domain: ProtectedDomain; suggestion: Suggestion; small?: boolean }) {
  const { domain, suggestion, small } = props;
  const { kind, value } = suggestion;
  return (
    <PostButton
      action={`${originalsPath(domain.domain)}/suggestions`}
      label="Dismiss"
      fields={{ kind, value, step: "dismiss" }}
      variant="plain"
      small={small}
    />
  );
}

/** Adds what was suggested, or dismisses it. */
export async function applySuggestion(context: Context<"domains" | "originals">): Promise<PageResult> {
  const { by, form, services } = context;
  const domain = findDomain(context);
  const path = originalsPath(domain.domain);
  const { kind, value, role } = await readSuggestion(context, domain);
  if (form.get("step") === "dismiss") {
    await context.write(() => services.originals.dismiss(domain, { kind, value }, { by }));
    return redirect(path, "Dismissed. It is not suggested again.");
  }
  if (kind === "page") {
    const host = new URL(value).hostname;
    if (isDeclared(domain))
      throw badRequest(
        `The configuration file declares ${domain.domain}. Add ${host} to its allowed names there, then add the page.`,
      );
    await context.write(() => {
      const { allow } = findDomain(context);
      const allowed = services.domains.change(domain.domain, { allow: [...allow, host] }, { by });
      return services.originals.add(allowed, { address: value, role }, { by });
    });
    await services.originals.captureNow(domain);
    return redirect(path, `Added, and ${host} is an allowed name. The page is being captured.`);
  }
  await context.write(() => {
    // Read again: another keyword or name may have been added since.
    const { allow, keywords } = findDomain(context);
    const content = kind === "keyword" ? { keywords: [...keywords, value] } : { allow: [...allow, value] };
    return services.domains.change(domain.domain, content, { by });
  });
  if (kind === "allow") await services.originals.captureNow(domain);
  return redirect(
    path,
    kind === "allow"
      ? "Allowed. New names below it are no threats; existing threats are unchanged."
      : "Keyword added. Applies to new names and to names seen before.",
  );
}

/** Returns the suggestion of a request, which must still be made, so that a forged link adds nothing else. */
async function readSuggestion(
  { form, query, request, services }: Context<"originals">,
  domain: ProtectedDomain,
): Promise<Suggestion & { role: NonNullable<Suggestion["role"]> }> {
  const given = request.method === "POST" ? form : query;
  const kind = suggestionKinds.find((one) => one === given.get("kind"));
  const value = given.get("value");
  const suggestions = await services.originals.suggestions(domain);
  const found = suggestions.find((one) => one.kind === kind && one.value === value);
  if (found === undefined) throw badRequest("This is no longer suggested. Open the page again.");
  return { ...found, role: found.role ?? "other" };
}

/** Shows which names a keyword would have matched, or which threats an allowed name covers. */
export async function showSuggestion(context: Context<SuggestionServices>): Promise<PageResult> {
  const domain = findDomain(context);
  const suggestion = await readSuggestion(context, domain);
  const { kind } = suggestion;
  const preview = kind === "keyword" ? keywordPreview : allowPreview;
  const results = await preview(context, domain, suggestion);
  if (context.request.headers.has("x-fragment")) return fragment(results);
  const path = originalsPath(domain.domain);
  return page(
    {
      title: `${words.suggestions[kind]} ${suggestion.value}`,
      heading: (
        <>
          {words.suggestions[kind]} <Value suggestion={suggestion} />
        </>
      ),
      crumbs: [
        { label: "Protected domains", path: domainsPath },
        { label: domain.domain, path: domainPath(domain.domain) },
        { label: "Original pages", path },
      ],
      actions: (
        <>
          <AddButton domain={domain} suggestion={suggestion} />
          <DismissButton domain={domain} suggestion={suggestion} />
        </>
      ),
    },
    <>
      {kind === "keyword" ? <Warnings domain={domain} word={suggestion.value} /> : null}
      {results}
    </>,
  );
}

function Warnings({ domain, word }: { domain: ProtectedDomain; word: string }) {
  const { domain: name, keywords, allow } = domain;
  const warnings = wordWarnings({ domain: name, keywords: [...keywords, word], allow });
  return (
    <>
      {warnings
        .filter((warning) => warning.word === word)
        .map((warning) => (
          <Note tone="warn" title="This word is common">
            {describeWarning(warning)}.
          </Note>
        ))}
    </>
  );
}

/** Number of names in a preview. */
const shownMax = 40;

/** Searches the names seen before for what only the new keyword matches. Refreshes itself until it is complete. */
async function keywordPreview(
  { services }: Context<SuggestionServices>,
  { domain, keywords }: ProtectedDomain,
  { kind, value }: Suggestion,
) {
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
  const hits = search?.hits ?? [];
  const more = hits.length - shownMax;
  return (
    <section
      id="preview"
      aria-label="Preview"
      {...refreshing(isRunning, suggestionPath(domain, kind, value), 1_000)}
    >
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
                <ComparedName domain={name} protectedDomain={domain} keywords={[...keywords, value]} />
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

async function allowPreview(
  { services }: Context<SuggestionServices>,
  { domain }: ProtectedDomain,
  { value }: Suggestion,
) {
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
