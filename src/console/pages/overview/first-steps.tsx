import type { ComponentChildren } from "preact";
import { Section } from "../../kit/kit.tsx";
import { domainsPath, feedsPath, keysPath, scansPath, webhooksPath } from "../../kit/paths.ts";
import type { PageServices } from "../../shell/services.ts";

/** What to do where nothing was found yet: each step with what is there of it already. */
export function FirstSteps({
  services,
}: {
  services: Pick<PageServices, "domains" | "keys" | "scans" | "sources" | "webhooks">;
}) {
  const { domains, keys, scans, sources, webhooks } = services;
  const hasDomain = domains.list().some(({ enabled }) => enabled);
  const hasScanned = scans.list(1).length > 0 || sources.some((source) => source.status().latest !== null);
  const hasKey = keys.list().some(({ revokedAt }) => revokedAt === null);
  const hasWebhook = webhooks.endpoints.list().some(({ enabled }) => enabled);
  return (
    <Section title="First steps">
      <ol class="steps">
        <Step done={hasDomain}>
          <a href={domainsPath}>Add a domain to be protected</a>: the one that your customers know.
        </Step>
        <Step done={hasScanned}>
          <a href={scansPath}>Start a scan</a>: it looks for registered look-alikes. Where there is no
          internet, <a href={feedsPath}>hand in a list of names</a>.
        </Step>
        <Step done={hasWebhook}>
          <a href={webhooksPath}>Add a webhook</a>, to be told of what is found.
        </Step>
        <Step done={hasKey}>
          <a href={keysPath}>Make an API key</a> for your own programs.
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
