import { LinkButton } from "../../kit/components.tsx";
import { PostButton } from "../../kit/form.tsx";
import { overviewPath, threatsPath, welcomePath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { ScanPanel } from "../scans/panel.tsx";

export function ScanStep({ services }: { services: Context<"domains" | "scans">["services"] }) {
  const { domains, scans } = services;
  const hasDomain = domains.list().some(({ enabled }) => enabled);
  const running = scans.progress();
  const latest = running?.scan ?? scans.list(1)[0];
  return (
    <>
      <p class="s quiet">
        A scan generates thousands of look-alikes of your domains and finds those that exist in DNS.
        {hasDomain ? null : " Protect a domain first."}
      </p>
      {latest === undefined ? null : <ScanPanel scan={latest} progress={running} linked />}
      <div class="line">
        {running === undefined && hasDomain ? (
          <PostButton
            action={`${welcomePath}/scan`}
            label={latest === undefined ? "Start scan" : "Scan again"}
            icon="scan"
            variant={latest === undefined ? "primary" : undefined}
          />
        ) : null}
        {latest === undefined ? null : (
          <LinkButton path={threatsPath} label="View threats" variant="primary" />
        )}
        <LinkButton path={overviewPath} label="Go to the overview" variant="plain" />
      </div>
    </>
  );
}
