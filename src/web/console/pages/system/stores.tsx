import { daysUntilFull, untilFullText } from "../../../../operations/stores/growth.ts";
import type { StoreGrowth } from "../../../../operations/stores/growth.ts";
import type { StoreSize } from "../../../../operations/stores/stores.ts";
import { keptText, labelOf, type StoreLimits } from "../../../../operations/stores/stores.ts";
import type { UpgradeCopy } from "../../../../platform/database/upgrade-copies.ts";
import { toIsoTime } from "../../../../platform/lib/clock.ts";
import { bytesText } from "../../../../platform/lib/durations.ts";
import { counted, sentence } from "../../../../platform/lib/wording.ts";
import { Section, Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { column, Table } from "../../kit/table.tsx";

/** Renders the size and growth of each store, and the copies that were made before upgrades. */
export function Stores(props: {
  latest: ReturnType<StoreGrowth["latest"]>;
  /** Free space of the disk; undefined if it is not known. */
  freeBytes: number | undefined;
  limits: StoreLimits;
  copies: readonly UpgradeCopy[];
}) {
  const { latest, freeBytes, limits, copies } = props;
  const { day, sizes, growth } = latest;
  const days = freeBytes === undefined ? undefined : daysUntilFull(freeBytes, growth);
  return (
    <Section title="Data" aside={<a href="/docs/limits">Limits</a>}>
      <p class="hint">
        {day === undefined ? (
          "The server measures the size of each store once a day, for the first time a minute after its start."
        ) : (
          <>
            Measured on {toIsoTime(day).slice(0, 10)} (UTC). {growthText(growth.bytesPerDay, growth.days)}
            {days === undefined ? null : ` ${sentence(untilFullText(days))}`}
          </>
        )}
      </p>
      {day === undefined ? null : (
        <Table<StoreSize>
          caption="Data"
          rows={sizes.toSorted((one, other) => other.bytes - one.bytes)}
          empty="None."
          columns={[
            column("Store", "title", ({ store }) => labelOf(store)),
            column("Size", "number state", ({ bytes }) => bytesText(bytes)),
            column("Per day", "number hidden", ({ store }) => rateText(growth.byStore.get(store))),
            column("Kept", "under", ({ store }) => keptText(store, limits)),
          ]}
        />
      )}
      {copies.map(({ path, version, at, bytes }) => (
        <p class="hint">
          Copy of version {version}, made before an upgrade <Time at={at} relative /> ({bytesText(bytes)}):{" "}
          <Text text={path} charactersMax={1_000} />
        </p>
      ))}
    </Section>
  );
}

function growthText(bytesPerDay: number | undefined, days: number): string {
  if (bytesPerDay === undefined) return "Growth is shown from the second day on.";
  const over = `over the last ${counted(days, "day")}`;
  return bytesPerDay < 0
    ? `The data shrank by ${bytesText(-bytesPerDay)} per day ${over}.`
    : `The data grew by ${bytesText(bytesPerDay)} per day ${over}.`;
}

function rateText(bytesPerDay: number | undefined): string {
  if (bytesPerDay === undefined) return "–";
  if (bytesPerDay === 0) return bytesText(0);
  return `${bytesPerDay < 0 ? "−" : "+"}${bytesText(Math.abs(bytesPerDay))}`;
}
