import type { App } from "../../app.ts";
import { causeOf } from "../../deliveries/rules/recipient-state.ts";
import { counted } from "../../lib/wording.ts";
import type { CheckResult } from "./check-result.ts";

/** Checks the mail server without sending anything, and reports the state of each channel. */
export async function channelResults({ channels }: App): Promise<CheckResult[]> {
  const { mailServer } = channels;
  const results: CheckResult[] = [];
  if (mailServer !== null) {
    const what = `mail server ${mailServer.name}`;
    const problem = await mailServer.check();
    results.push(
      problem === undefined
        ? { what, state: "ok", detail: mailServer.signsIn ? "connected and signed in" : "connected" }
        : { what, state: "error", detail: problem },
    );
  }
  for (const channel of channels.list()) {
    const what = `channel ${channel.name}`;
    const { consecutiveFailures: failures } = channel;
    if (!channel.enabled) results.push({ what, state: "warning", detail: "disabled" });
    else if (failures === 0) results.push({ what, state: "ok", detail: channels.label(channel.type) });
    else
      results.push({
        what,
        state: "error",
        detail: `the last ${counted(failures, "attempt")} failed: ${causeOf(channel) ?? "cause unknown"}`,
      });
  }
  return results;
}
