import type { ComponentChildren } from "preact";
import { FlashMessage } from "../kit/components.tsx";
import { PostButton } from "../kit/form.tsx";
import { PageContextOf, type PageContext } from "../kit/page-context.ts";
import type { Flash } from "../kit/page-result.ts";
import { overviewPath, signOutPath, themePath } from "../kit/paths.ts";
import type { Assets } from "./assets.ts";
import type { NavigationEntry, PageGroup } from "./router.ts";
import { themes, type Theme } from "./theme.ts";

interface FrameProps {
  title: string;
  assets: Pick<Assets, "stylePath" | "scriptPath" | "iconPath">;
  theme: Theme;
  context: PageContext;
  children: ComponentChildren;
  /** Class of the `<body>` element. */
  bodyClass?: string;
}

/** The HTML document around every page. */
export function Frame({ title, assets, theme, context, bodyClass, children }: FrameProps) {
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
      <body class={bodyClass}>
        <PageContextOf.Provider value={context}>{children}</PageContextOf.Provider>
      </body>
    </html>
  );
}

/** The frame of a page for somebody who is signed in. */
export function Layout({
  groups,
  flash,
  version,
  children,
  ...frame
}: FrameProps & { groups: readonly PageGroup[]; flash: Flash | undefined; version: string }) {
  const entries = groups.flatMap(({ nav }) => (nav === undefined ? [] : [nav]));
  const { path } = frame.context;
  // The most specific entry that contains the page.
  const here = entries
    .filter(
      (entry) => path === entry.path || (entry.path !== overviewPath && path.startsWith(`${entry.path}/`)),
    )
    .sort((a, b) => b.path.length - a.path.length)[0];
  const list = (section: NavigationEntry["section"]) => (
    <ul>
      {entries
        .filter((entry) => entry.section === section)
        .map((entry) => (
          <li>
            <a href={entry.path} aria-current={entry === here ? "page" : undefined}>
              {entry.label}
            </a>
          </li>
        ))}
    </ul>
  );
  return (
    <Frame {...frame} bodyClass="framed">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href={overviewPath}>
          phishwatch
        </a>
        <button type="button" class="outline small" popovertarget="menu">
          Menu
        </button>
      </header>
      <nav id="menu" popover="auto" aria-label="Console">
        <div class="menu-inner">
          <a class="brand" href={overviewPath}>
            phishwatch
          </a>
          {list("main")}
          <h2>Integrations</h2>
          {list("integrations")}
          <h2>Settings</h2>
          {list("settings")}
          <div class="menu-foot">
            <ThemeSwitch theme={frame.theme} path={path} />
            <PostButton action={signOutPath} label="Sign out" variant="outline" />
            <p class="hint">
              Version {version}
              <br />
              <a href="/docs">Manual</a> <a href="/docs/api">API reference</a>
            </p>
          </div>
        </div>
      </nav>
      <main id="content" tabIndex={-1}>
        {flash === undefined ? null : <FlashMessage flash={flash} />}
        {children}
      </main>
    </Frame>
  );
}

function ThemeSwitch({ theme, path }: { theme: Theme; path: string }) {
  const next = themes[(themes.indexOf(theme) + 1) % themes.length]!;
  return (
    <PostButton
      action={themePath}
      label={`Theme: ${theme}`}
      fields={{ theme: next, to: path }}
      variant="outline"
    />
  );
}
