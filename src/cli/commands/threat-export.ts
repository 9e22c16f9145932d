import { resolve } from "node:path";
import { messageOf } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import { exportFormats } from "../../response/outputs/exports/formats.ts";
import { tlpLevels } from "../../response/outputs/exports/misp.ts";
import type { ExportFile } from "../../response/outputs/exports/export-file.ts";
import type { ThreatExports } from "../../response/outputs/exports/threat-exports.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, FailedError, UsageError } from "../terminal/command.ts";
import { choice, configFlag, text, toggle } from "../terminal/flags.ts";
import { replaceFileInPieces } from "../terminal/replace-file.ts";
import { filterFlags, filterOf } from "./threat-filter.ts";

const byteOrderMark = "\ufeff";

export const exportCommand = command({
  name: "export",
  flags: {
    format: choice("--format <format>", [...exportFormats, "misp"], "csv"),
    output: text("--output <path>"),
    ...filterFlags,
    bom: toggle("--bom"),
    tlp: choice("--tlp <level>", tlpLevels, "amber"),
    config: configFlag,
  },
  run: ({ options, terminal }) => {
    const { format, output, bom, tlp } = options;
    const filter = filterOf(options);
    if (bom && format !== "csv") throw new UsageError("--bom is for --format csv only");
    if (format === "misp" && output === undefined)
      throw new UsageError("--format misp writes a folder: name it with --output FOLDER");
    return withAppliance({ terminal, options }, async ({ exports, server }) => {
      const signal = terminal.interruption();
      const target = output === undefined ? undefined : resolve(output);
      if (format === "misp") {
        const { threats, events, changed } = await mispFeed(exports, filter, {
          folder: target!,
          tlp,
          signal,
        });
        terminal.err.write(
          `wrote ${counted(threats, "threat")} in ${counted(events, "event")}, of which ${grouped(changed)} changed\n`,
        );
        return;
      }
      const file = await exports.open(format, filter, { publicUrl: server.publicUrl });
      const start = bom ? byteOrderMark : "";
      if (target === undefined) {
        await writePieces(file, start, signal, (piece) => terminal.out.write(piece));
        return;
      }
      const writeTo = (append: (bytes: Uint8Array) => void) =>
        writePieces(file, start, signal, (piece) => append(Buffer.from(piece)));
      await replaceFileInPieces(target, writeTo).finally(() => file.close());
      terminal.err.write(`wrote ${counted(file.total, "threat")} to ${visible(target, 1_000)}\n`);
    });
  },
});

async function mispFeed(
  exports: ThreatExports,
  filter: Parameters<ThreatExports["writeMispFeed"]>[0],
  options: Parameters<ThreatExports["writeMispFeed"]>[1],
) {
  try {
    return await exports.writeMispFeed(filter, options);
  } catch (error) {
    if (options.signal?.aborted === true) throw interrupted();
    throw new FailedError(
      `cannot write ${visible(options.folder, 1_000)}: ${visible(messageOf(error), 300)}`,
    );
  }
}

async function writePieces(
  file: ExportFile,
  start: string,
  signal: AbortSignal,
  write: (piece: string) => void,
): Promise<void> {
  try {
    write(start);
    for (let piece = await file.next(); piece !== undefined; piece = await file.next()) {
      if (signal.aborted) throw interrupted();
      write(piece);
    }
  } finally {
    file.close();
  }
}

function interrupted(): FailedError {
  return new FailedError("interrupted");
}
