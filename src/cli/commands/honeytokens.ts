import { writeFileSync } from "node:fs";
import { systemClock, toIsoTime } from "../../lib/clock.ts";
import { visible } from "../../lib/safe-text.ts";
import type { Honeytoken } from "../../traps/honeytokens.ts";
import type { Traps } from "../../traps/traps.ts";
import { type TokenAnswer } from "../../traps/values.ts";
import { documentFormats, tokenKinds } from "../../vocabulary/traps.ts";
import { command, UsageError, type CommandGroup } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag, duration, jsonFlag, text, toggle } from "../terminal/flags.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { printJson, printRows, renderFacts, shortTime, type Column } from "../terminal/table.ts";
import { countShape, countText, limitFlag, printHits, warnOfPlainHttp } from "./trap-hits.ts";
import { withAppliance } from "../appliance/with-appliance.ts";

const create = command({
  name: "create",
  arguments: "<kind>",
  summary: "make a honeytoken: url, pixel or document",
  details: `Prints its address on standard output. Whatever is written after it, as in …/salaries.xlsx, belongs to it as well.
A url answers 404 unless told otherwise, a pixel a picture of one transparent pixel; documents are written by 'tokens document'.`,
  flags: {
    name: text("--name <name>", "a name to call it by (default: the kind)"),
    memo: text("--memo <text>", "where the bait lies"),
    redirect: text("--redirect <url>", "url: lead visitors there"),
    title: text("--title <text>", "url: answer a page of this title"),
    text: text("--text <text>", "url: what the page says"),
    expiresIn: duration(
      "--expires-in <duration>",
      "answer 404 and count nothing after such as 90d (default: never)",
    ),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    [
      `phishwatch tokens create url --name wiki --memo "page Passwords in the wiki"`,
      "a link that nobody needs",
    ],
    [
      `phishwatch tokens create document --name salaries && phishwatch tokens document salaries s.docx`,
      "a Word document that calls home when it is opened",
    ],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ traps }) => {
      const { name, memo, expiresIn } = options;
      const kind = tokenKinds.find((known) => known === args[0]);
      if (kind === undefined) throw new UsageError(`the kind is one of ${tokenKinds.join(", ")}`);
      const answer = readAnswer(options);
      const token = traps.tokens.create(
        {
          kind,
          ...(name === undefined ? {} : { name }),
          ...(memo === undefined ? {} : { memo }),
          ...(answer === undefined ? {} : { answer }),
          ...(expiresIn === undefined ? {} : { expiresAt: systemClock.now() + expiresIn }),
        },
        actorOfShell(terminal.env),
      );
      warnOfPlainHttp(terminal, traps.publicUrl());
      if (options.json) return printJson(terminal.out, shape(token, traps));
      terminal.out.write(`${traps.tokens.url(token, traps.publicUrl())}\n`);
      terminal.err.write(`made ${token.name} (${token.id})\n`);
    }),
});

function readAnswer(options: {
  redirect: string | undefined;
  title: string | undefined;
  text: string | undefined;
}): TokenAnswer | undefined {
  const { redirect, title, text: content } = options;
  if (redirect !== undefined) {
    if (title !== undefined || content !== undefined)
      throw new UsageError("--redirect excludes --title and --text: there is no page to see");
    return { kind: "redirect", url: redirect };
  }
  if (title === undefined && content === undefined) return undefined;
  return { kind: "page", title: title ?? "", text: content ?? "" };
}

const columns: Column<Honeytoken & { counts: string }>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "NAME", cell: ({ name }) => name, elastic: true },
  { title: "KIND", cell: ({ kind }) => kind },
  { title: "MEMO", cell: ({ memo }) => memo, elastic: true },
  { title: "VISITS", cell: ({ counts }) => counts, elastic: true },
  { title: "MADE", cell: ({ createdAt }) => shortTime(createdAt) },
  { title: "STATE", cell: (token) => stateOf(token) },
];

const list = command({
  name: "list",
  summary: "list the honeytokens",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch tokens list", "which there are, and who took them"]],
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ traps }) => {
      const rows = traps.tokens
        .list()
        .map((token) => ({ ...token, counts: countText(traps.hits.counts(token.id)) }));
      if (options.json) for (const row of rows) printJson(terminal.out, shape(row, traps));
      else
        printRows(terminal, rows, { columns, none: "no honeytokens; 'phishwatch tokens create' makes one" });
    }),
});

const show = command({
  name: "show",
  arguments: "<token>",
  summary: "show a honeytoken with its address",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch tokens show wiki", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ traps }) => {
      const token = traps.tokens.get(args[0] ?? "");
      if (options.json) return printJson(terminal.out, shape(token, traps));
      const url = traps.tokens.url(token, traps.publicUrl());
      terminal.out.write(
        renderFacts([
          ["id", token.id],
          ["name", token.name],
          ["kind", token.kind],
          ["address", url],
          ["watched still", token.oldAddresses.join(" ") || null],
          ["answers", answerText(token)],
          ["memo", token.memo === "" ? null : token.memo],
          ["state", stateOf(token)],
          ["made", toIsoTime(token.createdAt)],
          ["visits", countText(traps.hits.counts(token.id))],
        ]),
      );
      if (token.kind === "pixel")
        terminal.out.write(
          `\nFor a page or an HTML mail:\n\n<img src="${url}" width="1" height="1" alt="">\n`,
        );
    }),
});

function answerText({ kind, answer }: Honeytoken): string {
  if (kind !== "url") return "a transparent pixel";
  if (answer.kind === "redirect") return `a redirect to ${answer.url}`;
  return answer.kind === "page" ? `a page: ${answer.title}` : "404";
}

function stateOf({ enabled, expiresAt }: Honeytoken): string {
  if (!enabled) return "disabled";
  if (expiresAt === null) return "enabled";
  return `${expiresAt <= systemClock.now() ? "expired" : "until"} ${shortTime(expiresAt)}`;
}

const hits = command({
  name: "hits",
  arguments: "<token>",
  summary: "list who took a honeytoken, newest first",
  details:
    "One row for each visitor; repeats within traps.repeat_after are counted in it. The headers are in --json.",
  flags: { limit: limitFlag, json: jsonFlag, config: configFlag },
  examples: [["phishwatch tokens hits wiki --json", "with all headers"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ traps }) =>
      printHits(terminal, traps, traps.tokens.get(args[0] ?? ""), { ...options, of: "token" }),
    ),
});

const setEnabled = (name: "enable" | "disable", summary: string) =>
  command({
    name,
    arguments: "<token>",
    summary,
    flags: { config: configFlag },
    examples: [[`phishwatch tokens ${name} wiki`, "by name or identifier"]],
    run: ({ args, options, terminal }) =>
      withAppliance({ terminal, options }, ({ traps }) => {
        const token = traps.tokens.setEnabled(args[0] ?? "", name === "enable", actorOfShell(terminal.env));
        terminal.err.write(`${name}d ${token.name} (${token.id})\n`);
      }),
  });

const rotate = command({
  name: "rotate",
  arguments: "<token>",
  summary: "give a honeytoken a new address",
  details: "Prints it on standard output. The old one answers 404 from now on, unless it is still watched.",
  flags: {
    watchOld: toggle("--watch-old", "visits to the old address count as well"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [["phishwatch tokens rotate wiki --watch-old", "lay the bait anew and see who kept the old one"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ traps }) => {
      const { watchOld } = options;
      const token = traps.tokens.rotate(args[0] ?? "", { watchOld }, actorOfShell(terminal.env));
      if (options.json) return printJson(terminal.out, shape(token, traps));
      terminal.out.write(`${traps.tokens.url(token, traps.publicUrl())}\n`);
      const old = watchOld ? "the old one is watched still" : "the old one answers 404";
      terminal.err.write(`${token.name} has a new address; ${old}\n`);
    }),
});

const remove = command({
  name: "remove",
  arguments: "<token>",
  summary: "remove a honeytoken and its visits",
  flags: { config: configFlag },
  examples: [["phishwatch tokens remove wiki", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ traps }) => {
      const { id, name } = traps.tokens.remove(args[0] ?? "", actorOfShell(terminal.env));
      terminal.err.write(`removed ${name} (${id})\n`);
    }),
});

const document = command({
  name: "document",
  arguments: "<token> <file>",
  summary: "write a Word document or PDF that calls home when it is opened",
  details: `The file's ending says which: ${documentFormats.map((format) => `.${format}`).join(" or ")}. One that exists is never overwritten.
Word and LibreOffice ask once editing, or links, are allowed. Of PDF viewers Acrobat asks the reader first; most others only follow a click.`,
  flags: {
    title: text("--title <text>", "what stands at the top (default: the token's name)"),
    text: text("--text <text>", "what stands below it"),
    config: configFlag,
  },
  examples: [
    [`phishwatch tokens document salaries Salaries.docx --title "Salaries 2026"`, "a bait for a share"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ traps }) => {
      const [name = "", path = ""] = args;
      const format = documentFormats.find((known) => path.toLowerCase().endsWith(`.${known}`));
      if (format === undefined)
        throw new UsageError(`the file ends in ${documentFormats.map((known) => `.${known}`).join(" or ")}`);
      const token = traps.tokens.get(name);
      if (token.kind !== "document")
        throw new UsageError(`${visible(token.name)} is of kind ${token.kind}: make one of kind document`);
      const bytes = await traps.document(token, format, {
        title: options.title ?? token.name,
        text: options.text ?? "",
      });
      try {
        writeFileSync(path, bytes, { flag: "wx" });
      } catch (error) {
        const code = (error as { code?: string }).code ?? String(error);
        const why = code === "EEXIST" ? "it exists already" : code;
        throw new FailedError(`${visible(path, 1_000)} cannot be written: ${why}`);
      }
      terminal.err.write(`wrote ${visible(path, 1_000)}\n`);
    }),
});

function shape(token: Honeytoken, traps: Traps) {
  const time = (instant: number | null) => (instant === null ? null : toIsoTime(instant));
  return {
    id: token.id,
    name: token.name,
    kind: token.kind,
    url: traps.tokens.url(token, traps.publicUrl()),
    old_addresses: token.oldAddresses.map((address) => `${traps.publicUrl()}/t/${address}`),
    answer: token.answer,
    memo: token.memo,
    enabled: token.enabled,
    expires_at: time(token.expiresAt),
    created_at: toIsoTime(token.createdAt),
    visits: countShape(traps.hits.counts(token.id)),
  };
}

export const tokensCommands: CommandGroup = {
  name: "tokens",
  summary: "baits that tell when somebody takes them",
  commands: [
    create,
    list,
    show,
    hits,
    setEnabled("enable", "let a honeytoken count again"),
    setEnabled("disable", "let a honeytoken answer 404 and count nothing"),
    rotate,
    document,
    remove,
  ],
};
