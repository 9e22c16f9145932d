import type { Permutation } from "../../../../engines/detection/generate/permutations.ts";
import type { DomainContent } from "../../../../threats/domains/declaration.ts";
import type { NamedThreat } from "../../../../threats/threats/store/queries.ts";
import { threatTypes } from "../../../../platform/vocabulary/threats.ts";
import { PageHead } from "../../kit/components.tsx";
import { Help } from "../../kit/disclosure.tsx";
import { Name } from "../../kit/name.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { domainPath, domainsPath, threatPath } from "../../kit/paths.ts";
import { column, Table, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { compareNames, ComparedName } from "../../threat-kit/compared-name.tsx";
import { SeverityMark, StatusMark, TypeLegend, TypeName } from "../../threat-kit/threat-marks.tsx";
import { findDomain } from "../../threat-kit/domains.ts";
import { shellWord } from "../../../../platform/lib/shell-word.ts";

/** Generated look-alikes with the marks of difference; those that are threats are marked and linked. */
export function LookAlikes(props: {
  domain: DomainContent;
  lookAlikes: readonly Permutation[];
  /** Threats among them; undefined: the domain is not protected yet. */
  known?: readonly NamedThreat[];
}) {
  const { lookAlikes, known } = props;
  const { domain, keywords } = props.domain;
  const threatOf = new Map(known?.map((threat) => [threat.domain, threat]));
  const columns: Column<Permutation>[] = [
    column("Look-alike", "wide title", ({ name }) => (
      <LookAlikeName name={name} domain={domain} keywords={keywords} threat={threatOf.get(name)} />
    )),
    ...(known === undefined
      ? []
      : [
          column<Permutation>("Threat", "tight state", ({ name }) => (
            <ThreatState threat={threatOf.get(name)} />
          )),
        ]),
    column("Type", "tight under", ({ type }) => <TypeName type={type} />),
    column(
      <div class="line tight nowrap">
        Similarity
        <Help about="similarity" manual="detection#similarity">
          How close a name is to the protected domain, from 0 to 1. At 1, they look the same.
        </Help>
      </div>,
      known === undefined ? "number state" : "number end",
      ({ similarity }) => similarity.toFixed(2),
    ),
  ];
  const types = threatTypes.filter((type) => lookAlikes.some((one) => one.type === type));
  return (
    <>
      <Table
        caption="Look-alikes"
        columns={columns}
        rows={lookAlikes}
        empty="No generated variant of this name is similar enough."
      />
      {types.length === 0 ? null : <TypeLegend types={types} />}
    </>
  );
}

function LookAlikeName(props: {
  name: string;
  domain: string;
  keywords: readonly string[];
  threat: NamedThreat | undefined;
}) {
  const { name, domain, keywords, threat } = props;
  const compared = <ComparedName name={name} comparison={compareNames(name, domain, keywords)} />;
  return threat === undefined ? compared : <a href={threatPath(threat.id)}>{compared}</a>;
}

function ThreatState({ threat }: { threat: NamedThreat | undefined }) {
  if (threat === undefined) return <span class="faint">–</span>;
  const { status, severity, verified } = threat;
  return status === "active" ? (
    <SeverityMark severity={severity} verified={verified} />
  ) : (
    <StatusMark status={status} />
  );
}

export async function showLookAlikes(
  context: Context<"assessDomain" | "domains" | "threats">,
): Promise<PageResult> {
  const domain = findDomain(context);
  const { domain: name, keywords, allow } = domain;
  const { lookAlikes } = await context.services.assessDomain({ domain: name, keywords, allow });
  const known = context.services.threats.named(
    name,
    lookAlikes.map((one) => one.name),
  );
  return page(
    `Look-alikes of ${name}`,
    <>
      <PageHead
        title={
          <>
            Look-alikes of <Name name={name} />
          </>
        }
        crumbs={[
          { label: "Protected domains", path: domainsPath },
          { label: name, path: domainPath(name) },
        ]}
        lead={
          <>
            A sample of each type, whether registered or not; those that are threats are linked. To list all
            of them, run <code>phishwatch permutations {shellWord(name)}</code>. To find those that exist,
            start a scan.
          </>
        }
      />
      <LookAlikes domain={domain} lookAlikes={lookAlikes} known={known} />
    </>,
  );
}
