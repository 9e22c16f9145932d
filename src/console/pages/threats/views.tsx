import { downloadStream } from "../../../http/download.ts";
import { badRequest } from "../../../lib/errors.ts";
import { exportFormatNames, exportFormats } from "../../../outputs/exports/formats.ts";
import type { Indicator } from "../../../threats/severity/indicators.ts";
import { indicatorLabels } from "../../kit/labels.ts";
import { download, type PageResult } from "../../kit/page-result.ts";
import { exportPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { listPath, readListRequest } from "../../threat-kit/filters.ts";

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
      <button type="button" class="btn small" popovertarget="keys" data-key="?">
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

/** Sends all threats of a view, in the order in which they were recorded. */
export async function exportView({
  services: { exports, publicUrl },
  request,
  query,
}: Context<"exports" | "publicUrl">): Promise<PageResult> {
  const format = exportFormats.find((one) => one === query.get("format"));
  if (format === undefined)
    throw badRequest(`"format" in the URL must be one of ${exportFormats.join(", ")}`);
  const { filter } = readListRequest(query);
  // A response to HEAD has no body that would be read to its end.
  if (request.method === "HEAD") return new Response(null);
  const file = await exports.open(format, filter, publicUrl());
  return download(file.fileName, file.type, downloadStream(file, request.signal));
}

/** Links that download the present view. */
export function ExportLinks({ query }: { query: URLSearchParams }) {
  return (
    <p class="line">
      {exportFormats.map((format) => {
        const view = new URLSearchParams(query);
        view.set("format", format);
        return (
          <a href={`${exportPath}?${view}`} class="btn small" download="">
            Export {exportFormatNames[format]}
          </a>
        );
      })}
    </p>
  );
}
