import { metrics, type Metric } from "../../operations/monitoring/metrics/metrics.ts";
import { renderDashboard } from "../../operations/monitoring/render-dashboard.ts";
import { renderAlerts } from "../../operations/monitoring/render-alerts.ts";
import { command, type CommandGroup } from "../terminal/command.ts";
import { jsonFlag, serverUrl } from "../terminal/flags.ts";
import { printJson, renderTable } from "../terminal/table.ts";

const alertsCommand = command({
  name: "alerts",
  flags: { url: serverUrl("--url <url>") },
  run({ options: { url }, terminal: { out } }) {
    out.write(renderAlerts(url === undefined ? {} : { baseUrl: url }));
  },
});

const dashboardCommand = command({
  name: "dashboard",
  flags: {},
  run: ({ terminal: { out } }) => out.write(renderDashboard()),
});

const metricsCommand = command({
  name: "metrics",
  flags: { json: jsonFlag },
  run({ options: { json }, terminal: { out } }) {
    const all = Object.values<Metric>(metrics);
    if (json) {
      for (const { name, type, labels, help } of all) printJson(out, { name, type, labels, help });
      return;
    }
    const columns = [
      { title: "metric", cell: ({ name }: Metric) => name },
      { title: "type", cell: ({ type }: Metric) => type },
      { title: "labels", cell: ({ labels }: Metric) => labels.join(" ") },
    ];
    out.write(renderTable(columns, all));
  },
});

export const monitoringCommands: CommandGroup = {
  name: "monitoring",
  commands: [alertsCommand, dashboardCommand, metricsCommand],
};
