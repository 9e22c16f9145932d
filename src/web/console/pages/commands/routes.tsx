import { PageHead } from "../../kit/components.tsx";
import { Button } from "../../kit/form.tsx";
import { Icon } from "../../kit/icons.tsx";
import { fragment, page, type PageResult } from "../../kit/page-result.ts";
import { commandsPath, shortcutsPath } from "../../kit/paths.ts";
import { pageGroup, type PageGroup } from "../../shell/router.ts";
import { queryCharactersMax } from "./catalog.ts";
import { Results } from "./results.tsx";
import { commandServices, findCommands, type CommandContext } from "./search.ts";
import { showShortcuts } from "./shortcuts.tsx";

/** The command bar, which is a page of its own without script. */
export function commandPages(others: readonly PageGroup[]): PageGroup {
  const pages = others.flatMap(({ nav }) => (nav === undefined ? [] : [nav]));

  async function showCommands(context: CommandContext): Promise<PageResult> {
    const { query, request, services } = context;
    const text = (query.get("q") ?? "").trim().slice(0, queryCharactersMax);
    const found = await findCommands(context, { text, pages });
    const keywords = new Map(services.domains.list().map((domain) => [domain.domain, domain.keywords]));
    const results = { found, keywordsOf: (domain: string) => keywords.get(domain) ?? [] };
    if (request.headers.has("x-fragment")) return fragment(<Results {...results} asOptions />);
    return page(
      "Search",
      <>
        <PageHead title="Search" lead="Threats, protected domains, pages, and actions." />
        <form method="get" action={commandsPath} role="search" class="line">
          <div class="search">
            <Icon name="search" />
            <input
              class="input"
              type="search"
              name="q"
              value={text}
              aria-label="Name, page, or action"
              placeholder="Name, page, or action"
              maxLength={queryCharactersMax}
              spellcheck={false}
              autocapitalize="none"
              autocomplete="off"
              autofocus
            />
          </div>
          <Button label="Search" />
        </form>
        <div class="card command">
          <Results {...results} asOptions={false} />
        </div>
      </>,
    );
  }

  return pageGroup({
    services: commandServices,
    routes: [
      { method: "GET", path: commandsPath, permission: "read", run: showCommands },
      {
        method: "GET",
        path: shortcutsPath,
        permission: "read",
        run: (context) => showShortcuts(context, pages),
      },
    ],
  });
}
