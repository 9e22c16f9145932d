import type { DependenciesWithAuditLog } from "../audit/needs.ts";
import type { AccountCodes } from "./account-codes.ts";
import type { AccountLinks } from "./account-links.ts";
import type { Accounts } from "./accounts.ts";
import type { PasswordHashes } from "./password-hashes.ts";

/** The standard dependencies, and what belongs to accounts. */
export interface DependenciesWithAccounts extends DependenciesWithAuditLog {
  accounts: Accounts;
  codes: AccountCodes;
  hashes: PasswordHashes;
  links: AccountLinks;
}

/** Types of the dependencies that a function names, of which one belongs to accounts. */
export type Needs<Name extends keyof DependenciesWithAccounts> = Pick<DependenciesWithAccounts, Name>;
