import type { App } from "../../src/app/app.ts";
import type { Actor } from "../../src/access/audit/actor.ts";
import { reportOf } from "./takedowns.ts";

const hourMs = 3_600_000;
const by: Actor = { channel: "console", name: "admin", address: "192.0.2.7" };

/** Adds reports: one that bounced, one whose site went down, one that is due, and one with hostile text. */
export function seedTakedowns(
  { database, takedowns }: App,
  { known, hostile }: { known: string; hostile: string },
  ids: readonly string[],
  hostileText: string,
) {
  const setSite = (id: string, state: string, at: number) =>
    database.sqlite.run("UPDATE threats SET site_state = ?, site_state_at = ? WHERE id = ?", [state, at, id]);
  const now = Date.now();
  const recipient = {
    kind: "registrar" as const,
    name: "Example Registrar, Inc.",
    email: "abuse@registrar.example",
    source: { from: "rdap" as const, url: "https://rdap.example/domain/x", at: now - 5 * hourMs },
  };
  const hostileSource = { from: "rdap" as const, url: `javascript:alert(1)//${hostileText}` };
  const [down, back, ...more] = ids.slice(0, 14);
  for (const id of [known, hostile, down!, back!, ...more]) setSite(id, "up", now - 6 * hourMs);
  const add = (report: Parameters<typeof takedowns.add>[0]) => takedowns.add(report, { by }).report.seq;

  const bounced = add(reportOf([known], "PW-00000001", { recipient }));
  database.sqlite.run(
    "UPDATE takedown_reports SET delivery = 'bounced', attempt_at = NULL, delivery_response = ? WHERE seq = ?",
    [`550 5.1.1 unknown user ${hostileText}`, bounced],
  );
  takedowns.addResponse(bounced, { text: `${hostileText}\nTicket #42`, ticket: "ABUSE-42" }, { by });
  add(
    reportOf([hostile, ...more], "PW-00000002", {
      method: "form",
      messageId: null,
      recipient: {
        ...recipient,
        name: hostileText,
        formUrl: "https://forms.example/",
        source: hostileSource,
      },
      subject: "Phishing",
      body: hostileText,
    }),
  );
  const downReport = add(reportOf([down!, back!], "PW-00000003", { method: "manual", messageId: null }));
  for (const id of [down!, back!]) setSite(id, "down", now + hourMs);
  setSite(back!, "back", now + 2 * hourMs);
  database.sqlite.run("UPDATE takedown_reports SET follow_up_at = 1 WHERE reference = 'PW-00000002'");
  return { bouncedReport: bounced, downReport };
}
