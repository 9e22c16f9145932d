import { alerts, type Alert } from "./alerts.ts";

/**
 * Returns the alert rules as a file for Prometheus.
 * @param options.baseUrl of phishwatch, in front of the links to the manual; default: links are paths
 * @param options.minuteSeconds duration of a minute in `for`, for tests
 */
export function renderAlerts({
  baseUrl = "",
  minuteSeconds = 60,
}: { baseUrl?: string; minuteSeconds?: number } = {}): string {
  const rules = Object.entries<Alert>(alerts).map(
    ([alert, { severity, expr, forMinutes, summary, description, page }]) => ({
      alert,
      expr,
      ...(forMinutes > 0 && { for: `${Math.ceil(forMinutes * minuteSeconds)}s` }),
      labels: { severity },
      annotations: { summary, description, runbook_url: `${baseUrl}/docs/${page.replace(".md", "")}` },
    }),
  );
  const groups = [{ name: "phishwatch", rules }];
  return `# Alert rules for phishwatch. Print them again after an upgrade: phishwatch monitoring alerts\n${Bun.YAML.stringify({ groups }, null, 2)}\n`;
}
