import type { ComponentChildren } from "preact";
import type { DomainAssessment } from "../../../../threats/domains/assess.ts";
import { grouped, counted } from "../../../../platform/lib/wording.ts";
import { nextTime } from "../../../../platform/lib/schedule.ts";
import type { ChannelType } from "../../../../platform/vocabulary/channels.ts";
import { FormError, Facts, LinkButton, Time } from "../../kit/components.tsx";
import { wholeForm } from "../../kit/fields.ts";
import { Button, Form, Select, TextField, PostButton } from "../../kit/form.tsx";
import { Icon, Name, Text, StateMark } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import {
  domainPath,
  domainsPath,
  welcomePath,
  sourcesPath,
  newChannelPath,
  recipientPath,
  notificationsPath,
  webhooksPath,
  overviewPath,
  threatsPath,
} from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { ComparedName } from "../../threat-kit/compared-name.tsx";
import { TypeName } from "../../threat-kit/threat-marks.tsx";
import { TestNote, type TestShown } from "../../delivery-kit/delivery-parts.tsx";
import { NewDomainFields, type NewDomain } from "../domains/adding.tsx";
import { ScanPanel } from "../scans/panel.tsx";
import { stepNames, type StepName } from "./progress.tsx";

const domainsShownMax = 5;
const lookAlikesShownMax = 8;

export function DomainStep(props: {
  services: Context<"domains">["services"];
  done: boolean;
  given: NewDomain | undefined;
}) {
  const { services, done, given } = props;
  const { may } = usePage();
  const names = services.domains.list().flatMap(({ domain, enabled }) => (enabled ? [domain] : []));
  const isForm = !done || given !== undefined;
  if (!isForm || !may("administer"))
    return (
      <>
        <ul class="s">
          {names.slice(0, domainsShownMax).map((name) => (
            <li class="line tight">
              <Icon name="domain" />
              <a class="ink" href={domainPath(name)}>
                <Name name={name} />
              </a>
            </li>
          ))}
          {names.length > domainsShownMax ? (
            <li>
              <a href={domainsPath}>all {grouped(names.length)} protected domains</a>
            </li>
          ) : null}
        </ul>
        <div class="line">
          <SkipStep step="domain" done={done} />
        </div>
      </>
    );
  const shown = given ?? { form: new URLSearchParams() };
  const { form, assessment, errors } = shown;
  return (
    <>
      <FormError message={errors?.[wholeForm]} />
      <Form action={`${welcomePath}/domain`} class="stack" form={form} errors={errors}>
        <NewDomainFields given={shown} inSetup />
        {assessment === undefined ? null : <Preview assessment={assessment} />}
        <div class="line">
          <Button
            label={assessment === undefined ? "Preview" : `Protect ${assessment.content.domain}`}
            name="step"
            value={assessment === undefined ? "look" : "add"}
            variant="primary"
          />
          <Button
            label={assessment === undefined ? "Protect domain" : "Preview again"}
            name="step"
            value={assessment === undefined ? "add" : "look"}
          />
          <SkipStep step="domain" done={false} />
        </div>
      </Form>
    </>
  );
}

/** Some of the look-alikes that are searched for, with the marks of difference. */
function Preview({ assessment: { content, lookAlikes } }: { assessment: DomainAssessment }) {
  return (
    <section class="card flush" aria-labelledby="preview">
      <header>
        <h3 id="preview">
          Look-alikes of <Name name={content.domain} /> that are searched for
        </h3>
      </header>
      <ul class="rows">
        {lookAlikes.slice(0, lookAlikesShownMax).map(({ name, type }) => (
          <li class="line try-row">
            <ComparedName domain={name} protectedDomain={content.domain} keywords={content.keywords} />
            <span class="push faint">
              <TypeName type={type} />
            </span>
          </li>
        ))}
        {lookAlikes.length === 0 ? (
          <li class="line try-row">No generated variant of this name is similar enough.</li>
        ) : null}
      </ul>
    </section>
  );
}

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

/** Services that need an address only; the others have a page of their own. */
export const simpleServices = [
  "email",
  "slack",
  "teams",
  "discord",
  "mattermost",
  "google_chat",
] as const satisfies readonly ChannelType[];

/** Fields of the form as they were typed. */
export interface NewChannelInput {
  type: string;
  address: string;
  error: string | undefined;
}

export function NotifyStep(props: {
  services: Context<"channels" | "config" | "deliveries">["services"];
  done: boolean;
  given: NewChannelInput | undefined;
}) {
  const { services, done, given = { type: "email", address: "", error: undefined } } = props;
  const { may } = usePage();
  const recipients = services.deliveries.recipients.listAll().filter(({ enabled }) => enabled);
  const choices = simpleServices
    .filter((type) => type !== "email" || services.config.smtp !== null)
    .map((type) => ({ value: type, label: services.channels.label(type) }));
  return (
    <>
      {recipients.length === 0 ? null : (
        <ul class="s">
          {recipients.map((recipient) => (
            <li class="line tight nowrap">
              <Icon name="bell" />
              <a class="ink cut" href={recipientPath(recipient) ?? notificationsPath}>
                <Text text={recipient.name} charactersMax={60} />
              </a>
              <span class="faint">{services.deliveries.nounOf(recipient.channel)}</span>
            </li>
          ))}
        </ul>
      )}
      {may("administer") && (!done || given.error !== undefined) ? (
        <Form action={`${welcomePath}/channel`} class="stack">
          <FormError message={given.error} />
          <Select label="Service" name="type" choices={choices} value={given.type} />
          <TextField
            label="Webhook URL or email address"
            name="address"
            value={given.address}
            required
            maxLength={2_000}
            hint={
              services.config.smtp === null
                ? "The URL that the service shows when you add an incoming webhook. Email needs [smtp] in the configuration file."
                : "The URL that the service shows when you add an incoming webhook, or an email address."
            }
          />
          <p class="hint">
            It is sent new threats of medium and high severity at once. You can refine that later.
          </p>
          <div class="line">
            <Button label="Add" variant="primary" />
            <SkipStep step="notify" done={false} />
          </div>
        </Form>
      ) : (
        <div class="line">
          <SkipStep step="notify" done={done} />
        </div>
      )}
      {may("administer") ? (
        <p class="s">
          Others: <a href={newChannelPath}>all services</a>,{" "}
          <a href={`${webhooksPath}/add`}>a webhook endpoint for a program</a>
        </p>
      ) : null}
    </>
  );
}

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

/** Recipients with a button each; the pages of the others have one too. */
const recipientsShownMax = 5;

export function TestStep(props: {
  services: Context<"deliveries">["services"];
  done: boolean;
  /** Result of the test that was just sent. */
  test: TestShown | undefined;
}) {
  const { services, done, test } = props;
  const recipients = services.deliveries.recipients.listAll().filter(({ enabled }) => enabled);
  return (
    <>
      {test === undefined ? null : <TestNote test={test} />}
      {recipients.length === 0 ? <p class="s quiet">Choose first who is notified.</p> : null}
      {recipients.slice(0, recipientsShownMax).map(({ id, name, channel }) => (
        <div class="line nowrap">
          <span class="s cut">
            <Text text={name} charactersMax={60} />{" "}
            <span class="faint">{services.deliveries.nounOf(channel)}</span>
          </span>
          <div class="push">
            <PostButton
              action={`${welcomePath}/test`}
              label="Send test message"
              icon="send"
              fields={{ recipient: id }}
            />
          </div>
        </div>
      ))}
      <div class="line">
        <SkipStep step="test" done={done} />
      </div>
    </>
  );
}

/** Returns the address of the step after one; after the last one, of the overview. */
function pathAfter(step: StepName): string {
  const next = stepNames[stepNames.indexOf(step) + 1];
  return next === undefined ? overviewPath : stepPath(next);
}

export function stepPath(step: StepName): string {
  return `${welcomePath}?step=${step}#${step}`;
}

/** Leads past a step, done or not. */
function SkipStep({ step, done }: { step: StepName; done: boolean }) {
  return (
    <a class={done ? "btn" : "btn plain"} href={pathAfter(step)}>
      {done ? "Continue" : "Skip this step"}
    </a>
  );
}
