import type { ApiKeys } from "../access/keys/keys.ts";
import type { Config } from "../platform/config/config.ts";
import type { ProtectedDomains } from "../threats/domains/domains.ts";
import type { Lists } from "../response/outputs/block-lists/lists.ts";

/** Makes the rows of the database match what the configuration file declares. */
export function reconcile(
  parts: {
    domains: Pick<ProtectedDomains, "reconcile">;
    keys: Pick<ApiKeys, "reconcile">;
    lists: Pick<Lists, "reconcile">;
    messaging: { reconcile(declared: Config): void };
  },
  declared: Config,
): void {
  parts.domains.reconcile(declared.protectedDomains);
  parts.keys.reconcile(declared.apiKeys);
  parts.messaging.reconcile(declared);
  parts.lists.reconcile(declared.lists);
}
