import { signIn } from "../benchmarks/console-session.ts";
import type { Record } from "./recording.ts";
import { withoutVariables } from "./recording.ts";
import { describeResponse, type Sandbox } from "./server.ts";

/** Pages of one kind, such as those of threats, of which each is recorded. More would only repeat the kind. */
const pagesPerKindMax = 6;
const pagesMax = 900;
/** Pages that link nothing but themselves with other parameters, and responses that are random. */
const skipped =
  /^\/console\/(?:sign-out|assets\/|threats\/export|evidence|audit-log\?)|\/evidence|\.zip|download|settings\/system\/backup$|settings\/webhooks\/.*(?:enable|send)$/;

/** Visits every page that links lead to, then submits every form as it is, and records the responses. */
export async function recordConsole(sandbox: Sandbox, record: Record): Promise<void> {
  const cookie = await signIn(sandbox.url, sandbox.password);
  const open = async (path: string, init: RequestInit = {}) =>
    withoutVariables(
      await describeResponse(
        await fetch(`${sandbox.url}${path}`, {
          redirect: "manual",
          ...init,
          headers: { cookie, "accept-encoding": "identity", ...init.headers },
        }),
      ),
    );

  const forms = new Map<string, { page: string; fields: URLSearchParams }>();
  const seen = new Set(["/console", "/docs"]);
  const visitsOfKind = new Map<string, number>();
  const waiting = [...seen];
  let visited = 0;
  for (let path = waiting.shift(); path !== undefined && visited < pagesMax; path = waiting.shift()) {
    const kind = kindOf(path);
    const visits = visitsOfKind.get(kind) ?? 0;
    if (visits >= pagesPerKindMax) continue;
    visitsOfKind.set(kind, visits + 1);
    visited++;
    const page = await open(path);
    record(`console: GET ${path}`, page);
    for (const link of linksIn(page)) {
      if (seen.has(link) || skipped.test(link)) continue;
      seen.add(link);
      waiting.push(link);
    }
    for (const form of formsIn(page, path))
      if (!forms.has(kindOf(form.action))) forms.set(kindOf(form.action), form);
  }

  for (const [action, { page, fields }] of [...forms].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (skipped.test(action) || action.includes("account") || action.includes("sign")) continue;
    // The token that was replaced in the recorded page is read again.
    const raw = await (await fetch(`${sandbox.url}${page}`, { headers: { cookie } })).text();
    const token = /name="form_token" value="([^"]+)"/.exec(raw)?.[1];
    if (token !== undefined) fields.set("form_token", token);
    const target = formsIn(raw, page).find((form) => kindOf(form.action) === action)?.action ?? action;
    record(
      `console: POST ${action}`,
      await open(target, { method: "POST", body: fields, headers: { origin: sandbox.url } }),
    );
  }
}

/** A path without what distinguishes two entries: IDs and values of parameters. */
function kindOf(path: string): string {
  const [name = "", query = ""] = path.split("?");
  const parameters = [...new URLSearchParams(query).keys()].sort().join("&");
  const kind = name
    .replace(/[a-z]{3}_[0-9a-z]{26}/g, "<id>")
    .replace(/\/[^/]+\.[a-z]{2,}(?=\/|$)/g, "/<name>");
  return parameters === "" ? kind : `${kind}?${parameters}`;
}

function linksIn(page: string): string[] {
  return [...page.matchAll(/<a\b[^>]*\bhref="([^"]+)"/g)]
    .map(([, href]) => decode(href!).split("#")[0]!)
    .filter((href) => /^\/(?:console|docs)/.test(href))
    .sort();
}

function formsIn(page: string, path: string): { action: string; page: string; fields: URLSearchParams }[] {
  return [...page.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)]
    .filter(([, attributes]) => /method="post"/i.test(attributes!) && !/multipart/.test(attributes!))
    .map(([, attributes, content]) => {
      const fields = new URLSearchParams();
      for (const [, input] of content!.matchAll(/<input\b([^>]*)>/g)) {
        const name = attribute(input!, "name");
        const type = attribute(input!, "type");
        if (name === undefined || ((type === "checkbox" || type === "radio") && !/\bchecked\b/.test(input!)))
          continue;
        fields.append(name, attribute(input!, "value") ?? "");
      }
      return { action: attribute(attributes!, "action") ?? path, page: path, fields };
    });
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : decode(value);
}

function decode(text: string): string {
  return text
    .replaceAll("&amp;", "&")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<");
}
