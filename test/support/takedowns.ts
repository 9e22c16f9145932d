import type { NewReport } from "../../src/response/cases/takedowns/report-input.ts";
import { openTakedowns } from "../../src/response/cases/takedowns/open-takedowns.ts";
import type { Config } from "../../src/platform/config/config.ts";
import type { SmtpConfig } from "../../src/platform/config/sections/notifications.ts";
import { createMailServer } from "../../src/messaging/channels/email/mail-server.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import type { SiteState } from "../../src/platform/vocabulary/site.ts";
import { fillRandom } from "./appliance.ts";
import { openStores } from "./stores.ts";

const dayMs = 86_400_000;

export const takedownConfig: Config["takedown"] = {
  from: "soc@defender.example",
  replyTo: "abuse-reports@defender.example",
  signature: "Ada Analyst, Defender",
  followUpAfterMs: 2 * dayMs,
};

/** Opens reports over a real database file. */
export function openTakedownWorld({ smtp = null }: { smtp?: SmtpConfig | null } = {}) {
  const stores = openStores();
  const { auditLog, clock, database, threats } = stores;
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "json", clock, write: (line) => void lines.push(line) });
  const open = () =>
    openTakedowns(
      { clock, fillRandom, log },
      {
        auditLog,
        channels: {
          mailServer:
            smtp === null
              ? null
              : createMailServer(smtp, { connectMs: 2_000, silenceMs: 2_000, totalMs: 5_000 }),
        },
        config: { smtp, takedown: takedownConfig },
        database,
      },
    );
  return {
    ...stores,
    lines,
    open,
    takedowns: open(),
    /** Records a threat and returns its ID. */
    addThreat(domain: string): string {
      return threats.record([
        {
          domain,
          match: { protectedDomain: "example-bank.com", type: "typosquatting", similarity: 0.9, reasons: [] },
          source: "scan",
          seenAt: clock.now(),
        },
      ])[0]!.threatId;
    },
    /** Stores the state of a site, as lookups do. */
    setSite(id: string, state: SiteState | null): void {
      database.sqlite.run("UPDATE threats SET site_state = ?, site_state_at = ? WHERE id = ?", [
        state,
        clock.now(),
        id,
      ]);
    },
  };
}

/** Returns a report of threats to a hosting provider by email. */
export function reportOf(
  threatIds: readonly string[],
  reference: string,
  changes: Partial<NewReport> = {},
): NewReport {
  return {
    reference,
    purpose: "first",
    previousSeq: null,
    recipient: {
      kind: "hoster",
      name: "Example Hosting",
      email: "abuse@hosting.example",
      source: { from: "address_rdap" },
    },
    method: "email",
    subject: `Phishing: exarnple-bank[.]com [${reference}]`,
    body: "Please remove the page.\n\nAda Analyst",
    ticket: null,
    threats: threatIds.map((id) => ({ id, protectedDomain: "example-bank.com", hoster: "Example Hosting" })),
    files: [],
    messageId: `${reference.toLowerCase()}@defender.example`,
    followUpAfterMs: 2 * dayMs,
    ...changes,
  };
}
