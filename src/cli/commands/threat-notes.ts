import { actorJson, describeActor } from "../../access/audit/actor.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { Note } from "../../threats/threats/triage/notes.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag, jsonFlag } from "../terminal/flags.ts";
import { printJson, shortTime } from "../terminal/table.ts";

/** Maximum length of a displayed line; longer than any note. */
const lineCharactersMax = 4_000;

export const notesCommand = command({
  name: "notes",
  arguments: "<id> [text]",
  summary: "add a note to a threat, or list its notes",
  details: 'With "-" as the text, it is read from standard input.',
  flags: { json: jsonFlag, config: configFlag },
  examples: [
    ['phishwatch threats notes thr_01kf0z7m3yeqz9x8r4p6s2t5vw "written to the registrar"', "add a note"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ threats }) => {
      const [id = "", given] = args;
      if (threats.get(id) === undefined) throw new FailedError(`there is no threat ${visible(id, 100)}`);
      const text = given === "-" ? await Bun.stdin.text() : given;
      const notes =
        text === undefined
          ? threats.notes.list(id)
          : [threats.notes.add(id, text, { by: actorOfShell(terminal.env) })];
      for (const note of notes) {
        if (options.json) printJson(terminal.out, noteJson(note));
        else
          terminal.out.write(
            noteLines(note)
              .map((line) => `${line}\n`)
              .join(""),
          );
      }
    }),
});

export function noteJson({ at, text, by }: Note): object {
  return { at: toIsoTime(at), by: actorJson(by), text };
}

/** Returns the lines of a note: a heading with time and author, then the text. */
export function noteLines({ at, text, by }: Note): string[] {
  const lines = text.split("\n").map((line) => visible(line, lineCharactersMax));
  return [`${shortTime(at)}  ${describeActor(by)}:`, ...lines.map((line) => `  ${line}`)];
}
