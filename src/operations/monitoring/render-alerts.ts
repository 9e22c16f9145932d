import definitions from "./alerts.json" with { type: "json" };

/** A rule of an alert. Templates such as `{{ $labels.source }}` are filled in by Prometheus. */
export interface Alert {
  severity: "critical" | "warning";
  /** PromQL: the alert fires for each series of the result. The job is phishwatch in the configuration. */
  expr: string;
  /** How long the expression has to have a result. */
  forMinutes: number;
  /** One line. */
  summary: string;
  /** Sentences: the meaning, and the action to take. */
  description: string;
  /** Page of the manual with a heading, such as `troubleshooting.md#a-webhook-does-not-arrive`. */
  page: string;
}

export type AlertName = keyof typeof definitions;

/** All alerts. */
export const alerts = definitions as Readonly<Record<AlertName, Alert>>;

/**
 * Returns the alert rules as a file for Prometheus.
 * @param options.baseUrl of phishwatch, in front of the links to the manual; default: links are paths
 * @param options.minuteSeconds duration of a minute in `for`, for tests
 */
export function renderAlerts({
  baseUrl = "",
  minuteSeconds = 60,
}: { baseUrl?: string; minuteSeconds?: number } = {}): string {
  const rules = Object.entries(alerts).map(
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
