import type { LookUpExistence } from "./dns/existence.ts";
import type { NetworkLookup } from "./network/network-lookup.ts";
import type { PageLookup } from "./page/page-lookup.ts";
import type { RegistrationLookup } from "./registration/registration-lookup.ts";

/** The lookups that facts come from. None of them throws for what the other side does. */
export interface Lookups {
  existence: LookUpExistence;
  registration: RegistrationLookup["lookUpRegistration"];
  network: NetworkLookup["lookUpNetwork"];
  page: PageLookup["lookUpPage"];
}
