import { grouped } from "../../lib/wording.ts";
import { hostFields, type HostField } from "../../threat-index/columns/hosts.ts";
import type { ThreatIndex } from "../../threat-index/threat-index.ts";
import { Bars } from "../charts/bars.tsx";
import { Card } from "../kit/components.tsx";
import { hostLabels } from "../kit/labels.ts";
import { Text } from "../kit/name.tsx";
import { hostParameters, listPath } from "./filters.ts";

/** Hosts of each kind that are read, and those that are shown if the kinds are below each other. */
const readMax = 6;
const stackedMax = 3;
const labelCharactersMax = 60;

/** Hosts of the active threats: of all of them, or of those to one protected domain. */
export interface ActiveHosts {
  protectedDomain: string | undefined;
  counts: Awaited<ReturnType<ThreatIndex["hosts"]>>;
}

export async function readActiveHosts(index: ThreatIndex, protectedDomain?: string): Promise<ActiveHosts> {
  const counts = await index.hosts({ status: "active", protectedDomain }, readMax);
  return { protectedDomain, counts };
}

/**
 * Who hosts the active threats, as far as registration data and DNS say: registrars, operators of name servers, and
 * networks. Each bar links to its threats. Renders nothing while nothing is known.
 */
export function WhoHosts({
  hosts: { counts, protectedDomain },
  stacked = false,
}: {
  hosts: ActiveHosts;
  /** Whether the kinds of hosts are below each other, as in half of the page's width. */
  stacked?: boolean;
}) {
  const known = hostFields.filter((field) => counts[field].known > 0);
  if (known.length === 0) return null;
  return (
    <Card title="Who hosts it" aside={<span class="faint">active threats</span>}>
      <div class={stacked ? "stack" : `cols cols-${known.length}`}>
        {known.map((field) => (
          <Field
            field={field}
            counts={counts[field]}
            shownMax={stacked ? stackedMax : readMax}
            protectedDomain={protectedDomain}
          />
        ))}
      </div>
    </Card>
  );
}

function Field({
  field,
  counts: { top, values },
  shownMax,
  protectedDomain,
}: {
  field: HostField;
  counts: ActiveHosts["counts"][HostField];
  shownMax: number;
  protectedDomain: string | undefined;
}) {
  const label = hostLabels[field];
  const shown = top.slice(0, shownMax);
  const view: Record<string, string> = protectedDomain === undefined ? {} : { domain: protectedDomain };
  return (
    <div>
      <h3>{label}</h3>
      <Bars
        caption={`Active threats by ${label.toLowerCase()}`}
        rows={shown.map(({ value, total }) => ({
          label: <Text text={value} charactersMax={labelCharactersMax} />,
          value: total,
          path: listPath(new URLSearchParams({ ...view, [hostParameters[field]]: value })),
        }))}
      />
      {values <= shown.length ? null : <p class="hint">{grouped(values - shown.length)} more</p>}
    </div>
  );
}
