import type { ComponentChildren } from "preact";
import { Section } from "../../kit/components.tsx";
import {
  domainsPath,
  sourcesPath,
  keysPath,
  notificationsPath,
  scansPath,
  webhooksPath,
} from "../../kit/paths.ts";
import type { PageServices } from "../../shell/services.ts";

/** Setup steps, shown until there are threats; each is marked once it is done. */
export function FirstSteps({
  services,
}: {
  services: Pick<PageServices, "deliveries" | "domains" | "keys" | "scans" | "sources">;
}) {
  const { deliveries, domains, keys, scans, sources } = services;
  const hasDomain = domains.list().some(({ enabled }) => enabled);
  const hasScanned = scans.list(1).length > 0 || sources.some((source) => source.status().latest !== null);
  const hasKey = keys.list().some(({ revokedAt }) => revokedAt === null);
  const hasRecipient = deliveries.recipients.listAll().some(({ enabled }) => enabled);
  return (
    <Section title="First steps">
      <ol class="steps">
        <Step done={hasDomain}>
          <a href={domainsPath}>Protect a domain</a>: the one that your customers know.
        </Step>
        <Step done={hasScanned}>
          <a href={scansPath}>Start a scan</a> to find registered look-alikes. Without internet access,{" "}
          <a href={sourcesPath}>import a list of names</a>.
        </Step>
        <Step done={hasRecipient}>
          <a href={notificationsPath}>Add a channel</a> to be notified of new threats, in chat or by email.
          For your own programs, <a href={webhooksPath}>add a webhook endpoint</a>.
        </Step>
        <Step done={hasKey}>
          <a href={keysPath}>Create an API key</a> for your own programs.
        </Step>
      </ol>
    </Section>
  );
}

function Step({ done, children }: { done: boolean; children: ComponentChildren }) {
  return (
    <li class={done ? "done" : undefined}>
      {children}
      {done ? <span class="hint"> Done.</span> : null}
    </li>
  );
}
