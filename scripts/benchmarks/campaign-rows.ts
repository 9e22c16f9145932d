import type { ThreatSource } from "../../src/response/cases/campaigns/traits.ts";
import type { Database } from "../../src/platform/database/database.ts";

/** Inserts threats with their facts, as lookups would store them. */
export function fillWithThreats(database: Database, threats: readonly ThreatSource[]): void {
  const { sqlite } = database;
  const domains = new Set(threats.map(({ protectedDomain }) => protectedDomain));
  database.transaction(() => {
    for (const domain of domains)
      sqlite.run(
        "insert into protected_domains (id, domain, keywords, allow, enabled, origin, created_at, updated_at) values (?, ?, '[]', '[]', 1, 'runtime', 0, 0) on conflict do nothing",
        [domain, domain],
      );
    const insert = sqlite.query(
      `insert or ignore into threats (seq, id, protected_domain_seq, domain, type, status, severity, similarity, source, reasons,
         severity_reasons, first_seen, created_at, status_changed_at, whois, screenshot_token)
       select ?, ?, seq, ?, 'combosquatting', ?, 'medium', 0.9, 'feed', '[]', '[]', ?, ?, ?, '{}', ''
       from protected_domains where domain = ?`,
    );
    const insertFacts = sqlite.query(
      `insert into enrichments (threat_seq, rank, due_at, step, failures, facts, screenshot_failures)
       select seq, 0, 0, 0, 0, ?, 0 from threats where seq = ?`,
    );
    const insertCertificate = sqlite.query(
      `insert into threat_certificates (threat_seq, identity, issuer, serial, log, entry_url, entry_index, is_verified, seen_at)
       select seq, ?, '', ?, '', '', 0, 1, 0 from threats where seq = ?`,
    );
    for (const { domain, facts, protectedDomain, seq, serials, status } of threats) {
      insert.run(seq, `thr_${seq}`, domain, status, seq, seq, seq, protectedDomain);
      insertFacts.run(JSON.stringify(facts), seq);
      for (const serial of serials) insertCertificate.run(serial, serial, seq);
    }
  });
}
