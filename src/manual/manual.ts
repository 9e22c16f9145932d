import install from "./install.md" with { type: "text" };
import firstSteps from "./first-steps.md" with { type: "text" };
import configure from "./configure.md" with { type: "text" };
import proxy from "./proxy.md" with { type: "text" };
import users from "./users.md" with { type: "text" };
import protectDomains from "./protect-domains.md" with { type: "text" };
import sources from "./sources.md" with { type: "text" };
import archive from "./archive.md" with { type: "text" };
import inspection from "./inspection.md" with { type: "text" };
import certificateLogs from "./certificate-logs.md" with { type: "text" };
import triage from "./triage.md" with { type: "text" };
import cases from "./cases.md" with { type: "text" };
import campaigns from "./campaigns.md" with { type: "text" };
import abuseContacts from "./abuse-contacts.md" with { type: "text" };
import takedown from "./takedown.md" with { type: "text" };
import facts from "./facts.md" with { type: "text" };
import notify from "./notify.md" with { type: "text" };
import channels from "./channels.md" with { type: "text" };
import exportsPage from "./exports.md" with { type: "text" };
import blockLists from "./block-lists.md" with { type: "text" };
import traps from "./traps.md" with { type: "text" };
import operate from "./operate.md" with { type: "text" };
import service from "./service.md" with { type: "text" };
import check from "./check.md" with { type: "text" };
import backup from "./backup.md" with { type: "text" };
import standby from "./standby.md" with { type: "text" };
import retention from "./retention.md" with { type: "text" };
import upgrade from "./upgrade.md" with { type: "text" };
import monitoring from "./monitoring.md" with { type: "text" };
import log from "./log.md" with { type: "text" };
import limits from "./limits.md" with { type: "text" };
import performancePage from "./performance.md" with { type: "text" };
import airGap from "./air-gap.md" with { type: "text" };
import httpApi from "./http-api.md" with { type: "text" };
import clients from "./clients.md" with { type: "text" };
import webhooks from "./webhooks.md" with { type: "text" };
import sandbox from "./sandbox.md" with { type: "text" };
import detection from "./detection.md" with { type: "text" };
import security from "./security.md" with { type: "text" };
import testing from "./testing.md" with { type: "text" };
import troubleshooting from "./troubleshooting.md" with { type: "text" };
import whatsNew from "./whats-new.md" with { type: "text" };

/** The user manual: one Markdown page per task, embedded into the executable. */
export interface ManualPage {
  /** Name in `phishwatch help TOPIC` and in `/docs/TOPIC`. */
  topic: string;
  title: string;
  /** One sentence: the page's first paragraph. */
  summary: string;
  /** Markdown. Links to other pages have the form `configure.md#server`. */
  text: string;
}

const texts: [topic: string, text: string][] = [
  ["install", install],
  ["first-steps", firstSteps],
  ["configure", configure],
  ["proxy", proxy],
  ["users", users],
  ["protect-domains", protectDomains],
  ["sources", sources],
  ["archive", archive],
  ["certificate-logs", certificateLogs],
  ["inspection", inspection],
  ["triage", triage],
  ["cases", cases],
  ["campaigns", campaigns],
  ["takedown", takedown],
  ["facts", facts],
  ["abuse-contacts", abuseContacts],
  ["notify", notify],
  ["channels", channels],
  ["exports", exportsPage],
  ["block-lists", blockLists],
  ["traps", traps],
  ["operate", operate],
  ["service", service],
  ["check", check],
  ["backup", backup],
  ["standby", standby],
  ["retention", retention],
  ["upgrade", upgrade],
  ["monitoring", monitoring],
  ["log", log],
  ["limits", limits],
  ["performance", performancePage],
  ["air-gap", airGap],
  ["http-api", httpApi],
  ["clients", clients],
  ["webhooks", webhooks],
  ["sandbox", sandbox],
  ["detection", detection],
  ["security", security],
  ["testing", testing],
  ["troubleshooting", troubleshooting],
  ["whats-new", whatsNew],
];

/** All pages, in reading order. */
export const manualPages: readonly ManualPage[] = texts.map(([topic, text]) => ({
  topic,
  title: /^# (.+)$/m.exec(text)?.[1] ?? topic,
  summary: (/^# .+\n+((?:.+\n)+)/.exec(text)?.[1] ?? "").trim().replaceAll("\n", " "),
  // Comments mark the parts that scripts generate.
  text: text.replaceAll(/^<!-- .* -->\n\n?/gm, ""),
}));

export function findManualPage(topic: string): ManualPage | undefined {
  return manualPages.find((page) => page.topic === topic);
}
