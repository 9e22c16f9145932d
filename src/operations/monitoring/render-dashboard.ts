import rows from "./dashboard.json" with { type: "json" };
import frame from "./dashboard-frame.json" with { type: "json" };

/** Part of the dashboard. All panels of a row are next to each other. */
interface Row {
  title: string;
  panels: readonly Panel[];
}

interface Panel {
  title: string;
  /** One sentence: what it shows, and when to act. */
  description: string;
  /** `stat`, `timeseries` or `table`. */
  kind: string;
  /** Unit of Grafana, such as `s` or `bytes`. */
  unit: string;
  queries: readonly Query[];
  /** Why the panel is empty while all is well, or while a feature is not in use. */
  emptyBecause?: string;
}

interface Query {
  /** PromQL. The renderer restricts every metric to the job and instance chosen at the top of the dashboard. */
  expr: string;
  /** Name of each series, such as `{{source}}`. */
  legend: string;
}

/** Width of a dashboard in Grafana's units. */
const gridWidth = 24;
const panelHeight = 7;
const rowHeight = 1;

const dataSource = { type: "prometheus", uid: "${datasource}" };

/** Returns the dashboard for Grafana 10 or later, to import as it is. */
export function renderDashboard(): string {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: own } of rows satisfies readonly Row[]) {
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
  return `${JSON.stringify({ ...frame, panels }, null, 2)}\n`;
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
      expr: ofChosen(expr),
      legendFormat: legend,
      ...(kind === "table" && { instant: true, format: "table" }),
    })),
  };
}

/** Returns a query that reads only the series of the chosen instances. */
function ofChosen(expr: string): string {
  return expr.replace(
    /\b((?:phishwatch|process)_\w+)(?:\{(.*?)\})?/g,
    (_, name: string, matchers?: string) =>
      `${name}{job=~"$job",instance=~"$instance"${matchers === undefined ? "" : `,${matchers}`}}`,
  );
}
