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
import { column, PagedTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";

const perPage = 50;

const columns: readonly Column<FailedSignInsOfHour>[] = [
  column("Hour", "tight under", ({ hour }) => <Time at={hour} />),
  column("Network", "title", ({ network }) => <Text text={labelOf(network)} />),
  column("Attempts", "number state", ({ attempts }) => grouped(attempts)),
  column("First", "tight hidden", ({ firstAt }) => <Time at={firstAt} seconds />),
  column("Last", "tight end", ({ lastAt }) => <Time at={lastAt} relative />),
  column("Last address", "hidden", ({ address }) => <Text text={address ?? "unknown"} />),
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
