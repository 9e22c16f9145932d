import type { ComponentChildren } from "preact";
import { nextTime } from "../../../../platform/lib/schedule.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import { Facts, LinkButton, Time } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { usePage } from "../../kit/page-context.ts";
import { sourcesPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { SkipStep } from "./step-links.tsx";

type SourceServices = Context<"archive" | "certificateLogs" | "config" | "sources">["services"];

/** Which sources are on. They are declared in the configuration file, except for imports. */
export function SourcesStep({ services, done }: { services: SourceServices; done: boolean }) {
  const { now } = usePage();
  const { archive, certificateLogs, config, sources } = services;
  const feeds = sources.filter(
    ({ kind, declaredAs }) => declaredAs !== null && kind !== certificateLogs?.kind,
  );
  const hasImports = sources.some(
    ({ declaredAs, status }) => declaredAs === null && status().latest !== null,
  );
  const { schedule } = config.scan;
  const nextScan = schedule === null ? null : nextTime(schedule, now);
  return (
    <>
      <p class="s quiet">
        Sources bring the names that are compared with your domains. Set them in the configuration file, then
        restart.
      </p>
      <Facts
        facts={[
          [
            "Certificate logs",
            certificateLogs === undefined ? (
              <>
                <Off />. <code>certificate_logs.enabled = true</code> finds names within minutes, for about 25
                GB of traffic a day.
              </>
            ) : (
              <On>on: names within minutes</On>
            ),
          ],
          [
            "Lists and feeds",
            feeds.length === 0 ? (
              <>
                <Off />. <code>[[feeds]]</code> reads files, folders and URLs, such as newly registered
                domains.
              </>
            ) : (
              <On>{counted(feeds.length, "feed")}</On>
            ),
          ],
          ["Imports", hasImports ? <On>a list was imported</On> : "Any list of names can be imported here."],
          [
            "Nightly scan",
            nextScan === null ? (
              <>
                <Off />. <code>scan.schedule</code> resolves generated look-alikes.
              </>
            ) : (
              <On>
                next <Time at={nextScan} relative="next" />
              </On>
            ),
          ],
          [
            "Archive",
            archive.status().enabled ? (
              <>
                <On>on</On>. Keeps names, and checks them for domains that you add later.
              </>
            ) : (
              <Off />
            ),
          ],
        ]}
      />
      <p class="hint">
        Without internet access: import lists, or read the files of certificate logs with{" "}
        <code>phishwatch certificate-logs read PATH</code>. See <a href="/docs/sources">Sources</a>.
      </p>
      <div class="line">
        <LinkButton path={sourcesPath} label="Import a list" icon="download" />
        <SkipStep step="sources" done={done} />
      </div>
    </>
  );
}

function On({ children }: { children: ComponentChildren }) {
  return <StateMark tone="good">{children}</StateMark>;
}

function Off() {
  return <StateMark tone="neutral">off</StateMark>;
}
