import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { severityCodeOf, similarityCodeOf } from "../../../src/platform/database/reason-codes.ts";
import { createForeground, createYielder } from "../../../src/platform/lib/yielder.ts";
import { indicators, type Indicator } from "../../../src/threats/threats/severity/indicators.ts";
import { createThreatIndex } from "../../../src/threats/index/threat-index.ts";
import { createThreatQueries } from "../../../src/threats/threats/store/queries.ts";
import { severitySentence, similaritySentence } from "../../support/old-sentences.ts";
import { temporaryFolder } from "../../support/appliance.ts";

/** Written by commit 9c9da8f, the last version that stored sentences: 76 threats with every kind of reason. */
const fixture = new URL("../../fixtures/sentences-as-reasons.db.gz", import.meta.url);

/** How that version found indicators in the sentences. */
const oldWording = {
  asks_for_secrets: "its page asks for ",
  looks_like_original: "its page looks like the original",
  receives_mail: "a mail server receives for it",
  newly_registered: "it was registered ",
  parked: "it is parked ",
  leads_nowhere: "leads nowhere yet",
} satisfies Partial<Record<Indicator, string>>;
const oldIndicators = indicators.filter(
  (indicator) => indicator in oldWording,
) as (keyof typeof oldWording)[];

interface OldRow {
  id: string;
  domain: string;
  status: string;
  severity: string;
  reasons: string;
  severity_reasons: string;
}

async function migrated() {
  const folder = temporaryFolder();
  const path = join(folder.path, "phishwatch.db");
  await Bun.write(path, Bun.gunzipSync(await Bun.file(fixture).bytes()));
  const sqlite = new Sqlite(path);
  const unknown = JSON.stringify(["a sentence of an unknown version", 'a "quoted" one']);
  sqlite.run("update threats set reasons = ?1, severity_reasons = ?1 where seq = 3", [unknown]);
  const old = sqlite.query<OldRow, []>("select * from threats order by seq").all();
  sqlite.close();
  const database = openDatabase(path);
  return {
    old,
    queries: createThreatQueries(database),
    search: createThreatIndex({
      database,
      foreground: createForeground(),
      yielder: () => createYielder({ sliceMs: 5, elapsedMs: () => performance.now() }),
    }),
    [Symbol.dispose]() {
      database.close();
      folder.dispose();
    },
  };
}

test("a database that stores reasons as sentences opens with the same threats, and with codes of the same meaning", async () => {
  using opened = await migrated();
  expect(opened.old).toHaveLength(76);
  const codes = new Set<string>();
  for (const { id, domain, status, severity, reasons, severity_reasons } of opened.old) {
    const threat = opened.queries.get(id)!;
    expect(threat).toMatchObject({ id, domain, status, severity });
    expect(JSON.stringify(threat.reasons.map(similaritySentence))).toBe(reasons);
    expect(JSON.stringify(threat.severityReasons.map(severitySentence))).toBe(severity_reasons);
    const isUnknown = reasons.includes("unknown version");
    for (const { code } of [...threat.reasons, ...threat.severityReasons]) {
      codes.add(code);
      expect([id, code === "legacy"]).toEqual([id, isUnknown]);
    }
  }
  expect([...codes].sort()).toEqual([
    "asks_for_secrets",
    "beacon_reported",
    "bit_flip",
    "confusable",
    "copy_seen_in_use",
    "deceives_careful_reader",
    "deceives_hurried_reader",
    "hosted",
    "insertion",
    "keyboard_neighbor",
    "keyword",
    "label_part",
    "leads_nowhere",
    "legacy",
    "long_registered",
    "looks_like_original",
    "names_brand",
    "newly_registered",
    "not_in_dns",
    "omission",
    "other_suffix",
    "parked",
    "plural",
    "receives_mail",
    "redirects_to_protected",
    "repetition",
    "replacement",
    "resembles_protected_name",
    "sinkholed",
    "sound",
    "split",
    "sub_label",
    "transposition",
    "unrelated_page",
    "vowel_swap",
    "whole_label",
    "whole_name",
  ]);
});

test.each(oldIndicators)(
  "the filter by %s finds the same threats in a database that stored sentences",
  async (indicator) => {
    using opened = await migrated();
    const order = { key: "first_seen", descending: false } as const;
    const { threats } = await opened.search.search({ indicator }, order, { page: 1, perPage: 100 });
    const expected = opened.old.filter(({ severity_reasons }) =>
      severity_reasons.includes(oldWording[indicator]),
    );
    expect(expected).not.toBeEmpty();
    expect(threats.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
  },
);

test.each([
  ["its page asks for a password and a card number", { password: true, card: true }],
  ["its page asks for a card number", { password: false, card: true }],
])("the sentence %j becomes parameters", (sentence, params) => {
  expect(severityCodeOf(sentence)).toEqual({ code: "asks_for_secrets", params });
});

test.each([
  "its page asks for ",
  "its page asks for  and a card number",
  "it was registered some days ago",
  "",
])("the sentence %j, which no version wrote, is kept as it is", (text) => {
  expect(severityCodeOf(text)).toEqual({ code: "legacy", params: { text } });
  expect(similarityCodeOf(text)).toEqual({ code: "legacy", params: { text } });
});

test("hidden characters that a sentence shows escaped are stored unescaped and escaped again when shown", () => {
  const sentence = String.raw`"\u{200d}" (U+200D) looks like "l" at position 2 of the label "a\u{200d}b"`;
  const code = similarityCodeOf(sentence);
  expect(code).toEqual({
    code: "confusable",
    params: { found: "\u200d", expected: "l", position: 1, label: "a\u200db" },
  });
  expect(similaritySentence(code as Parameters<typeof similaritySentence>[0])).toBe(sentence);
});
