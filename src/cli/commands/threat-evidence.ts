import { evidenceBundle, gatherEvidence } from "../../evidence/evidence-bundle.ts";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf } from "../../lib/errors.ts";
import { visible } from "../../lib/safe-text.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag } from "../terminal/flags.ts";
import { withAppliance } from "../appliance/with-appliance.ts";

export const evidenceCommand = command({
  name: "evidence",
  arguments: "<id> <file>",
  summary: "write all that is known of a threat into one ZIP",
  details:
    "Facts, pictures, registration data as received, history, notes, events and a report of abuse, with a SHA-256 of each. " +
    "What stands below internal/ is for yourself. A file that exists is never overwritten.",
  flags: { config: configFlag },
  examples: [
    [
      "phishwatch threats evidence thr_01kf0z7m3yeqz9x8r4p6s2t5vw evidence.zip",
      "for the registrar or the police",
    ],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ threats, enrichment, eventLog, deliveries }) => {
      const [id = "", file = ""] = args;
      const target = resolve(file);
      const evidence = await gatherEvidence(
        { threats, enrichment, eventLog, deliveries: deliveries.log },
        id,
      );
      if (evidence === undefined) throw new FailedError(`there is no threat ${visible(id, 100)}`);
      try {
        // Whoever may not read the database may not read this.
        writeFileSync(target, evidenceBundle(evidence), { flag: "wx", mode: 0o600 });
      } catch (error) {
        const exists = (error as NodeJS.ErrnoException).code === "EEXIST";
        const why = exists ? "it exists, and is not overwritten" : messageOf(error);
        throw new FailedError(`cannot write ${visible(target, 1_000)}: ${visible(why, 300)}`);
      }
      terminal.err.write(`wrote ${visible(target, 1_000)}\n`);
    }),
});
