import { PageHead } from "../../kit/components.tsx";
import { fragment, page, type PageResult } from "../../kit/page-result.ts";
import type { Context } from "../../shell/router.ts";
import { Keys } from "./results.tsx";
import type { PageEntry } from "./search.ts";

const shortcuts: readonly { title: string; keys: readonly (readonly [keys: string, action: string])[] }[] = [
  {
    title: "Everywhere",
    keys: [
      ["Ctrl K", "search, or run an action"],
      ["/", "go to the filter"],
      ["u", "undo the last decision"],
      ["?", "show this list"],
    ],
  },
  {
    title: "Threats",
    keys: [
      ["j", "next threat"],
      ["k", "previous threat"],
      ["Enter", "open"],
      ["o", "open"],
      ["Esc", "close the panel"],
      ["x", "select"],
      ["r", "resolve this threat, or the selected ones"],
      ["f", "mark as false positive"],
      ["a", "reactivate"],
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
  const opening = pages.flatMap(({ keys, label }) =>
    keys === undefined ? [] : [[keys, label.toLowerCase()] as const],
  );
  return (
    <div class="shortcuts">
      {[...shortcuts, { title: "Go to", keys: opening }].map(({ title, keys }) => (
        <section>
          <h2>{title}</h2>
          <dl>
            {keys.map(([pressed, action]) => (
              <div>
                <dt>
                  <Keys keys={pressed} />
                </dt>
                <dd>{action}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
