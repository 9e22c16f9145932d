import { normalizeHostName } from "../../../../engines/detection/names/name.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { queryOf } from "../../../../platform/lib/request-path.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { headerOf } from "../../headers.ts";
import type { TrapKind } from "../../kind.ts";
import { pixelResponse } from "../../responses.ts";
import { openBeacons } from "./classifier.ts";
import type { BeaconDetails, NewBeacon } from "./details.ts";
import type { PageReport } from "./page-report.ts";
import { beaconPresentation } from "./presentation.ts";

const urlLengthMax = 2_000;
/** Every visit is compared with each, and the console lists them. */
const allowedHostsMax = 200;
/** Repeats within an hour are only counted anyway. Browsers cache the image separately for each site. */
const imageCacheControl = "private, max-age=3600";

/** A few bytes of script for the owner's pages. They report when the page is shown on another host. */
export const beacon: TrapKind<NewBeacon, BeaconDetails, PageReport> = {
  name: "beacon",
  pathSegment: "b",
  presentation: beaconPresentation,
  prepare: ({ protectedDomain, allow = [] }) => ({
    protectedDomain,
    details: { allow: readHosts(allow) },
  }),
  auditDetail: ({ protectedDomain }) => ({ protected_domain: protectedDomain?.domain ?? null }),
  suffix: () => "",
  accepts: ({ method, suffix }) => method === "GET" && /^(\.gif)?$/i.test(suffix),
  respond: (_, { suffix }) => pixelResponse(suffix.endsWith(".gif") ? imageCacheControl : "no-store"),
  observe(request) {
    const query = queryOf(request.url);
    const [url, referrer] = [query.get("u"), query.get("r") ?? ""];
    return {
      script:
        url === null ? null : { url: url.slice(0, urlLengthMax), referrer: referrer.slice(0, urlLengthMax) },
      referer: headerOf(request, "referer", urlLengthMax),
      origin: headerOf(request, "origin", urlLengthMax),
    };
  },
  open: openBeacons,
};

/** @throws PublicError `bad_request` */
function readHosts(texts: readonly string[]): string[] {
  if (texts.length > allowedHostsMax)
    throw badRequest(`A beacon must have at most ${allowedHostsMax} additional hosts.`);
  return texts.map((text) => {
    const result = normalizeHostName(text);
    if ("name" in result) return result.name;
    throw badRequest(`"${visible(text, 100)}" is not a host name: it ${result.error}.`);
  });
}
