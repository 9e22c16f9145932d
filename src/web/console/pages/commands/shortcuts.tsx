import type { Permission } from "../../../../platform/vocabulary/permissions.ts";
import { PageHead } from "../../kit/components.tsx";
import { usePage } from "../../kit/page-context.ts";
import { fragment, page, type PageResult } from "../../kit/page-result.ts";
import type { Context } from "../../shell/router.ts";
import { Keys } from "./results.tsx";
import type { PageEntry } from "./search.ts";

interface Shortcut {
  keys: string;
  action: string;
  /** Permission without which the key does nothing. */
  needs?: Permission;
}

const shortcuts: readonly { title: string; keys: readonly Shortcut[] }[] = [
  {
    title: "Everywhere",
    keys: [
      { keys: "Ctrl K", action: "search, or run an action" },
      { keys: "/", action: "go to the filter" },
      { keys: "u", action: "undo the last decision", needs: "decide" },
      { keys: "?", action: "show this list" },
    ],
  },
  {
    title: "Threats",
    keys: [
      { keys: "j", action: "next threat" },
      { keys: "k", action: "previous threat" },
      { keys: "Enter", action: "open" },
      { keys: "o", action: "open" },
      { keys: "e", action: "show or hide the threats of a campaign" },
      { keys: "Esc", action: "close the panel" },
      { keys: "x", action: "select", needs: "decide" },
      { keys: "r", action: "resolve this threat, or the selected ones", needs: "decide" },
      { keys: "f", action: "mark as false positive", needs: "decide" },
      { keys: "a", action: "reactivate", needs: "decide" },
      { keys: "m", action: "assign to me", needs: "decide" },
    ],
  },
];

/** Lists the keyboard shortcuts, with those of `pages`: as a page, or as a part for the dialog. */
export function showShortcuts(
  { request }: Pick<Context, "request">,
  pages: readonly PageEntry[],
): PageResult {
  if (request.headers.has("x-fragment")) return fragment(<Shortcuts pages={pages} />);
  return page(
    "Keyboard shortcuts",
    <>
      <PageHead
        title="Keyboard shortcuts"
        lead="Single keys act while no field has the focus. They need JavaScript."
      />
      <Shortcuts pages={pages} />
    </>,
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
