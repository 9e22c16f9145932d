import type { ComponentChildren, VNode } from "preact";
import { capitalized } from "../../../platform/lib/wording.ts";
import { FlashMessage, type Flash } from "../kit/components.tsx";
import { SeveritySymbols, Icon, type IconName } from "../kit/inline.tsx";
import { Form } from "../kit/form.tsx";
import { PageContextOf, usePage, type PageContext } from "../kit/page-context.ts";

import {
  accountPath,
  commandsPath,
  decisionsPath,
  overviewPath,
  preferencesPath,
  shortcutsPath,
  signOutPath,
  undoTriagePath,
} from "../kit/paths.ts";
import { cityOf } from "../kit/times.ts";
import type { Assets } from "./assets.ts";
import type { Theme } from "./reader.ts";
import type { NavigationEntry, NavigationMark } from "./router.ts";

interface FrameProps {
  title: string;
  assets: Pick<Assets, "stylePath" | "scriptPath" | "iconPath">;
  theme: Theme;
  context: PageContext;
  children: ComponentChildren;
}

/** The HTML document around every page. */
export function Frame({ title, assets, theme, context, children }: FrameProps) {
  return (
    <html lang="en" data-theme={theme === "auto" ? undefined : theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · phishwatch`}</title>
        <link rel="icon" href={assets.iconPath} type="image/svg+xml" />
        <link rel="stylesheet" href={assets.stylePath} />
        <script src={assets.scriptPath} defer></script>
      </head>
      <body
        class={context.reader.density === "compact" ? "dense" : undefined}
        data-shortcuts={context.reader.shortcuts ? "" : undefined}
        data-undo={context.may("decide") ? undoTriagePath : undefined}
      >
        <SeveritySymbols />
        <PageContextOf.Provider value={context}>{children}</PageContextOf.Provider>
      </body>
    </html>
  );
}

/** An entry of the navigation with what stands beside it now. */
export interface MarkedEntry {
  entry: Omit<NavigationEntry, "mark">;
  mark: NavigationMark | undefined;
}

const sections: readonly { section: NavigationEntry["section"]; title: string | undefined }[] = [
  { section: "main", title: undefined },
  { section: "traps", title: "Traps" },
  { section: "notify", title: "Notify" },
  { section: "settings", title: "Settings" },
];

/** The frame of a page after the sign-in. */
export function Layout(
  props: FrameProps & {
    /** Undefined: the page stands alone. */
    navigation: readonly MarkedEntry[] | undefined;
    flash: Flash | undefined;
    /** See `page` in `kit/page-result.ts`. */
    beside: VNode | null | undefined;
  },
) {
  const { navigation, flash, beside, children, ...frame } = props;
  const message = flash === undefined ? null : <FlashMessage flash={flash} />;
  if (navigation === undefined)
    return (
      <Frame {...frame}>
        <main class="alone run" id="content">
          <div class="run-inner stack gap-l">
            {message}
            {children}
          </div>
        </main>
      </Frame>
    );
  return (
    <Frame {...frame}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="app">
        <header class="top">
          <Brand />
          <a class="btn plain square" href={commandsPath} aria-label="Search or run a command">
            <Icon name="search" />
          </a>
          <button type="button" class="btn plain" popovertarget="menu">
            <Icon name="list" />
            Menu
          </button>
        </header>
        <Navigation navigation={navigation} path={frame.context.path} />
        {beside === undefined ? (
          <main id="content" tabIndex={-1}>
            <div class="wide stack">
              {message}
              {children}
            </div>
          </main>
        ) : (
          <div class="split">
            <main id="content" tabIndex={-1} class="stack">
              {message === null ? null : <div class="inset">{message}</div>}
              {children}
            </main>
            {beside}
          </div>
        )}
      </div>
    </Frame>
  );
}

/** Links to the sections that the visitor's role allows. */
function Navigation({ navigation: all, path }: { navigation: readonly MarkedEntry[]; path: string }) {
  const { mayOpen } = usePage();
  const navigation = all.filter(({ entry }) => mayOpen("GET", entry.path));
  const here = currentEntry(navigation, path);
  return (
    <nav class="side" id="menu" popover="auto" aria-label="Console">
      <Brand />
      <a class="seek" href={commandsPath} aria-keyshortcuts="Control+K Meta+K">
        <Icon name="search" />
        Search or jump to
        <kbd aria-hidden="true">Ctrl K</kbd>
      </a>
      {sections.map(({ section, title }) => (
        <>
          {title === undefined ? null : <h2>{title}</h2>}
          <ul>
            {navigation
              .filter(({ entry }) => entry.section === section)
              .map(({ entry, mark }) => (
                <li>
                  <a
                    href={entry.path}
                    aria-current={entry === here ? "page" : undefined}
                    data-key={entry.keys}
                  >
                    <Icon name={entry.icon} />
                    {entry.label}
                    <Mark path={entry.path} mark={mark} />
                  </a>
                </li>
              ))}
          </ul>
        </>
      ))}
      <AccountMenu path={path} />
    </nav>
  );
}

/** Returns the most specific entry that contains the page. */
function currentEntry(navigation: readonly MarkedEntry[], path: string): MarkedEntry["entry"] | undefined {
  return navigation
    .map(({ entry }) => entry)
    .filter(
      (entry) => path === entry.path || (entry.path !== overviewPath && path.startsWith(`${entry.path}/`)),
    )
    .sort((a, b) => b.path.length - a.path.length)[0];
}

function Mark({ path, mark }: { path: string; mark: NavigationMark | undefined }) {
  if (mark === undefined) return null;
  if ("count" in mark)
    return (
      <span class="count" data-count={path}>
        {mark.count.toLocaleString("en-US")}
      </span>
    );
  return (
    <span class="count bad" title={mark.problem}>
      <Icon name="fail" />
      <span class="vh">{mark.problem}</span>
    </span>
  );
}

/** The signed-in account, with links to its own pages. */
function AccountMenu({ path }: { path: string }) {
  const { account, reader } = usePage();
  return (
    <details class="me">
      <summary>
        <Icon name="people" />
        <span>
          {account?.name}
          <small>
            {account === undefined ? "" : capitalized(account.role)} · {cityOf(reader.timeZone)}
          </small>
        </span>
      </summary>
      <ul class="menu">
        {accountLinks(path).map(([icon, label, target]) => (
          <li>
            <a href={target}>
              <Icon name={icon} />
              {label}
            </a>
          </li>
        ))}
        <li>
          <Form action={signOutPath}>
            <button type="submit">
              <Icon name="out" />
              Sign out
            </button>
          </Form>
        </li>
      </ul>
    </details>
  );
}

function accountLinks(path: string): [IconName, string, string][] {
  return [
    ["people", "Your account", accountPath],
    ["clock", "Preferences", `${preferencesPath}?${new URLSearchParams({ to: path }).toString()}`],
    ["undo", "Recent decisions", decisionsPath],
    ["key", "Keyboard shortcuts", shortcutsPath],
    ["info", "Manual", "/docs"],
    ["endpoint", "API reference", "/docs/api"],
  ];
}

/** Name and mark of the product. */
export function Brand() {
  const { iconsPath } = usePage();
  return (
    <a class="brand" href={overviewPath}>
      <svg width="22" height="22" viewBox="0 0 24 24" aria-hidden="true">
        <use href={`${iconsPath}#i-mark`} />
      </svg>
      phishwatch
    </a>
  );
}
