import { describe, expect, test } from "bun:test";
import { describeSeverityReason } from "../../../src/threats/threats/severity/severity-reasons.ts";
import type { PageEvidence } from "../../../src/threats/threats/severity/phishing-page.ts";
import { severityOf, type SeverityFacts } from "../../../src/threats/threats/severity/severity.ts";
import type { Severity, ThreatType } from "../../../src/platform/vocabulary/threats.ts";
import { lookAlike } from "../../support/look-alikes.ts";

const plainPage: PageEvidence = {
  asksForPassword: false,
  asksForCard: false,
  namesBrand: false,
  redirectsToProtected: false,
};
const exists: SeverityFacts = { exists: "yes", reachable: true };

type Row = [
  what: string,
  similarity: number,
  facts: SeverityFacts | undefined,
  severity: Severity,
  type?: ThreatType,
];
const rows: Row[] = [
  ["without facts a homograph is high", 0.96, undefined, "high"],
  ["without facts a near miss is medium", 0.9, undefined, "medium"],
  ["without facts a distant name is low", 0.8, undefined, "low"],
  ["a reported copy of the page is high, whatever the name", 0.3, undefined, "high", "cloned_site"],
  ["unknown facts change nothing", 0.9, { exists: "unknown" }, "medium"],
  ["a name that is not in DNS is low", 0.99, { exists: "no" }, "low"],
  ["a reported copy whose name is no longer in DNS is low", 0.99, { exists: "no" }, "low", "cloned_site"],
  ["a sinkholed name is low", 0.99, { ...exists, sinkholed: "ShadowServer", mail: true }, "low"],
  ["a mail server makes a close name high", 0.9, { ...exists, mail: true }, "high"],
  ["a mail server makes a distant name medium", 0.8, { ...exists, mail: true }, "medium"],
  ["a parked, almost identical name is medium", 0.96, { ...exists, parked: "Sedo" }, "medium"],
  ["a parked close name is low", 0.9, { ...exists, parked: "Sedo" }, "low"],
  [
    "a parked close name with a mail server is medium",
    0.9,
    { ...exists, parked: "Sedo", mail: true },
    "medium",
  ],
  [
    "a almost identical name without addresses is medium",
    0.96,
    { exists: "yes", reachable: false },
    "medium",
  ],
  [
    "a sign-in page makes a distant name high",
    0.8,
    { ...exists, page: { ...plainPage, asksForPassword: true } },
    "high",
  ],
  [
    "a card form makes a close name high",
    0.9,
    { ...exists, page: { ...plainPage, asksForCard: true } },
    "high",
  ],
  [
    "a page that looks like the original makes a distant name high",
    0.8,
    { ...exists, page: { ...plainPage, visualSimilarity: 0.95 } },
    "high",
  ],
  [
    "a page that looks different leaves a distant name low",
    0.8,
    { ...exists, page: { ...plainPage, visualSimilarity: 0.7 } },
    "low",
  ],
  [
    "a page that certainly imitates the brand makes a distant name high",
    0.8,
    { ...exists, page: { ...plainPage, imitation: { score: 0.9, imitates: true } } },
    "high",
  ],
  [
    "a parked name whose page probably imitates the brand is medium",
    0.8,
    { ...exists, parked: "Sedo", page: { ...plainPage, imitation: { score: 0.8, imitates: true } } },
    "medium",
  ],
  [
    "a page that does not imitate the brand, but names it, leaves a distant name medium",
    0.8,
    { ...exists, page: { ...plainPage, namesBrand: true, imitation: { score: 0.2, imitates: false } } },
    "medium",
  ],
  [
    "an unrelated page lowers a almost identical name to medium",
    0.96,
    { ...exists, page: plainPage },
    "medium",
  ],
  [
    "a redirect to the owner makes a almost identical name low",
    0.96,
    { ...exists, page: { ...plainPage, redirectsToProtected: true }, registeredDays: 400 },
    "low",
  ],
  [
    "a redirect to the owner from a new domain, as phishing pages serve to unwanted visitors, leaves medium",
    0.96,
    { ...exists, page: { ...plainPage, redirectsToProtected: true }, registeredDays: 3 },
    "medium",
  ],
  [
    "a redirect to the owner from a domain of unknown age leaves medium",
    0.96,
    { ...exists, page: { ...plainPage, redirectsToProtected: true } },
    "medium",
  ],
  [
    "a page that asks for a password before it redirects to the owner is high",
    0.8,
    { ...exists, page: { ...plainPage, asksForPassword: true, redirectsToProtected: true } },
    "high",
  ],
  [
    "a name that claims to be in a sinkhole and shows a sign-in page is high",
    0.8,
    { ...exists, sinkholed: "ShadowServer", page: { ...plainPage, asksForPassword: true } },
    "high",
  ],
  [
    "a name that claims to be in a sinkhole and looks like the original is high",
    0.8,
    { ...exists, sinkholed: "ShadowServer", page: { ...plainPage, visualSimilarity: 0.9 } },
    "high",
  ],
  [
    "a redirect to the owner with a mail server stays medium",
    0.96,
    { ...exists, mail: true, page: { ...plainPage, redirectsToProtected: true }, registeredDays: 400 },
    "medium",
  ],
  [
    "a new domain whose page names the brand is high",
    0.9,
    { ...exists, page: { ...plainPage, namesBrand: true }, registeredDays: 3 },
    "high",
  ],
  ["an old, almost identical domain is medium", 0.96, { ...exists, registeredDays: 4_000 }, "medium"],
];

describe("severity", () => {
  test.each(rows)("%s", (_what, similarity, facts, severity, ...[type]) => {
    expect(severityOf(lookAlike({ similarity, type }), { facts }).severity).toBe(severity);
  });

  test("comes with exactly the reasons that apply, the name's first", () => {
    const page = { ...plainPage, asksForPassword: true, namesBrand: true };
    const scored = severityOf(lookAlike({ type: "homograph", similarity: 0.96 }), {
      facts: {
        exists: "yes",
        reachable: true,
        mail: true,
        page,
        registeredDays: 1,
        registeredOn: "2026-01-09",
      },
    });
    expect(scored.reasons.map(describeSeverityReason)).toEqual([
      "the name is a homograph: its characters look like those of the protected name (similarity 0.96)",
      "a mail server accepts mail for the name",
      "the page asks for a password",
      "the page names the brand",
      "the domain was registered recently, on 2026-01-09",
    ]);
  });

  test("ignores exonerating facts for a week after a copy of the page was seen in use", () => {
    const against: SeverityFacts = {
      exists: "yes",
      reachable: false,
      parked: "Sedo",
      registeredDays: 9_999,
      page: { ...plainPage, redirectsToProtected: true },
    };
    const severityAfter = (cloneSeenDays: number | undefined, facts: SeverityFacts) =>
      severityOf(lookAlike({ similarity: 0.8 }), { facts, cloneSeenDays }).severity;
    for (const facts of [against, { exists: "no" as const }]) {
      expect([0, 7, 8, undefined].map((days) => severityAfter(days, facts))).toEqual([
        "high",
        "high",
        "low",
        "low",
      ]);
    }
    expect(severityAfter(400, exists)).toBe("high");
  });

  test("is never lowered by an incriminating fact and never raised by an exonerating one", () => {
    const rank = { low: 0, medium: 1, high: 2 };
    const worse: [string, (facts: SeverityFacts) => SeverityFacts][] = [
      ["mail", (facts) => ({ ...facts, mail: true })],
      ["young", (facts) => ({ ...facts, registeredDays: 2 })],
      ["password", (facts) => onPage(facts, { asksForPassword: true })],
      ["card", (facts) => onPage(facts, { asksForCard: true })],
      ["brand", (facts) => onPage(facts, { namesBrand: true })],
      ["looks", (facts) => onPage(facts, { visualSimilarity: 1 })],
      ["imitation", (facts) => onPage(facts, { imitation: { score: 0.7, imitates: true } })],
      ["certain imitation", (facts) => onPage(facts, { imitation: { score: 0.99, imitates: true } })],
    ];
    const better: typeof worse = [
      ["gone", (facts) => ({ ...facts, exists: "no" })],
      ["sinkhole", (facts) => ({ ...facts, sinkholed: "x" })],
      ["old", (facts) => ({ ...facts, registeredDays: 9_999 })],
      ["owner", (facts) => onPage(facts, { redirectsToProtected: true })],
      ["parked", (facts) => ({ ...facts, parked: "x" })],
    ];
    const offenders: string[] = [];
    for (const facts of everyCombination()) {
      for (const similarity of [0.8, 0.9, 0.96]) {
        const level = (given: SeverityFacts) =>
          rank[severityOf(lookAlike({ similarity }), { facts: given }).severity];
        for (const [name, change] of worse)
          if (level(change(facts)) < level(facts)) offenders.push(`${name} lowers ${JSON.stringify(facts)}`);
        for (const [name, change] of better)
          if (level(change(facts)) > level(facts)) offenders.push(`${name} raises ${JSON.stringify(facts)}`);
      }
    }
    expect(offenders.slice(0, 5)).toEqual([]);
  });
});

function onPage(facts: SeverityFacts, change: Partial<PageEvidence>): SeverityFacts {
  return facts.page === undefined ? facts : { ...facts, page: { ...facts.page, ...change } };
}

function* everyCombination(): Generator<SeverityFacts> {
  const truths = [false, true];
  for (const existence of ["yes", "no", "unknown"] as const)
    for (const mail of truths)
      for (const parked of [undefined, "Sedo"])
        for (const sinkholed of [undefined, "Sinkhole"])
          for (const registeredDays of [undefined, 2, 400, 9_999])
            for (const page of [undefined, ...everyPage()])
              yield { exists: existence, reachable: true, mail, parked, sinkholed, registeredDays, page };
}

function* everyPage(): Generator<PageEvidence> {
  const truths = [false, true];
  for (const asksForPassword of truths)
    for (const asksForCard of truths)
      for (const namesBrand of truths)
        for (const redirectsToProtected of truths)
          for (const visualSimilarity of [undefined, 0.5, 1])
            yield { asksForPassword, asksForCard, namesBrand, redirectsToProtected, visualSimilarity };
}
