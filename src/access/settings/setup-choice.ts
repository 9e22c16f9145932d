import { dayMs, toIsoTime, type Clock } from "../../platform/lib/clock.ts";
import type { Settings } from "./settings.ts";

/** How long the setup is offered after the first start. */
const offeredMs = 30 * dayMs;

/** Progress of the setup of this installation, as far as no other record shows it. */
export function createSetupChoice({ clock, settings }: { clock: Pick<Clock, "now">; settings: Settings }) {
  const now = () => toIsoTime(clock.now());
  return {
    /** Returns whether the setup is still offered: it was not skipped, and the first start was recent. */
    isOffered(): boolean {
      const firstStartedAt = Date.parse(settings.get("first_started_at") ?? "");
      const isOld = clock.now() - firstStartedAt > offeredMs;
      return !isOld && (settings.get("setup_skipped_at") ?? "") === "";
    },
    skip: () => settings.set("setup_skipped_at", now()),
    /** Offers the setup again. */
    resume: () => settings.set("setup_skipped_at", ""),
    /** Returns whether a test message of the setup was delivered. */
    isTestDelivered: (): boolean => settings.get("setup_test_delivered_at") !== undefined,
    recordTestDelivered: () => settings.set("setup_test_delivered_at", now()),
  };
}
