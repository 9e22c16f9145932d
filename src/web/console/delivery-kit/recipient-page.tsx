import type { ComponentChildren } from "preact";
import type { Entry } from "../../../access/entries/administration.ts";
import type { EntryWords } from "../entries/description.ts";
import { DeclaredNote, EntryHead } from "../entries/entry-pages.tsx";
import { Card, Facts, Section } from "../kit/components.tsx";
import { MenuLink } from "../kit/disclosure.tsx";
import { PostButton } from "../kit/form.tsx";
import { page, type PageResult } from "../kit/page-result.ts";
import type { Context } from "../shell/router.ts";
import { DeliveryTable } from "./delivery-table.tsx";
import { needsAttention, RecipientNow, type RecipientWords } from "./recipient-parts.tsx";

const deliveriesShown = 10;

/** Texts and parts of the page of a recipient that differ between channels and webhook endpoints. */
interface RecipientParts {
  lead: ComponentChildren;
  words: RecipientWords;
  /** Items of the menu before the removal. */
  menu?: ComponentChildren;
  /** Shown once, after a change or a test. */
  once: ComponentChildren;
  /** Table of the configuration file that declares it. */
  where?: string;
  /** Title of the latest deliveries, the page with all of them, and the text for none. */
  latest: { title: string; all: string; path: string; empty: string };
  settings: Parameters<typeof Facts>[0]["facts"];
  children?: ComponentChildren;
}

/** The page of one recipient: what is wrong and why, the last day, the latest deliveries, the settings. */
export function recipientPage(
  context: Context<"deliveries" | "domains" | "threats">,
  entry: Entry,
  entryWords: EntryWords,
  { lead, words, menu, once, where, latest, settings, children }: RecipientParts,
): PageResult {
  const { deliveries } = context.services;
  const path = entryWords.pathOf(entry.id);
  const recipient = deliveries.recipients.get(entry.id);
  const isCalm = !needsAttention({ recipient, deliveries });
  return page(
    entry.name,
    <>
      <EntryHead
        entry={entry}
        words={entryWords}
        lead={lead}
        first={
          <PostButton action={`${path}/test`} label={words.test} variant={isCalm ? "primary" : undefined} />
        }
        menu={
          <>
            <MenuLink path={`${path}/replay`} label={words.replay.title} />
            {menu}
          </>
        }
      />
      {once}
      <RecipientNow recipient={recipient} path={path} words={words} deliveries={deliveries} />
      <DeclaredNote entry={entry} where={where} />
      <Section
        title={latest.title}
        aside={
          <a class="s" href={latest.path}>
            {latest.all}
          </a>
        }
      >
        <DeliveryTable
          rows={deliveries.log.list({ recipient: entry.id }, deliveriesShown)}
          services={context.services}
          withRecipient={false}
          empty={latest.empty}
        />
      </Section>
      {children}
      <Card title="Settings">
        <Facts facts={settings} />
      </Card>
    </>,
  );
}
