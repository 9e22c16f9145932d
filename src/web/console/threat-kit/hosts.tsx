import { grouped } from "../../../platform/lib/wording.ts";
import { hostFields, type HostField } from "../../../threats/index/columns/hosts.ts";
import type { ThreatIndex } from "../../../threats/index/threat-index.ts";
import { Bars } from "../charts/bars.tsx";
import { Card } from "../kit/components.tsx";
import { hostLabels, Text } from "../kit/inline.tsx";
import { hostParameters, listPath } from "./filters.ts";

/** Hosts of each kind that are shown. */
const shownMax = 3;
const labelCharactersMax = 60;

/** Hosts of the active threats: of all of them, or of those to one protected domain. */
export interface ActiveHosts {
  protectedDomain: string | undefined;
  counts: Awaited<ReturnType<ThreatIndex["hosts"]>>;
}

export async function readActiveHosts(index: ThreatIndex, protectedDomain?: string): Promise<ActiveHosts> {
  const counts = await index.hosts({ status: "active", protectedDomain }, shownMax);
  return { protectedDomain, counts };
}

export function isAnyHostKnown({ counts }: ActiveHosts): boolean {
  return hostFields.some((field) => counts[field].known > 0);
}

/**
 * Who hosts the active threats, as far as registration data and DNS say: registrars, operators of name servers, and
 * networks. Each bar links to its threats. Renders nothing while nothing is known.
 */
export function WhoHosts({ hosts: { counts, protectedDomain } }: { hosts: ActiveHosts }) {
  const known = hostFields.filter((field) => counts[field].known > 0);
  if (known.length === 0) return null;
  return (
    <Card title="Who hosts it" aside={<span class="faint">active threats</span>}>
      <div class="stack">
        {known.map((field) => (
          <Field field={field} counts={counts[field]} protectedDomain={protectedDomain} />
        ))}
      </div>
    </Card>
  );
}

function Field(props: {
  field: HostField;
  counts: ActiveHosts["counts"][HostField];
  protectedDomain: string | undefined;
}) {
  const { field, counts, protectedDomain } = props;
  const { top, values } = counts;
  const label = hostLabels[field];
  const view: Record<string, string> = protectedDomain === undefined ? {} : { domain: protectedDomain };
  return (
    <div>
      <h3>{label}</h3>
      <Bars
        caption={`Active threats by ${label.toLowerCase()}`}
        rows={top.map(({ value, total }) => ({
          label: <Text text={value} charactersMax={labelCharactersMax} />,
          value: total,
          path: listPath(new URLSearchParams({ ...view, [hostParameters[field]]: value })),
        }))}
      />
      {values <= top.length ? null : <p class="hint">{grouped(values - top.length)} more</p>}
    </div>
  );
}
