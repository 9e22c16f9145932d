import { notFound } from "../../../../platform/lib/errors.ts";
import type { TrapKind } from "../../../../response/traps/kind.ts";
import type { LabeledValue } from "../../../../response/traps/presentation.ts";
import type { Trap } from "../../../../response/traps/trap.ts";
import { Note, StateMark } from "../../kit/marks.tsx";
import { Name, Text } from "../../kit/name.tsx";
import type { Context } from "../../shell/router.ts";

/** Returns the trap that the path names. @throws PublicError `not_found` */
export function trapOf({ services, params }: Context<"traps">, kind: TrapKind): Trap {
  const trap = services.traps.of(kind).find(params["id"] ?? "");
  if (trap === undefined) throw notFound(`There is no ${kind.name} with this ID.`);
  return trap;
}

export function StateOf({ trap: { enabled, expiresAt }, now }: { trap: Trap; now: number }) {
  if (!enabled) return <StateMark tone="neutral">Disabled</StateMark>;
  const expired = expiresAt !== null && expiresAt <= now;
  return expired ? <StateMark tone="neutral">Expired</StateMark> : <StateMark tone="good">Enabled</StateMark>;
}

export function ValueOf(props: { value: LabeledValue["value"]; charactersMax?: number }) {
  const { value, charactersMax = 500 } = props;
  if ("hosts" in value)
    return <>{value.hosts.map((host, index) => [index === 0 ? "" : ", ", <Name name={host} />])}</>;
  return value.text === null || value.text === "" ? (
    <>–</>
  ) : (
    <Text text={value.text} charactersMax={charactersMax} />
  );
}

/** Says why browsers will not reach the traps. */
export function PlainHttpNote({ publicUrl }: { publicUrl: string }) {
  if (publicUrl.startsWith("https:")) return null;
  return (
    <Note tone="warn" title="Browsers will not reach this address">
      Visitors would be sent to <code>{publicUrl}</code>. Pages over HTTPS load nothing from there: set{" "}
      <code>traps.public_url</code> to an https:// URL that visitors can reach.{" "}
      <a href="/docs/traps#make-traps-reachable">Manual</a>
    </Note>
  );
}
