import type { LookUpExistence } from "./dns/existence.ts";
import type { NetworkLookup } from "./network/network-lookup.ts";
import type { PageResult } from "./page/page-lookup.ts";
import type { RegistrationLookup } from "./registration/registration-lookup.ts";

/** Determines the facts about a page of a name. */
export type LookUpPage = (
  target: {
    name: string;
    /** URL of the page, or the name, whose home page is looked up. */
    address: string;
    protectedDomain: string;
    /** Names of the protected brand. */
    brandNames: readonly string[];
  },
  options: {
    /** Whether a person waits for it. Default: no. */
    isUrgent?: boolean;
    signal: AbortSignal;
  },
) => Promise<PageResult>;

/** The lookups that facts come from. None of them throws for what the other side does. */
export interface Lookups {
  existence: LookUpExistence;
  registration: RegistrationLookup["lookUpRegistration"];
  network: NetworkLookup["lookUpNetwork"];
  page: LookUpPage;
}
