import type { Indicator } from "../../../threats/severity/indicators.ts";
import { indicatorLabels } from "../../kit/labels.ts";
import { listPath } from "./filters.ts";

const ofIndicator = (indicator: Indicator): [string, Record<string, string>] => [
  indicatorLabels[indicator][0]!.toUpperCase() + indicatorLabels[indicator].slice(1),
  { sign: indicator },
];

/** Common views. Any other view is reachable by its filters and can be bookmarked. */
const views: readonly [string, Record<string, string>][] = [
  ["To triage", {}],
  ["High severity", { severity: "high" }],
  ["Verified", { verified: "yes" }],
  ["Newest", { sort: "first_seen" }],
  ofIndicator("asks_for_secrets"),
  ofIndicator("looks_like_original"),
  ofIndicator("receives_mail"),
  ["Resolved", { status: "resolved", sort: "status_changed" }],
  ["False positives", { status: "false_positive", sort: "status_changed" }],
  ["All", { status: "all", sort: "first_seen" }],
];

export function ReadyViews({ query }: { query: URLSearchParams }) {
  const here = sorted(query);
  return (
    <nav class="views" aria-label="Views">
      {views.map(([label, parameters]) => {
        const view = new URLSearchParams(parameters);
        return (
          <a href={listPath(view)} aria-current={sorted(view) === here ? "page" : undefined}>
            {label}
          </a>
        );
      })}
    </nav>
  );
}

/** Normalizes a query for comparison: forms also send defaults. */
function sorted(query: URLSearchParams): string {
  const usual = new URLSearchParams(query);
  usual.delete("status", "active");
  usual.sort();
  return usual.toString();
}

const keys: readonly [string, string][] = [
  ["j", "next threat"],
  ["k", "previous threat"],
  ["Enter or o", "open"],
  ["x", "select"],
  ["r", "resolve this threat or the selected ones"],
  ["f", "mark as false positive"],
  ["a", "reactivate"],
  ["/", "search"],
  ["?", "show this list"],
];

export function KeyboardHelp() {
  return (
    <div data-script-only hidden>
      <button type="button" class="outline small" popovertarget="keys" data-key="?">
        Keyboard shortcuts
      </button>
      <div id="keys" popover="auto" role="dialog" aria-label="Keyboard shortcuts">
        <dl class="keys">
          {keys.map(([key, what]) => (
            <div>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  );
}
