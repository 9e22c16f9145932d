import { toIsoTime } from "../../lib/clock.ts";
import type { ReplayRequest } from "../../deliveries/replay.ts";
import { counted } from "../../lib/wording.ts";
import { command, UsageError } from "../terminal/command.ts";
import { configFlag, time, toggle } from "../terminal/flags.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";

export const replayCommand = command({
  name: "replay",
  arguments: "[endpoint]",
  summary: "send again what failed, was missed, or everything since a moment",
  details: `Says how many deliveries that makes; sends them with --yes. Events keep their identifiers, so that a receiver
can tell what it has seen. A running server sends them at once, otherwise the next one that starts.`,
  flags: {
    failed: toggle("--failed", "deliveries that were given up; without an endpoint, those to all"),
    missed: toggle(
      "--missed",
      "events of which the endpoint was never sent anything, as while it was disabled",
    ),
    all: toggle("--all", "every event that it subscribes to, delivered or not"),
    since: time("--since <time>", "only events from then on (default: all that are kept)"),
    yes: toggle("--yes", "send them"),
    config: configFlag,
  },
  examples: [
    ["phishwatch webhooks replay --failed --since 2026-01-31T12:00:00Z", "how much was given up since then"],
    ["phishwatch webhooks replay soc --missed --yes", "after it was enabled again"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ deliveries: { replay }, webhooks: { endpoints } }) => {
      const [endpoint] = args;
      const { failed, missed, all, since = 0, yes } = options;
      const given = { failed, missed, all };
      const which = (["failed", "missed", "all"] as const).filter((one) => given[one]);
      if (which.length !== 1) throw new UsageError("say one of --failed, --missed and --all");
      if (endpoint === undefined && !failed)
        throw new UsageError("name the endpoint, as in: phishwatch webhooks replay soc --missed");
      const request: ReplayRequest = {
        which: which[0]!,
        since,
        ...(endpoint === undefined ? {} : { recipient: endpoints.get(endpoint).id }),
      };
      const from = since === 0 ? "" : ` since ${toIsoTime(since)}`;
      const count = yes
        ? await replay.run(request, { by: actorOfShell(terminal.env) })
        : replay.count(request);
      const [are, them] = count === 1 ? ["is", "it"] : ["are", "them"];
      const then = yes ? ` ${are} being sent` : `; --yes sends ${them}`;
      terminal.err.write(`${counted(count, "delivery", "deliveries")}${from}${then}\n`);
    }),
});
