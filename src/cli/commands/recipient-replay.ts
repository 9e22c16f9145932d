import type { ReplayRequest } from "../../messaging/deliveries/replay.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { counted } from "../../platform/lib/wording.ts";
import { replaySelections } from "../../platform/vocabulary/channels.ts";
import { appCommand } from "../appliance/app-command.ts";
import { UsageError } from "../terminal/command.ts";
import { jsonFlag, time, toggle } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";
import type { RecipientGroup } from "./recipient-deliveries.ts";

/** Texts for each sort of recipient: channels are sent messages, which are events of their own. */
const texts = {
  endpoint: {
    summary: "send failed, missed or all events again",
    failed: "deliveries that failed; without an endpoint, those to all endpoints and channels",
    missed: "events that were never sent to the endpoint, such as while it was disabled",
    all: "every event that the endpoint subscribes to, delivered or not",
  },
  channel: {
    summary: "send failed, missed or all messages again",
    failed: "messages that failed; without a channel, deliveries to all endpoints and channels",
    missed: "messages that were never sent to the channel",
    all: "every message to the channel, delivered or not",
  },
};

export function replayCommand(group: RecipientGroup) {
  const { command: name, noun, example } = group;
  const { summary, failed: failedText, missed: missedText, all: allText } = texts[noun];
  return appCommand({
    name: "replay",
    arguments: `[${noun}]`,
    summary,
    details: `Prints the number of deliveries, and sends them with --yes. Events keep their identifiers, so that receivers can
detect duplicates. A running server sends them at once; otherwise they are sent at the next start.`,
    flags: {
      failed: toggle("--failed", failedText),
      missed: toggle("--missed", missedText),
      all: toggle("--all", allText),
      since: time("--since <time>", "only events from this time on (default: all stored events)"),
      yes: toggle("--yes", "send the deliveries"),
      json: jsonFlag,
    },
    examples: [
      [
        `phishwatch ${name} replay --failed --since 2026-01-31T12:00:00Z`,
        "count failed deliveries since then",
      ],
      [`phishwatch ${name} replay ${example} --missed --yes`, "after enabling it again"],
    ],
    async run({ app, args: [recipient], by, options, terminal }) {
      const { replay } = app.deliveries;
      const { failed, missed, all, since = 0, yes } = options;
      const given = { failed, missed, all };
      const which = replaySelections.filter((one) => given[one]);
      if (which.length !== 1) throw new UsageError("use one of --failed, --missed and --all");
      if (recipient === undefined && !failed)
        throw new UsageError(`name the ${noun}, as in: phishwatch ${name} replay ${example} --missed`);
      const to = recipient === undefined ? undefined : group.get(app, recipient).id;
      const request: ReplayRequest = { which: which[0]!, since, recipient: to };
      const from = since === 0 ? "" : ` since ${toIsoTime(since)}`;
      const count = yes ? await replay.run(request, { by }) : replay.count(request);
      if (options.json) return printJson(terminal.out, { deliveries: count, queued: yes });
      const next = yes ? " queued" : `; to send ${count === 1 ? "it" : "them"}, add --yes`;
      terminal.err.write(`${counted(count, "delivery", "deliveries")}${from}${next}\n`);
    },
  });
}
