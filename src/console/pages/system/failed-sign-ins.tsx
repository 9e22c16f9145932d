import {
  failedSignInCountsMax,
  otherNetworks,
  unknownNetwork,
  type FailedSignInsOfHour,
} from "../../../access/audit/failed-sign-ins.ts";
import { grouped } from "../../../lib/wording.ts";
import { PageHead, Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { page } from "../../kit/page-result.ts";
import { auditPath, failedSignInsPath } from "../../kit/paths.ts";
import { PagedTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";

const perPage = 50;

const columns: readonly Column<FailedSignInsOfHour>[] = [
  { title: "Hour", layout: "tight", cell: ({ hour }) => <Time at={hour} /> },
  { title: "Network", cell: ({ network }) => <Text text={labelOf(network)} /> },
  { title: "Attempts", layout: "number", cell: ({ attempts }) => grouped(attempts) },
  { title: "First", layout: "tight", cell: ({ firstAt }) => <Time at={firstAt} seconds /> },
  { title: "Last", layout: "tight", cell: ({ lastAt }) => <Time at={lastAt} seconds /> },
  { title: "Last address", cell: ({ address }) => <Text text={address ?? "unknown"} /> },
];

export function showFailedSignIns({ query, services: { failedSignIns } }: Context<"failedSignIns">) {
  return page(
    "Failed sign-ins",
    <>
      <PageHead
        title="Failed sign-ins"
        back={{ label: "Audit log", path: auditPath }}
        lead={`Wrong passwords, counted by network and hour: the latest ${grouped(failedSignInCountsMax)} counts. Times are UTC.`}
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
