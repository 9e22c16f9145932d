import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "bun:test";
import { csvCell, csvFields, csvHeader, csvRecord } from "../../../src/response/outputs/exports/csv.ts";
import { stixIdentity, stixIndicators, stixString } from "../../../src/response/outputs/exports/stix.ts";
import type { ExportedThreat } from "../../../src/response/outputs/exports/threat-reader.ts";
import { parseCsv } from "../../support/csv.ts";

const threat: ExportedThreat = {
  seq: 7,
  id: "thr_01h455vb4pex5vsknk084sn02q",
  domain: "examp1e-bank.com",
  protectedDomain: "example-bank.com",
  type: "homograph",
  status: "active",
  severity: "high",
  similarity: 0.9688,
  source: "feed",
  firstSeen: Date.UTC(2026, 0, 14, 23, 59),
  createdAt: Date.UTC(2026, 0, 15, 12),
  changedAt: Date.UTC(2026, 0, 16, 12, 0, 0, 5),
  reactivations: 0,
  screenshotToken: "token",
  verified: true,
  ipAddress: "192.0.2.1",
  registrar: 'Evil "Names", Inc.',
  registeredAt: "2026-01-13T00:00:00.000Z",
  reasons: [{ code: "beacon_reported", params: { beacon: "login page" } }],
  severityReasons: [
    { code: "receives_mail", params: {} },
    { code: "parked", params: { with: "=cmd|' /C calc'!A0" } },
  ],
  urls: [],
};
const publicUrl = "https://phishwatch.example";
const instanceId = "00112233445566778899aabbccddeeff";

describe("CSV", () => {
  test("contains the fields of the list, then further facts, and reads back as RFC 4180", () => {
    const rows = parseCsv(csvHeader + csvRecord(threat, publicUrl));
    expect(rows[0]).toEqual([...csvFields]);
    expect(Object.fromEntries(csvFields.map((name, index) => [name, rows[1]![index]!]))).toEqual({
      id: threat.id,
      domain: "examp1e-bank.com",
      protected_domain: "example-bank.com",
      type: "homograph",
      status: "active",
      severity: "high",
      similarity: "0.9688",
      source: "feed",
      first_seen: "2026-01-14T23:59:00.000Z",
      screenshot_url: `https://phishwatch.example/screenshots/${threat.id}/token`,
      created_at: "2026-01-15T12:00:00.000Z",
      changed_at: "2026-01-16T12:00:00.005Z",
      verified: "true",
      ip_address: "192.0.2.1",
      registrar: 'Evil "Names", Inc.',
      registered_at: "2026-01-13T00:00:00.000Z",
      severity_reasons: "a mail server accepts mail for the name | the name is parked (=cmd|' /C calc'!A0)",
      reasons: "a copy of our page was shown to visitors there",
      severity_summary: "mail server · parked",
      severity_reason_codes: "receives_mail | parked",
      reason_codes: "copy_shown",
      urls: "",
    });
  });

  test("leaves cells of unknown facts empty", () => {
    const [row] = parseCsv(
      csvRecord({ ...threat, ipAddress: null, registrar: null, registeredAt: null, reasons: [] }, publicUrl),
    );
    expect(
      ["ip_address", "registrar", "registered_at", "reasons"].map((name) => row![csvFields.indexOf(name)]),
    ).toEqual(["", "", "", ""]);
  });

  test.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t'=1"],
    ["\r=1", "'\r'=1"],
    ["\nx", "'\nx"],
    ["  =1", "'  =1"],
    ["＝1", "'＝1"],
    ["\u0001=1", "'\u0001=1"],
    ["a=1", "a=1"],
    ["'=1", "'=1"],
    ['say "hi", then;go\r\nnow', 'say "hi", then;go\r\nnow'],
    ["ünïcödé 名", "ünïcödé 名"],
    ['a;=1+1;" @x\n-y; z', "a;'=1+1;\" '@x\n'-y; z"],
  ])("writes %j so that no spreadsheet takes it for a formula, and reads back as %j", (text, expected) => {
    expect(parseCsv(`${csvCell(text)},next\r\n`)).toEqual([[expected, "next"]]);
  });
});

describe("STIX", () => {
  const schemas = join(import.meta.dir, "../../fixtures/stix2-schemas");
  const ajv = new Ajv2020({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats.default(ajv);
  const names = [...new Bun.Glob("*/*.json").scanSync(schemas)];
  for (const name of names) ajv.addSchema(JSON.parse(readFileSync(join(schemas, name), "utf8")) as object);
  const validate = (kind: string, object: object) => {
    const name = `http://raw.githubusercontent.com/oasis-open/cti-stix2-json-schemas/stix2.1/schemas/sdos/${kind}.json`;
    const isValid = ajv.validate(name, object);
    return isValid ? [] : ajv.errors;
  };
  const indicator = (change: Partial<ExportedThreat> = {}, instance = instanceId) =>
    stixIndicators({ ...threat, ...change }, { instanceId: instance, publicUrl }).at(-1) as Record<
      string,
      unknown
    >;

  test("objects are valid by the published schemas, which reject others", () => {
    expect(names.length).toBeGreaterThan(10);
    expect(validate("identity", stixIdentity(instanceId))).toEqual([]);
    for (const change of [
      {},
      { status: "resolved" as const, verified: false },
      { status: "false_positive" as const, similarity: 1, severityReasons: [] },
    ])
      expect(validate("indicator", indicator(change))).toEqual([]);
    expect(validate("indicator", { ...indicator(), modified: "2026-01-16 12:00" })).not.toEqual([]);
    expect(validate("indicator", { ...indicator(), id: "indicator--1" })).not.toEqual([]);
  });

  test("shows a threat as an indicator", () => {
    expect(indicator()).toEqual({
      type: "indicator",
      spec_version: "2.1",
      id: expect.stringMatching(
        /^indicator--[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      created_by_ref: (stixIdentity(instanceId) as { id: string }).id,
      created: "2026-01-15T12:00:00.000Z",
      modified: "2026-01-16T12:00:00.005Z",
      name: "examp1e-bank.com",
      description:
        "Look-alike of example-bank.com, severity high. A mail server accepts mail for the name. The name is parked (=cmd|' /C calc'!A0). A copy of our page was shown to visitors there.",
      indicator_types: ["malicious-activity"],
      pattern: "[domain-name:value = 'examp1e-bank.com']",
      pattern_type: "stix",
      pattern_version: "2.1",
      valid_from: "2026-01-14T23:59:00.000Z",
      confidence: 97,
      labels: ["phishing", "homograph", "severity:high", "status:active"],
      external_references: [
        {
          source_name: "phishwatch",
          external_id: threat.id,
          url: `https://phishwatch.example/console/threats/${threat.id}`,
        },
      ],
    });
  });

  test("keeps the identifier of a threat through all changes, and gives those of another installation others", () => {
    const { id } = indicator();
    const changed = indicator({ status: "resolved", severity: "low", changedAt: threat.changedAt + 1 });
    expect([changed["id"], changed["revoked"]]).toEqual([id, true]);
    expect(changed["modified"]).toBe("2026-01-16T12:00:00.006Z");
    expect(indicator({ status: "false_positive" })).toMatchObject({
      id,
      revoked: true,
      indicator_types: ["benign"],
    });
    expect(indicator()).not.toHaveProperty("revoked");
    // Anyone can forge the report of a copy on a host whose name resembles nothing.
    const reported = { type: "cloned_site" as const, similarity: 0, severityReasons: [] };
    expect(indicator(reported)).toMatchObject({ indicator_types: ["anomalous-activity"] });
    const seen = [{ code: "looks_like_original" as const, params: {} }];
    expect(indicator({ ...reported, severityReasons: seen })).toMatchObject({
      indicator_types: ["malicious-activity"],
    });
    const other = indicator({}, "ff112233445566778899aabbccddeeff");
    expect(other["id"]).not.toBe(id);
    expect(other["created_by_ref"]).not.toBe(indicator()["created_by_ref"]);
  });

  test("names the address of a page on a host that strangers share, and never the host", () => {
    const page = {
      type: "cloned_site" as const,
      domain: "docs.google.com",
      severityReasons: [{ code: "page_imitates" as const, params: { score: 0.97 } }],
      reasons: [
        { code: "page_imitates" as const, params: { score: 0.97 } },
        {
          code: "page_signal" as const,
          params: {
            code: "saved_from_brand",
            strength: 1,
            points: 2,
            params: { address: "https://example-bank.com/?for=ann@example-bank.com" },
          },
        },
      ],
    };
    const urls = [
      "https://docs.google.com/forms/d/1'2?to=ann@example-bank.com#x",
      "http://docs.google.com/",
      "https://evil.example/a",
      "https://docs.google.com/ann%40example-bank.com",
      "https://docs.google.com/document/d/3",
    ];
    const named = indicator({ ...page, urls });
    expect(validate("indicator", named)).toEqual([]);
    expect(named).toMatchObject({
      name: "https://docs.google.com/forms/d/1'2",
      pattern:
        "[url:value = 'https://docs.google.com/forms/d/1\\'2'] OR [url:value = 'https://docs.google.com/document/d/3']",
      indicator_types: ["malicious-activity"],
      description:
        "Page that imitates example-bank.com, severity high. The page imitates the protected brand (score 0.97). A program saved it from https://example-bank.com/?for=[mailbox removed].",
    });
    for (const domain of ["docs.google.com", "form.jotform.com", "s3.eu-west-1.amazonaws.com"])
      expect(indicator({ ...page, domain, urls: [`https://${domain}/`] })).toMatchObject({
        pattern: `[url:value = 'https://${domain}/']`,
        indicator_types: ["anomalous-activity"],
      });
    for (const domain of ["eb-secure.pages.dev", "bakery.example"])
      expect(indicator({ ...page, domain, urls: [`https://${domain}/a`] })).toMatchObject({
        pattern: `[domain-name:value = '${domain}']`,
        indicator_types: ["malicious-activity"],
      });
  });

  test("escapes quotes and backslashes in the strings of patterns", () => {
    expect(stixString("a'b\\c")).toBe("'a\\'b\\\\c'");
  });
});
