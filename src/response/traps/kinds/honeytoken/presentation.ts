import { optionalIsoTime, type Instant } from "../../../../platform/lib/clock.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { honeytokenKinds, type HoneytokenKind } from "../../../../platform/vocabulary/traps.ts";
import type { FieldValues, TrapField, TrapPresentation } from "../../presentation.ts";
import type { HoneytokenDetails, NewHoneytoken, UrlResponse } from "./details.ts";
import type { DocumentFormat } from "./documents.ts";

const kindTexts: Record<HoneytokenKind, { label: string; hint: string }> = {
  url: { label: "Link", hint: "an address in a wiki, an email, or a file of passwords" },
  pixel: { label: "Image", hint: "one transparent pixel, for pages and HTML emails" },
  document: { label: "Document", hint: "a Word document or PDF that reports when it is opened" },
};

export const honeytokenPresentation: TrapPresentation<NewHoneytoken, HoneytokenDetails> = {
  title: "Honeytokens",
  icon: "honey",
  aliases: ["tokens"],
  summary: "URLs and documents that report when somebody opens them",
  lead: "Links, images, and documents that nobody has a reason to open. Any visit indicates an intruder.",
  emptyList: "No honeytokens yet.",
  exampleName: "wiki",
  texts: {
    nameHint: "Default: the kind.",
    nameFlag: "name of the honeytoken (default: its kind)",
    memoHint: "Where the honeytoken is deployed, for the person who handles the alert.",
    memoFlag: "where the honeytoken is deployed",
    show: "show a honeytoken with its address",
    visits: "list who opened a honeytoken, newest first",
    enabled: "reports visits again",
    disabled: "no longer reports visits; its address returns 404",
    deleting:
      "Its addresses will return 404, and its visits will be deleted. Events that were sent are kept.",
  },
  create: {
    summary: "create a honeytoken: url, pixel, or document",
    details: `Prints its address to standard output. Anything after the address, as in …/salaries.xlsx, is part of it.
A url returns 404 by default, a pixel returns an image of one transparent pixel, and the files of a document are written by 'honeytokens document'.`,
    examples: [
      [
        `phishwatch honeytokens create url --name wiki --memo "page Passwords in the wiki"`,
        "a link that nobody needs",
      ],
      [
        `phishwatch honeytokens create document --name salaries && phishwatch honeytokens document salaries s.docx`,
        "a Word document that reports when it is opened",
      ],
    ],
    done: "Honeytoken created. Deploy it where only an intruder would find it.",
  },
  fields: fields(),
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
    const address = {
      text: "Anything after the address, such as /salaries.xlsx, is part of it.",
      snippet: url,
      label: "address",
      level: "fact",
    } as const;
    if (details.kind !== "pixel") return [address];
    const element = `<img src="${url}" width="1" height="1" alt="">`;
    return [address, { text: "For a page or an HTML email:", snippet: element, label: "element" }];
  },
  json: ({ details, expiresAt }, { url, oldUrls }) => ({
    kind: details.kind,
    url,
    old_addresses: oldUrls,
    answer: details.kind === "url" ? details.response : { kind: "pixel" },
    expires_at: optionalIsoTime(expiresAt),
  }),
  visitColumns: ["request", "user_agent", "referrer"],
  visitClasses: {
    visit: "by any other visitor",
    link_preview: "by a program that renders previews of links",
    mail_scanner: "by a mail filter",
  },
  files: {
    formats: [
      {
        format: "docx",
        label: "Word document",
        mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      },
      { format: "pdf", label: "PDF", mediaType: "application/pdf" },
    ] satisfies { format: DocumentFormat; label: string; mediaType: string }[],
    hint: "Word requests the address once editing is enabled, and LibreOffice if its settings allow links. Acrobat asks the reader of a PDF first; most other viewers request it only after a click on the page.",
    offered: ({ details }) => details.kind === "document",
    notOffered: "only a honeytoken of kind document has files",
    async write(_, { url }, { format, title, text }) {
      const { writeDocument } = await import("./documents.ts");
      return writeDocument(format as DocumentFormat, url, { title, text });
    },
  },
};

function fields(): TrapField[] {
  return [
    {
      name: "kind",
      type: "choice",
      label: "Kind",
      choices: honeytokenKinds.map((kind) => ({ value: kind, ...kindTexts[kind] })),
      command: { argument: "kind" },
    },
    {
      name: "expires",
      type: "expiry",
      label: "Expires",
      hint: "At the end of that day, UTC. Empty: never.",
      command: {
        flag: "--expires-in <duration>",
        description: "return 404 and report nothing after this time, such as 90d (default: never)",
      },
    },
    {
      name: "response",
      type: "choice",
      label: "Response of a link",
      only: "link",
      choices: [
        { value: "not_found", label: "404, as if nothing were there" },
        { value: "page", label: "A page" },
        { value: "redirect", label: "A redirect" },
      ],
      // The command infers it from the other flags.
      command: null,
    },
    {
      name: "title",
      type: "text",
      lengthMax: 200,
      label: "Title of the page",
      only: "page",
      command: { flag: "--title <text>", description: "url: return a page with this title" },
    },
    {
      name: "text",
      type: "multiline",
      lengthMax: 5_000,
      label: "Text of the page",
      only: "page",
      command: { flag: "--text <text>", description: "url: text of the page" },
    },
    {
      name: "redirect",
      type: "url",
      lengthMax: 2_000,
      label: "URL of the redirect",
      only: "redirect",
      excludes: ["title", "text"],
      command: { flag: "--redirect <url>", description: "url: redirect visitors to this URL" },
    },
  ];
}

function readInput(values: FieldValues): NewHoneytoken {
  const kind = honeytokenKinds.find((known) => known === values["kind"]);
  if (kind === undefined) throw badRequest(`The kind must be one of ${honeytokenKinds.join(", ")}.`);
  const response = responseIn(values, kind === "url");
  const expiresAt = values["expires"] as Instant | undefined;
  return { kind, response, expiresAt };
}

/** A form always contains a response, whatever the kind, because it works without script. */
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
