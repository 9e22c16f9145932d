import { optionalIsoTime, type Instant } from "../../../../platform/lib/clock.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { honeytokenKinds } from "../../../../platform/vocabulary/traps.ts";
import { presentationTexts, type FieldValues, type TrapPresentation } from "../../presentation.ts";
import type { HoneytokenDetails, NewHoneytoken, UrlResponse } from "./details.ts";
import type { DocumentFormat } from "./documents.ts";
import file from "./presentation.json" with { type: "json" };

const { fileTexts, steps, ...texts } = presentationTexts(file);

export const honeytokenPresentation: TrapPresentation<NewHoneytoken, HoneytokenDetails> = {
  ...texts,
  read: readInput,
  columns: ({ details, memo }) => [
    { label: "Kind", value: { text: details.kind } },
    { label: "Memo", value: { text: memo } },
  ],
  facts: ({ details }) => [
    { label: "Kind", value: { text: details.kind } },
    { label: "Response", value: { text: describeResponse(details) } },
  ],
  deployment({ details }, { url }) {
    const snippets =
      details.kind === "pixel" ? [url, `<img src="${url}" width="1" height="1" alt="">`] : [url];
    return snippets.map((snippet, index) => ({ ...steps[index]!, snippet }));
  },
  json: ({ details, expiresAt }, { url, oldUrls }) => ({
    kind: details.kind,
    url,
    old_addresses: oldUrls,
    answer: details.kind === "url" ? details.response : { kind: "pixel" },
    expires_at: optionalIsoTime(expiresAt),
  }),
  files: {
    ...fileTexts!,
    offered: ({ details }) => details.kind === "document",
    async write(_, { url }, { format, title, text }) {
      const { writeDocument } = await import("./documents.ts");
      return writeDocument(format as DocumentFormat, url, { title, text });
    },
  },
};

function readInput(values: FieldValues): NewHoneytoken {
  const kind = honeytokenKinds.find((known) => known === values["kind"]);
  if (kind === undefined) throw badRequest(`The kind must be one of ${honeytokenKinds.join(", ")}.`);
  const response = responseIn(values, kind === "url");
  const expiresAt = values["expires"] as Instant | undefined;
  return { kind, response, expiresAt };
}

/** A form contains a response for every kind, because it works without script. */
function responseIn(values: FieldValues, isUrl: boolean): UrlResponse | undefined {
  const [title, text, redirect] = ["title", "text", "redirect"].map((name) => values[name]);
  const inferred =
    redirect !== undefined ? "redirect" : title !== undefined || text !== undefined ? "page" : undefined;
  const chosen = values["response"] === undefined ? inferred : isUrl ? values["response"] : undefined;
  if (chosen === "redirect") return { kind: "redirect", url: String(redirect ?? "") };
  if (chosen === "page") return { kind: "page", title: String(title ?? ""), text: String(text ?? "") };
  return undefined;
}

function describeResponse({ kind, response }: HoneytokenDetails): string {
  if (kind !== "url") return "an image of one transparent pixel";
  if (response.kind === "not_found") return "404, as if nothing were there";
  return response.kind === "page" ? `a page: ${response.title}` : `a redirect to ${response.url}`;
}
