import { notFound } from "../../../../platform/lib/errors.ts";
import type { List } from "../../../../response/outputs/block-lists/list.ts";
import { Time } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { Text } from "../../kit/name.tsx";
import type { Context } from "../../shell/router.ts";

export function ListState({ list: { enabled, disabledReason } }: { list: List }) {
  if (enabled) return <StateMark tone="good">Enabled</StateMark>;
  return (
    <>
      <StateMark tone="neutral" icon="pause">
        Disabled
      </StateMark>
      {disabledReason === "undeclared" ? <p>no longer declared</p> : null}
    </>
  );
}

export function LastDownload({ list: { fetchedAt, fetchedBy } }: { list: List }) {
  if (fetchedAt === null) return <>never</>;
  return (
    <>
      <Time at={fetchedAt} relative />
      {fetchedBy === null ? null : (
        <p>
          by <Text text={fetchedBy} charactersMax={60} />
        </p>
      )}
    </>
  );
}

/** Returns the list of the address. @throws PublicError `not_found` */
export function listOf({ params, services }: Context<"lists">): List {
  const id = params["id"]!;
  const found = services.lists.find(id);
  // An address has the identifier, never the name.
  if (found?.id !== id) throw notFound("There is no list with this ID.");
  return found;
}
