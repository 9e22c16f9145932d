import type { Instant } from "../../../platform/lib/clock.ts";
import type { Existence } from "../../lookups/dns/existence.ts";
import type { NetworkResult } from "../../lookups/network/network-lookup.ts";
import type { Page, PageResult } from "../../lookups/page/page-lookup.ts";
import type { RegistrationResult } from "../../lookups/registration/registration-values.ts";
import type { Facts, HostNetwork } from "./facts.ts";
import { afterSent, afterShown } from "./rendered-page.ts";
import { formerMarksAfter } from "./site-marks.ts";
import { siteTimesAfter } from "./site-state.ts";

/** Results of one check. A result is absent if that lookup was not made. */
export interface CheckResults {
  existence?: Existence;
  registration?: RegistrationResult;
  page?: PageResult;
  /** Whether a browser was used for `page`. Default: no. */
  isRendered?: boolean;
  networks?: AddressNetwork[];
}

/** Result of looking up the network of one address. */
export interface AddressNetwork {
  address: string;
  result: NetworkResult;
}

/** Number of checks in a row without a page after which the page counts as gone. One alone may be an outage. */
export const pageFailuresMax = 3;

/** Returns the facts after a check: results replace what was known; what could not be determined stays as it was. */
export function mergeFacts(before: Facts, results: CheckResults, now: Instant): Facts {
  const after: Facts = { ...before, unknown: { ...before.unknown } };
  const { existence, isRendered = false, registration, networks, page } = results;
  if (existence !== undefined) mergeExistence(after, existence);
  if (registration !== undefined) mergeRegistration(after, registration, now);
  if (networks !== undefined) mergeNetworks(after, networks, now);
  if (page !== undefined) mergePage(after, page, { isRendered, now });
  if (existence !== undefined && existence.exists !== "unknown" && hasNoHost(after)) dropPage(after);
  const site = siteTimesAfter(before, after, now);
  if (site !== undefined) after.site = site;
  const former = formerMarksAfter(before, after, now);
  if (former === undefined) delete after.former;
  else after.former = former;
  return after;
}

/** Adds what a browser showed of the page. What the server sent is never replaced by less. */
export function withShown(before: Facts, shown: Page): Facts {
  const { rendered, ...rest } = before;
  if (before.page === undefined) return before;
  const after = afterShown(before.page, rendered, shown);
  const unknown = { ...before.unknown };
  if (after.page.unseen === undefined && before.page.unseen === unknown.page) delete unknown.page;
  return { ...rest, ...after, unknown };
}

function mergeExistence(after: Facts, { exists, reason, ...records }: Existence): void {
  delete after.unknown.existence;
  if (exists === "unknown") after.unknown.existence = reason ?? "no definite response";
  else after.existence = { ...records, exists };
}

function mergeRegistration(after: Facts, result: RegistrationResult, now: Instant): void {
  delete after.unknown.registration;
  if (result.ok) {
    after.registration = result.registration;
    after.registrationAt = now;
  } else {
    after.unknown.registration = result.reason;
    if (result.unregistered !== true) return;
    delete after.registration;
    after.registrationAt = now;
  }
}

/** Replaces the networks of the addresses that were looked up. Networks of other addresses are outdated. */
function mergeNetworks(after: Facts, results: readonly AddressNetwork[], now: Instant): void {
  delete after.unknown.networks;
  const known = after.networks ?? [];
  const merged: HostNetwork[] = [];
  for (const { address, result } of results) {
    if (!result.ok) after.unknown.networks ??= result.reason;
    const found = result.ok
      ? { ...result.network, at: now }
      : known.find(({ addresses }) => addresses.includes(address));
    if (found === undefined) continue;
    const same = merged.find(
      ({ first, last, url }) => first === found.first && last === found.last && url === found.url,
    );
    if (same === undefined) merged.push({ ...found, addresses: [address] });
    else same.addresses.push(address);
  }
  // After a failure, the networks of former addresses are better than none.
  if (merged.length > 0) after.networks = merged;
  if (results.some(({ result }) => result.ok)) after.networksAt = now;
}

function mergePage(
  after: Facts,
  result: PageResult,
  { isRendered, now }: { isRendered: boolean; now: Instant },
): void {
  delete after.unknown.page;
  if (result.ok) {
    const { page, rendered } = isRendered
      ? { page: result.page, rendered: {} }
      : afterSent(after, result.page);
    after.page = page;
    if (rendered === undefined) delete after.rendered;
    else after.rendered = rendered;
    if (page.unseen !== undefined) after.unknown.page = page.unseen;
    after.pageAt = now;
    after.pageFailures = 0;
    return;
  }
  after.unknown.page = result.reason;
  after.pageFailures = (after.pageFailures ?? 0) + 1;
  if (after.pageFailures >= pageFailuresMax) dropPage(after);
}

function dropPage(after: Facts): void {
  delete after.page;
  delete after.pageAt;
  delete after.rendered;
}

/** Returns whether DNS certainly leads to no host, so that there can be no page. */
function hasNoHost({ existence }: Facts): boolean {
  return existence !== undefined && (existence.exists === "no" || existence.addresses.length === 0);
}
