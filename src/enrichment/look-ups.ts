import type { LookUpExistence } from "./existence.ts";
import type { PageFetcher } from "./page.ts";
import type { RegistrationLookup } from "./registration.ts";

/** The look-ups that facts come from. None of them throws for what the other side does. */
export interface LookUps {
  existence: LookUpExistence;
  registration: RegistrationLookup["lookUpRegistration"];
  page: PageFetcher["fetchPage"];
}
