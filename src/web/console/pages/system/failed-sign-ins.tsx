import {
  failedSignInCountsMax,
  otherNetworks,
  unknownNetwork,
  type FailedSignInsOfHour,
} from "../../../../access/audit/failed-sign-ins.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import { PageHead, Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { page } from "../../kit/page-result.ts";
import { auditPath, failedSignInsPath } from "../../kit/paths.ts";
import { PagedTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";

const perPage = 50;

const columns: readonly Column<FailedSignInsOfHour>[] = [
  { title: "Hour", layout: "tight", fold: "under", cell: ({ hour }) => <Time at={hour} /> },
  { title: "Network", fold: "title", cell: ({ network }) => <Text text={labelOf(network)} /> },
  { title: "Attempts", layout: "number", fold: "state", cell: ({ attempts }) => grouped(attempts) },
  { title: "First", layout: "tight", fold: "hidden", cell: ({ firstAt }) => <Time at={firstAt} seconds /> },
  { title: "Last", layout: "tight", fold: "end", cell: ({ lastAt }) => <Time at={lastAt} relative /> },
  { title: "Last address", fold: "hidden", cell: ({ address }) => <Text text={address ?? "unknown"} /> },
];

export function showFailedSignIns({ query, services: { failedSignIns } }: Context<"failedSignIns">) {
  return page(
    "Failed sign-ins",
    <>
      <PageHead
        title="Failed sign-ins"
        crumbs={[{ label: "Audit log", path: auditPath }]}
        lead={`Wrong passwords, counted by network and hour: the latest ${grouped(failedSignInCountsMax)} counts.`}
      />
      <PagedTable
        caption="Failed sign-ins"
        columns={columns}
        rowsIn={(range) => failedSignIns.list(range)}
        total={failedSignIns.count()}
        perPage={perPage}
        path={failedSignInsPath}
        query={query}
        empty="No failed sign-ins."
      />
    </>,
  );
}

function labelOf(network: string): string {
  if (network === otherNetworks) return "other networks";
  return network === unknownNetwork ? "unknown" : network;
}
