import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { bundleWithReport } from "../../response/cases/takedowns/files.ts";
import { gatherEvidence } from "../../response/evidence/evidence-bundle.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag } from "../terminal/flags.ts";

export const evidenceCommand = command({
  name: "evidence",
  arguments: "<id> <file>",
  summary: "write the evidence bundle of a threat to a ZIP file",
  details:
    "Contains facts, screenshots, registration data as received, history, notes, events and an abuse report, with the " +
    "SHA-256 of each file. Files below internal/ are for internal use. Never overwrites an existing file.",
  flags: { config: configFlag },
  examples: [
    [
      "phishwatch threats evidence thr_01kf0z7m3yeqz9x8r4p6s2t5vw evidence.zip",
      "collect evidence for the registrar or the police",
    ],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance(
      { terminal, options },
      async ({ threats, enrichment, eventLog, deliveries }, { takedown }) => {
        const [id = "", file = ""] = args;
        const target = resolve(file);
        const evidence = await gatherEvidence(
          { threats, enrichment, eventLog, deliveries: deliveries.log },
          id,
        );
        if (evidence === undefined) throw new FailedError(`there is no threat ${visible(id, 100)}`);
        try {
          // As private as the database.
          const bundle = bundleWithReport(evidence, { now: Date.now(), signature: takedown.signature });
          writeFileSync(target, bundle, { flag: "wx", mode: 0o600 });
        } catch (error) {
          const exists = (error as NodeJS.ErrnoException).code === "EEXIST";
          const why = exists ? "it already exists" : messageOf(error);
          throw new FailedError(`cannot write ${visible(target, 1_000)}: ${visible(why, 300)}`);
        }
        terminal.err.write(`wrote ${visible(target, 1_000)}\n`);
      },
    ),
});
