import type { App } from "../../src/app/app.ts";
import { nothingKnown } from "../../src/facts/enrichment/facts/facts.ts";
import { enrichments } from "../../src/facts/enrichment/tables.ts";

/** Adds a campaign of 14 threats that share a name, an address, and name servers with hostile text. */
export async function seedCampaign(app: App, hostileText: string) {
  const { campaigns, database, threats } = app;
  const recorded = threats.record(
    Array.from({ length: 14 }, (_, index) => ({
      domain: `example-bank-login${index + 10}.net`,
      match: { protectedDomain: "example-bank.com", type: "combosquatting", similarity: 0.9, reasons: [] },
      source: "feed",
      seenAt: Date.now() - (20 - index) * 3_600_000,
    })),
  );
  const seqOf = database.sqlite.prepare<{ seq: number }, [string]>("select seq from threats where id = ?");
  const seqs = recorded.map(({ threatId }) => seqOf.get(threatId)!.seq);
  for (const [index, threatSeq] of seqs.entries()) {
    const created_at = new Date(Date.UTC(2026, 10, 3 + (index % 3), 8, 1 + index)).toISOString();
    database.query
      .insert(enrichments)
      .values({
        threatSeq,
        rank: 0,
        dueAt: Date.now() + 86_400_000,
        step: 0,
        failures: 0,
        screenshotFailures: 0,
        facts: {
          ...nothingKnown,
          existence: {
            exists: "yes",
            addresses: ["203.0.113.99"],
            nameServers: [`ns1.${hostileText}`],
            mailServers: [],
            wildcard: false,
          },
          registration: {
            registrar: hostileText,
            registrar_iana_id: "9998",
            created_at,
            abuse_email: "abuse@registrar.example",
          },
        },
      })
      .run();
    database.sqlite.run("update threats set whois = ? where seq = ?", [
      JSON.stringify({ registrar: hostileText, created_at, abuse_email: "abuse@registrar.example" }),
      threatSeq,
    ]);
  }
  await campaigns.catchUp();
  return { campaign: campaigns.of(seqs[0]!)!.number, campaignThreat: recorded[3]!.threatId };
}
