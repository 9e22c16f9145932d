import { toIsoTime } from "../../../../platform/lib/clock.ts";
import { pathStart } from "../../../../platform/lib/request-path.ts";
import { headerOf } from "../../headers.ts";
import { noAlert, type TrapClassifier, type TrapKind, type TrapKindDependencies } from "../../kind.ts";
import { escapeMarkup } from "../../../../platform/lib/safe-text.ts";
import { notFoundResponse, pageResponse, pixelResponse } from "../../responses.ts";
import { readResponse, type HoneytokenDetails, type NewHoneytoken, type UrlResponse } from "./details.ts";
import { keptHeaders } from "./kept-headers.ts";
import { honeytokenPresentation } from "./presentation.ts";
import { classifyVisitor } from "./visitor-class.ts";

/** The part of a visitor's request that is recorded. */
interface VisitorRequest {
  method: string;
  /** From the path on. */
  url: string;
  referrer: string | null;
  headers: [name: string, value: string][];
}

const urlLengthMax = 2_000;

/** URLs, images, and documents that there is no reason to open. */
export const honeytoken: TrapKind<NewHoneytoken, HoneytokenDetails, VisitorRequest> = {
  name: "honeytoken",
  pathSegment: "t",
  presentation: honeytokenPresentation,
  prepare: ({ kind, response = { kind: "not_found" }, expiresAt }) => ({
    defaultName: kind,
    details: { kind, response: readResponse(kind, response) },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }),
  auditDetail: ({ details }) => ({ kind: details.kind }),
  suffix: ({ details }) => (details.kind === "pixel" ? ".gif" : ""),
  accepts: () => true,
  respond(token) {
    const { kind, response } = token.details();
    return kind === "url" ? respondWith(response) : pixelResponse("no-store");
  },
  observe: (request) => ({
    method: request.method,
    url: request.url.slice(pathStart(request.url)).slice(0, urlLengthMax),
    referrer: headerOf(request, "referer", urlLengthMax),
    headers: keptHeaders(request.headers),
  }),
  open: openHoneytokens,
};

function respondWith(response: UrlResponse): Response {
  switch (response.kind) {
    case "not_found":
      return notFoundResponse();
    case "page":
      return pageResponse(response.title, pageBody(response));
    case "redirect":
      return new Response(null, {
        status: 302,
        headers: { location: response.url, "cache-control": "no-store" },
      });
  }
}

/** Returns the title and one paragraph per line, as HTML. */
function pageBody({ title, text }: { title: string; text: string }): string {
  const paragraphs = text
    .split(/\n+/)
    .filter((line) => line.trim() !== "")
    .map((line) => `<p>${escapeMarkup(line)}</p>`);
  return [`<h1>${escapeMarkup(title)}</h1>`, ...paragraphs].join("\n");
}

function openHoneytokens({
  outbox,
}: TrapKindDependencies): TrapClassifier<HoneytokenDetails, VisitorRequest> {
  return {
    classify: ({ observation, userAgent }) => ({
      class: classifyVisitor(userAgent),
      host: null,
      claimedUrl: null,
      ...observation,
    }),

    alert({ ipAddress, userAgent, referrer, at }, { id, name, details }, limits) {
      if (!limits.mayReport(id)) return noAlert;
      limits.countReport({ id, name });
      const eventId = outbox.record("token.accessed", {
        token: { id, name, kind: details.kind },
        access: { ip_address: ipAddress, user_agent: userAgent, referrer, at: toIsoTime(at) },
      });
      return { eventId, threatId: null };
    },
  };
}
