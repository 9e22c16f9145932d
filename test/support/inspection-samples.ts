import type { App } from "../../src/app/app.ts";
import { createInspectionStore, type Outcome } from "../../src/facts/inspection/queue/store.ts";
import type { Signal } from "../../src/platform/vocabulary/page-signals.ts";

const minuteMs = 60_000;

const signal = (code: string, points: number, params: Signal["params"] = {}): Signal => ({
  code,
  strength: 1,
  points,
  params,
});

/** Signals of a copied sign-in page. */
export const copySignals: readonly Signal[] = [
  signal("same_pictures", 4.125, { original: "https://example-bank.com/login" }),
  signal("same_text", 2.75, { percent: 91, original: "https://example-bank.com/login" }),
  signal("brand_in_title", 2.25, { title: "Example Bank – Sign in to online banking" }),
  signal("asks_password", 1.5),
  signal("sends_to_mailer", 0.75, { path: "/assets/next.php" }),
  signal("own_name", -0.5, { name: "shoes" }),
];

/**
 * Adds inspections with each result, of a page that imitates a protected domain among them, and with hostile texts.
 * @param threatId threat that is on record for the imitation
 */
export function seedInspections({ database }: Pick<App, "database">, threatId: string, hostile: string) {
  const store = createInspectionStore(database);
  const now = Date.now();
  let minutes = 0;

  function add(host: string, path: string, outcome: Partial<Outcome>): string {
    const requestedAt = now - 40 * minuteMs + ++minutes * minuteMs;
    const id = `ins_01k0000000000000000000000${minutes}`;
    const isByFeed = minutes % 3 === 0;
    const result: Outcome = {
      state: "done",
      dueAt: requestedAt,
      imitates: false,
      protectedDomain: null,
      score: null,
      verdicts: [],
      page: null,
      reason: null,
      finishedAt: requestedAt + 800,
      durationMs: 740,
      threatSeq: null,
      ...outcome,
    };
    const { threatSeq: _, ...columns } = result;
    const { seq } = store.insert({
      ...columns,
      id,
      address: path === "" ? host : `https://${host}/${path}`,
      host,
      priority: isByFeed ? "feed" : "person",
      source: isByFeed ? "feed" : "submission",
      origin: isByFeed ? { kind: "feed", name: hostile } : { kind: "console", name: "ada" },
      within: null,
      requestedAt,
      attempts: 1,
      startedAt: requestedAt + 50,
    });
    store.save(seq, result);
    return id;
  }

  const verdict = { protectedDomain: "example-bank.com", original: "https://example-bank.com/login" };
  const page = {
    redirects: [],
    status: 200,
    title: "Example Bank – Sign in to online banking",
    asksForPassword: true,
    asksForCard: false,
  };
  const found = add("cheap-shoes.example", "wp-content/login/?id=71", {
    imitates: true,
    protectedDomain: "example-bank.com",
    score: 0.9987,
    verdicts: [
      { ...verdict, score: 0.9987, imitates: true, signals: [...copySignals] },
      {
        protectedDomain: "example-shop.com",
        original: null,
        score: 0.0312,
        imitates: false,
        signals: [
          signal("brand_in_text", 0.5, { count: 1 }),
          signal("other_site_name", -2.5, { name: "Example" }),
        ],
      },
    ],
    page: {
      ...page,
      finalUrl: "https://cheap-shoes.example/wp-content/login/index.php",
      shownTo: "iphone",
      redirects: ["https://cheap-shoes.example/wp-content/login/index.php"],
    },
    threatSeq: store.threatSeqOf(threatId) ?? null,
  });
  add("news.example", "2026/banks", {
    protectedDomain: "example-bank.com",
    score: 0.0211,
    verdicts: [
      { ...verdict, score: 0.0211, imitates: false, signals: [signal("own_text", -4.25, { words: 900 })] },
    ],
    page: {
      ...page,
      finalUrl: "https://news.example/2026/banks",
      asksForPassword: false,
      title: "Bank news",
    },
  });
  add("gone.example", "", { state: "failed", imitates: null, reason: "the name does not exist in DNS" });
  const hostileSignals = ["brand_in_title", "unknown_code"].map((code) =>
    signal(code, 2, { title: hostile, name: hostile, original: hostile }),
  );
  const odd = add(`${"a".repeat(60)}.${"b".repeat(60)}.example`, hostile.replaceAll(/\s/g, "+"), {
    imitates: true,
    protectedDomain: "example-bank.com",
    score: 0.7,
    verdicts: [{ ...verdict, original: hostile, score: 0.7, imitates: true, signals: hostileSignals }],
    page: {
      ...page,
      finalUrl: hostile,
      redirects: Array.from({ length: 30 }, () => hostile),
      title: hostile,
      unseen: hostile,
      parked: hostile,
    },
  });
  add("waits.example", "login", {
    state: "queued",
    imitates: null,
    dueAt: now + 20 * minuteMs,
    finishedAt: null,
    durationMs: null,
    reason: "its host was inspected less than an hour ago",
  });
  return { inspection: found, oddInspection: odd };
}
