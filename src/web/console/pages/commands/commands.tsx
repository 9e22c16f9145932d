import type { ComponentChildren } from "preact";
import type { Permission } from "../../../../platform/vocabulary/permissions.ts";
import { Button, HiddenFields } from "../../kit/form.tsx";
import { Icon, inWords, Name, Text } from "../../kit/inline.tsx";
import { fragment, page, type PageResult } from "../../kit/page-result.ts";
import { commandsPath, shortcutsPath, threatPath } from "../../kit/paths.ts";
import type { PageGroup, Context } from "../../shell/router.ts";
import { usePage } from "../../kit/page-context.ts";
import { ComparedName, keywordsReader, type KeywordsOf } from "../../threat-kit/compared-name.tsx";
import { SeverityMark, StatusMark } from "../../threat-kit/threat-marks.tsx";
import shortcutGroups from "./shortcuts.json" with { type: "json" };
import {
  queryCharactersMax,
  type Command,
  findCommands,
  type CommandContext,
  type Found,
  type PageEntry,
} from "./search.ts";

/** The command bar, which is a page of its own without script. */
export function commandPages(others: readonly PageGroup[]): PageGroup {
  const pages = others.flatMap(({ nav }) => (nav === undefined ? [] : [nav]));

  async function showCommands(context: CommandContext): Promise<PageResult> {
    const { query, request, services } = context;
    const text = (query.get("q") ?? "").trim().slice(0, queryCharactersMax);
    const found = await findCommands(context, { text, pages });
    const results = { found, keywordsOf: keywordsReader(services.domains.list()) };
    if (request.headers.has("x-fragment")) return fragment(<Results {...results} asOptions />);
    return page(
      { title: "Search", lead: "Threats, protected domains, pages, and actions." },
      <>
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

  return {
    routes: [
      { method: "GET", path: commandsPath, permission: "read", run: showCommands },
      {
        method: "GET",
        path: shortcutsPath,
        permission: "read",
        run: (context) => showShortcuts(context, pages),
      },
    ],
  };
}

interface ResultsProps {
  found: Found;
  keywordsOf: KeywordsOf;
  /** Renders options of the command bar's list box, which the script moves through, instead of links and buttons. */
  asOptions: boolean;
}

/** Results of a search, in groups. Commands that the visitor's role does not allow are left out. */
function Results({ found: { threats, groups }, keywordsOf, asOptions }: ResultsProps) {
  const { may, mayOpen } = usePage();
  const isAllowed = ({ path, fields, needs }: Command) =>
    (needs === undefined || may(needs)) && mayOpen(fields ? "POST" : "GET", path);
  const allowed = groups.map(({ title, max, commands }) => ({
    title,
    commands: firstOf(commands, max, isAllowed),
  }));
  const list = asOptions ? ({ role: "listbox", "aria-label": "Results" } as const) : {};
  return (
    <div id="command-results" {...list}>
      <Group title="Threats" asOptions={asOptions}>
        {threats.map((threat, index) => (
          <Item id={`command-threat-${index}`} path={threatPath(threat.id)} asOptions={asOptions}>
            <SeverityMark {...threat} word={false} />
            <ComparedName {...threat} keywords={keywordsOf(threat.protectedDomain)} />
            <span class="faint hide-s">
              {inWords(threat.type)} of <Name name={threat.protectedDomain} />
            </span>
            <span class="push">
              <StatusMark status={threat.status} />
            </span>
          </Item>
        ))}
      </Group>
      {allowed.map(({ title, commands }, group) => (
        <Group title={title} asOptions={asOptions}>
          {commands.map((command, index) => (
            <Item id={`command-${group}-${index}`} {...command} asOptions={asOptions}>
              <Label {...command} />
            </Item>
          ))}
        </Group>
      ))}
    </div>
  );
}

/** Returns the first `max` items that are allowed; the rest, which can be thousands, are not checked. */
function firstOf<T>(items: readonly T[], max: number, isAllowed: (item: T) => boolean): T[] {
  const found: T[] = [];
  for (const item of items) {
    if (found.length >= max) break;
    if (isAllowed(item)) found.push(item);
  }
  return found;
}

function Label({ label, icon, hint, keys }: Command) {
  return (
    <>
      <Icon name={icon} />
      <Text text={label} />
      {hint === undefined ? null : <span class="faint">{hint}</span>}
      {keys === undefined ? null : (
        <span class="push">
          <Keys keys={keys} />
        </span>
      )}
    </>
  );
}

/** Keys to press one after the other, such as `g t`. */
function Keys({ keys }: { keys: string }) {
  return (
    <>
      {keys.split(" ").map((key) => (
        <kbd>{key}</kbd>
      ))}
    </>
  );
}

function Group(props: { title: string; asOptions: boolean; children: readonly ComponentChildren[] }) {
  const { title, asOptions, children } = props;
  if (children.length === 0) return null;
  const id = `command-${title.toLowerCase().replaceAll(" ", "-")}`;
  return (
    <>
      <h2 id={id} role={asOptions ? "presentation" : undefined}>
        {title}
      </h2>
      <ul role={asOptions ? "group" : undefined} aria-labelledby={id}>
        {children}
      </ul>
    </>
  );
}

function Item(
  props: Pick<Command, "path" | "fields"> & { id: string; asOptions: boolean; children: ComponentChildren },
) {
  const { id, path, fields, asOptions, children } = props;
  const { csrfToken } = usePage();
  const option = asOptions ? ({ id, role: "option", tabIndex: -1, "aria-selected": "false" } as const) : {};
  return (
    <li role={asOptions ? "none" : undefined}>
      {fields === undefined ? (
        <a href={path} {...option}>
          {children}
        </a>
      ) : (
        <form method="post" action={path}>
          <HiddenFields fields={{ form_token: csrfToken, ...fields }} />
          <button type="submit" {...option}>
            {children}
          </button>
        </form>
      )}
    </li>
  );
}

interface Shortcut {
  keys: string;
  action: string;
  /** Permission without which the key does nothing. */
  needs?: Permission;
}

/** The compiler does not know the texts of a JSON file; a test checks the permissions. */
const shortcuts = shortcutGroups as readonly { title: string; keys: readonly Shortcut[] }[];

/** Lists the keyboard shortcuts, also of `pages`: as a page, or as a part for the dialog. */
function showShortcuts({ request }: Pick<Context, "request">, pages: readonly PageEntry[]): PageResult {
  if (request.headers.has("x-fragment")) return fragment(<Shortcuts pages={pages} />);
  return page(
    {
      title: "Keyboard shortcuts",
      lead: "Single keys act while no field has the focus. They need JavaScript.",
    },
    <Shortcuts pages={pages} />,
  );
}

function Shortcuts({ pages }: { pages: readonly PageEntry[] }) {
  const { may } = usePage();
  const opening: Shortcut[] = pages.flatMap(({ keys, label }) =>
    keys === undefined ? [] : [{ keys, action: label.toLowerCase() }],
  );
  return (
    <div class="shortcuts">
      {[...shortcuts, { title: "Go to", keys: opening }].map(({ title, keys }) => (
        <section>
          <h2>{title}</h2>
          <dl>
            {keys
              .filter(({ needs }) => needs === undefined || may(needs))
              .map((shortcut) => (
                <div>
                  <dt>
                    <Keys keys={shortcut.keys} />
                  </dt>
                  <dd>{shortcut.action}</dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
