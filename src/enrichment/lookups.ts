import type { LookUpExistence } from "../lookups/dns/existence.ts";
import type { PageLookup } from "../lookups/page/page-lookup.ts";
import type { RegistrationLookup } from "../lookups/registration/registration-lookup.ts";

/** The lookups that facts come from. None of them throws for what the other side does. */
export interface Lookups {
  existence: LookUpExistence;
  registration: RegistrationLookup["lookUpRegistration"];
  page: PageLookup["lookUpPage"];
}
