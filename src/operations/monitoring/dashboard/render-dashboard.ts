import { metrics } from "../catalogue/metrics.ts";
import { nameRows } from "./name-rows.ts";
import type { Panel } from "./panel.ts";
import { systemRows } from "./system-rows.ts";

const rows = [...nameRows, ...systemRows];
/** Version of Grafana's dashboard schema. */
const schemaVersion = 39;
/** Width of a dashboard in Grafana's units. */
const gridWidth = 24;
const panelHeight = 7;
const rowHeight = 1;

const dataSource = { type: "prometheus", uid: "${datasource}" };

/** Returns the dashboard for Grafana 10 or later, to import as it is. */
export function renderDashboard(): string {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: own } of rows) {
    panels.push({
      id: panels.length + 1,
      type: "row",
      title,
      collapsed: false,
      gridPos: { h: rowHeight, w: gridWidth, x: 0, y },
      panels: [],
    });
    y += rowHeight;
    const width = Math.floor(gridWidth / own.length);
    own.forEach((panel, index) => {
      const gridPos = { h: panelHeight, w: width, x: index * width, y };
      panels.push({ id: panels.length + 1, gridPos, ...panelJson(panel) });
    });
    y += panelHeight;
  }
  const dashboard = {
    uid: "phishwatch",
    title: "phishwatch",
    description: "Print it again after an upgrade: phishwatch monitoring dashboard",
    tags: ["phishwatch"],
    editable: true,
    schemaVersion,
    time: { from: "now-24h", to: "now" },
    refresh: "1m",
    timezone: "",
    templating: { list: variables },
    annotations: { list: [] },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

function panelJson({ title, description, kind, unit, queries, emptyBecause }: Panel) {
  return {
    type: kind,
    title,
    description: emptyBecause === undefined ? description : `${description} Empty: ${emptyBecause}.`,
    datasource: dataSource,
    fieldConfig: { defaults: { unit, noValue: emptyBecause ?? "no data" }, overrides: [] },
    ...(kind === "stat" && {
      options: { reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false } },
    }),
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCodePoint("A".codePointAt(0)! + index),
      datasource: dataSource,
      expr,
      legendFormat: legend,
      ...(kind === "table" && { instant: true, format: "table" }),
    })),
  };
}

const build = metrics.build.name;
const variables = [
  { name: "datasource", label: "Data source", type: "datasource", query: "prometheus" },
  queryVariable("job", "Job", `label_values(${build}, job)`),
  queryVariable("instance", "Instance", `label_values(${build}{job=~"$job"}, instance)`),
];

function queryVariable(name: string, label: string, query: string) {
  return {
    name,
    label,
    type: "query",
    datasource: dataSource,
    query: { query, refId: name },
    definition: query,
    refresh: 2,
    sort: 1,
    multi: false,
    includeAll: true,
    current: { text: "All", value: "$__all" },
  };
}
