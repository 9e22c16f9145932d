import type { LookUpExistence } from "../lookups/dns/existence.ts";
import type { PageFetcher } from "../lookups/page/page-lookup.ts";
import type { RegistrationLookup } from "../lookups/registration/registration-lookup.ts";

/** The look-ups that facts come from. None of them throws for what the other side does. */
export interface LookUps {
  existence: LookUpExistence;
  registration: RegistrationLookup["lookUpRegistration"];
  page: PageFetcher["fetchPage"];
}
