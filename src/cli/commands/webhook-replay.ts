import type { ReplayRequest } from "../../deliveries/replay.ts";
import { toIsoTime } from "../../lib/clock.ts";
import { counted } from "../../lib/wording.ts";
import { replaySelections } from "../../vocabulary/deliveries.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, UsageError } from "../terminal/command.ts";
import { configFlag, jsonFlag, time, toggle } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";

export const replayCommand = command({
  name: "replay",
  arguments: "[endpoint]",
  summary: "send failed, missed or all events again",
  details: `Prints the number of deliveries, and sends them with --yes. Events keep their identifiers, so that receivers can
detect duplicates. A running server sends them at once; otherwise they are sent at the next start.`,
  flags: {
    failed: toggle("--failed", "deliveries that failed; without an endpoint, those to all endpoints"),
    missed: toggle("--missed", "events that were never sent to the endpoint, such as while it was disabled"),
    all: toggle("--all", "every event that the endpoint subscribes to, delivered or not"),
    since: time("--since <time>", "only events from this time on (default: all stored events)"),
    yes: toggle("--yes", "send the deliveries"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    [
      "phishwatch webhooks replay --failed --since 2026-01-31T12:00:00Z",
      "count failed deliveries since then",
    ],
    ["phishwatch webhooks replay soc --missed --yes", "after enabling it again"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ deliveries: { recipients, replay } }) => {
      const [recipient] = args;
      const { failed, missed, all, since = 0, yes } = options;
      const given = { failed, missed, all };
      const which = replaySelections.filter((one) => given[one]);
      if (which.length !== 1) throw new UsageError("use one of --failed, --missed and --all");
      if (recipient === undefined && !failed)
        throw new UsageError("name the endpoint, as in: phishwatch webhooks replay soc --missed");
      const request: ReplayRequest = {
        which: which[0]!,
        since,
        ...(recipient === undefined ? {} : { recipient: recipients.get(recipient).id }),
      };
      const from = since === 0 ? "" : ` since ${toIsoTime(since)}`;
      const count = yes
        ? await replay.run(request, { by: actorOfShell(terminal.env) })
        : replay.count(request);
      if (options.json) return printJson(terminal.out, { deliveries: count, queued: yes });
      const next = yes ? " queued" : `; to send ${count === 1 ? "it" : "them"}, add --yes`;
      terminal.err.write(`${counted(count, "delivery", "deliveries")}${from}${next}\n`);
    }),
});
