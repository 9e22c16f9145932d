import { configurationFile } from "../../../access/audit/actor.ts";
import { applyDeclared } from "../../../platform/config/declared.ts";
import type { SubscriptionConfig } from "../../../platform/config/sections/notifications.ts";
import type { SubscriptionAudit } from "./audit.ts";
import type { SubscriptionStore } from "./store.ts";
import { enabledState, type SubscriptionSettings, type SubscriptionWriter } from "./writer.ts";

/** Applies declarations of the configuration file, in the caller's transaction. */
export function createDeclarations({
  audit,
  store,
  writer,
}: {
  audit: SubscriptionAudit;
  store: SubscriptionStore;
  writer: SubscriptionWriter;
}) {
  function applyOne(name: string, settings: SubscriptionSettings): void {
    const before = store.find(name);
    if (before === undefined)
      return audit.added(
        configurationFile,
        writer.insert(name, settings, { origin: "file", ...enabledState }),
      );
    const changed = writer.changeSettings(before, settings);
    // One that a person paused stays paused, whatever the file says.
    const staysDisabled = before.disabledReason === "operator" && before.origin === "file";
    audit.declared(
      before,
      writer.update(changed, { origin: "file", ...(before.enabled || staysDisabled ? {} : enabledState) }),
    );
  }

  return {
    apply(declared: readonly SubscriptionConfig[]): void {
      for (const { name, ...settings } of declared)
        applyDeclared("subscriptions", name, () => applyOne(name, settings));
      const names = new Set(declared.map(({ name }) => name));
      for (const one of store.list()) {
        if (one.origin !== "file" || names.has(one.name) || one.disabledReason === "undeclared") continue;
        audit.declared(one, writer.update(one, writer.disabledState(one, "undeclared")));
      }
    },
  };
}
