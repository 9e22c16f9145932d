import type { Clock } from "../lib/clock.ts";
import { pathOf, pathStart } from "../lib/request-path.ts";
import { clientNetwork } from "../network/client-network.ts";
import { readPath } from "./addresses.ts";
import type { Beacons } from "./beacons.ts";
import { keptHeaders } from "./kept-headers.ts";
import type { Honeytokens, LiveToken } from "./honeytokens.ts";
import type { Intake } from "./intake.ts";
import { baitPage, notFoundPage } from "./pages.ts";

/**
 * The way in for visitors. Every answer depends on the address alone: what the visit is taken for is decided
 * later, so that neither the answer nor the time it takes tells a good host from a bad one.
 */
export interface TrapFront {
  /** @param client the client's address; undefined: not known. */
  answer(request: Request, client: string | undefined): Response;
}

const urlLengthMax = 2_000;
const userAgentLengthMax = 500;
/** What one customer is given at most. */
const visitorNetwork = { ipv4Octets: 3, ipv6Groups: 3 };

/** A GIF of one transparent pixel. */
export const pixel = Uint8Array.fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");

const pixelHeaders = {
  "content-type": "image/gif",
  // Pages that isolate themselves (COEP) may load it all the same.
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
};
const fresh = { ...pixelHeaders, "cache-control": "no-store" };
/** Repeats within the hour are only counted anyhow. Browsers keep it apart for each site that shows it. */
const forAnHour = { ...pixelHeaders, "cache-control": "private, max-age=3600" };
const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

export function createFront({
  beacons,
  clock,
  intake,
  tokens,
}: {
  beacons: Pick<Beacons, "byAddress">;
  clock: Clock;
  intake: Pick<Intake, "offer">;
  tokens: Pick<Honeytokens, "byAddress">;
}): TrapFront {
  function visitorOf(request: Request, client: string | undefined) {
    const ipAddress = client ?? null;
    return {
      at: clock.now(),
      ipAddress,
      network: clientNetwork(ipAddress, visitorNetwork),
      userAgent: header(request, "user-agent", userAgentLengthMax),
    };
  }

  function offerBeacon(trapId: string, request: Request, client: string | undefined): void {
    const { searchParams } = new URL(request.url);
    const [url, referrer] = [searchParams.get("u"), searchParams.get("r")];
    const script =
      url === null
        ? null
        : { url: url.slice(0, urlLengthMax), referrer: (referrer ?? "").slice(0, urlLengthMax) };
    const report = {
      script,
      referer: header(request, "referer", urlLengthMax),
      origin: header(request, "origin", urlLengthMax),
    };
    intake.offer({ trap: "beacon", trapId, ...visitorOf(request, client), report });
  }

  function offerToken(trapId: string, request: Request, client: string | undefined): void {
    intake.offer({
      trap: "token",
      trapId,
      ...visitorOf(request, client),
      method: request.method,
      url: request.url.slice(pathStart(request.url)).slice(0, urlLengthMax),
      referrer: header(request, "referer", urlLengthMax),
      headers: keptHeaders(request.headers),
    });
  }

  return {
    answer(request, client) {
      const path = pathOf(request.url);
      const found = readPath(path);
      if (found?.trap === "beacon" && request.method === "GET") {
        const id = beacons.byAddress(found.address);
        if (id === undefined) return notFound();
        offerBeacon(id, request, client);
        return new Response(pixel, { headers: path.endsWith(".gif") ? forAnHour : fresh });
      }
      if (found?.trap === "token") {
        const token = tokens.byAddress(found.address);
        if (token === undefined) return notFound();
        offerToken(token.id, request, client);
        return answerOf(token);
      }
      return notFound();
    },
  };
}

/** The same for whatever is not there, is no more, or pretends not to be. */
function notFound(): Response {
  return new Response(notFoundPage, { status: 404, headers: pageHeaders });
}

function answerOf({ kind, answer }: LiveToken): Response {
  if (kind !== "url") return new Response(pixel, { headers: fresh });
  switch (answer.kind) {
    case "not_found":
      return notFound();
    case "page":
      return new Response(baitPage(answer), { headers: pageHeaders });
    case "redirect":
      return new Response(null, {
        status: 302,
        headers: { location: answer.url, "cache-control": "no-store" },
      });
  }
}

function header(request: Request, name: string, lengthMax: number): string | null {
  return request.headers.get(name)?.slice(0, lengthMax) ?? null;
}
