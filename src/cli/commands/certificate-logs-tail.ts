import { jsonFields } from "../../platform/lib/key-names.ts";
import { optionalIsoTime, systemClock, toIsoTime } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { Candidate } from "../../intake/sources/certificate-log-reading/messages.ts";
import { createRecentNames } from "../../intake/sources/certificate-logs/recent-names.ts";
import { tailLogs } from "../../intake/sources/certificate-logs/tail.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { fillRandom } from "../appliance/fill-random.ts";
import { command } from "../terminal/command.ts";
import { configFlag, jsonFlag, texts, toggle } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";

export const tailCommand = command({
  name: "tail",
  summary: "print the names in certificate logs as they arrive",
  details: `Prints one name per line until it is interrupted, as a filter for other tools. It reads the logs itself, with the settings in
[certificate_logs], and neither uses the database nor records anything. It starts at the end of each log, unless
certificate_logs.first_start is "beginning".

A name that was printed recently is not printed again, because each certificate is in several logs. With --json, every certificate
is printed for each of its names.`,
  flags: {
    operators: texts(
      "--operator <name>",
      "only logs of this operator, such as Geomys, or a declared log by its name",
    ),
    namesOnly: toggle("--names-only", "read names tiles where logs serve them, which nobody signed"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch certificate-logs tail | phishwatch match -", "show look-alikes as they appear"],
    [
      "phishwatch certificate-logs tail --operator Geomys --json",
      "also print log, index, issuer and serial number",
    ],
  ],
  async run({ options, terminal }) {
    const signal = terminal.interruption();
    const { certificateLogs } = await loadConfiguration(options.config, terminal.env);
    const { operators, namesOnly } = options;
    const { out, err } = terminal;
    const recent = createRecentNames({
      now: systemClock.now,
      fillRandom,
    });

    function print(candidate: Candidate): void {
      if (options.json) return printJson(out, shape(candidate));
      if (recent.has(candidate.name)) return;
      recent.add(candidate.name);
      out.write(`${visible(candidate.name, 300)}\n`);
    }

    await tailLogs({
      config: {
        ...certificateLogs,
        namesOnly: namesOnly || certificateLogs.namesOnly,
      },
      only: operators,
      clock: systemClock,
      random: Math.random,
      signal,
      onNames(names) {
        for (const name of names) print(name);
        out.flush();
      },
      onProblem(what, problem) {
        err.write(`phishwatch: ${visible(what, 200)}: ${visible(problem, 500)}\n`);
        err.flush();
      },
    });
  },
});

function shape({ name, seenAt, certificate }: Candidate): object {
  return {
    name,
    ...jsonFields(certificate, "log index"),
    seen_at: toIsoTime(seenAt),
    ...jsonFields(certificate, "issuer serial"),
    not_before: optionalIsoTime(certificate.notBefore),
    ...jsonFields(certificate, "entryUrl isVerified"),
  };
}
