import type { Delivery, DeliveryLog } from "../../../../messaging/deliveries/delivery-log.ts";
import { isMessage, titleOf } from "../../../../messaging/content/sent-message.ts";
import type { Severity } from "../../../../platform/vocabulary/threats.ts";
import { Text } from "../../kit/name.tsx";
import { deliveryPath } from "../../kit/paths.ts";
import type { PageServices } from "../../shell/services.ts";
import { compareNames, ComparedName } from "../../threat-kit/compared-name.tsx";

/** Content of a delivery, as far as a row shows it. */
export interface Sent {
  /** Event type, or nothing for a message. */
  type: string | undefined;
  /** Title of a message, or subject of an event that is not about a threat. */
  text: string | undefined;
  threat:
    { domain: string; protectedDomain: string; keywords: readonly string[]; severity: Severity } | undefined;
}

type SentServices = Pick<PageServices, "domains" | "threats"> & { log: Pick<DeliveryLog, "body"> };

/** Returns a function that says what each delivery contains. */
export function sentReader({ domains, log, threats }: SentServices): (delivery: Delivery) => Sent {
  const keywords = new Map(domains.list().map((domain) => [domain.domain, domain.keywords]));
  return (delivery) => {
    if (isMessage(delivery)) return { type: undefined, text: titleOf(delivery, log), threat: undefined };
    const data = dataOf(log.body(delivery.id));
    const id = data.threat?.id;
    const known = typeof id === "string" ? threats.detail(id) : undefined;
    return {
      type: delivery.eventType,
      text: subjectOf(data),
      threat:
        known === undefined ? undefined : { ...known, keywords: keywords.get(known.protectedDomain) ?? [] },
    };
  };
}

/** Parts of an event's payload that name its subject. Their types are not checked: another version may have stored it. */
interface Payload {
  threat?: { id?: unknown; domain?: unknown } | null;
  scan?: { protected_domains?: unknown };
  beacon?: { name?: unknown };
  token?: { name?: unknown };
}

function dataOf(body: string | undefined): Payload {
  if (body === undefined) return {};
  const { data } = (JSON.parse(body) ?? {}) as { data?: unknown };
  return typeof data === "object" && data !== null ? data : {};
}

const namesMax = 2;

function subjectOf({ threat, scan, beacon, token }: Payload): string | undefined {
  const domains = scan?.protected_domains;
  if (Array.isArray(domains)) {
    const rest = domains.length - namesMax;
    return `${domains.slice(0, namesMax).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  }
  const name = beacon?.name ?? token?.name ?? threat?.domain;
  return typeof name === "string" ? name : undefined;
}

/** Content of a delivery: the marked name or the title, which links to the delivery, and the type of the event. */
export function SentLink({ delivery, sent }: { delivery: Delivery; sent: Sent }) {
  const { type, text, threat } = sent;
  return (
    <>
      <a class="ink" href={deliveryPath(delivery)}>
        <SentName sent={sent} />
      </a>
      {type === undefined || (text === undefined && threat === undefined) ? null : (
        <p>
          {type}
          {threat === undefined ? null : ` · ${threat.severity}`}
        </p>
      )}
    </>
  );
}

/** The marked name of the threat, or the title. */
export function SentName({ sent: { type, text, threat } }: { sent: Sent }) {
  if (threat === undefined) return <Text text={text ?? type ?? "message"} charactersMax={200} />;
  const { domain, protectedDomain, keywords } = threat;
  return <ComparedName name={domain} comparison={compareNames(domain, protectedDomain, keywords)} />;
}
