import type { Inspection } from "../../../../facts/inspection/inspections.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import type { Verdict } from "../../../../facts/inspection/model/verdict.ts";
import { Card, Facts, LinkButton, Time, Note } from "../../kit/components.tsx";
import { List } from "../../kit/table.tsx";
import { inWords, Name, Text } from "../../kit/inline.tsx";
import { Menu, MenuLink } from "../../kit/disclosure.tsx";
import { PostButton } from "../../kit/form.tsx";
import { fragment, page, refreshing, type PageResult } from "../../kit/page-result.ts";
import { inspectionPath, inspectionsPath, threatPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { PagePair, seenAs } from "../../inspection-kit/page-pair.tsx";
import { Address, VerdictDetails } from "../../inspection-kit/verdict.tsx";
import { OutcomeMark, OutcomeReason, secondsText, requesterOf } from "./outcome.tsx";

export type InspectionContext = Context<"domains" | "enrichment" | "inspections" | "threats">;

const refreshMs = 1_500;
/** A comparison with a lower score says nothing, unless it is the only one. */
const shownScoreMin = 0.05;
const listedMax = 6;
const nameCharactersMax = 80;

/** @throws PublicError `not_found` */
export function findInspection({ services, params }: Context<"inspections">): Inspection {
  const id = params["id"] ?? "";
  const found = services.inspections.get(id);
  if (found === undefined)
    throw notFound("There is no inspection with this ID. Old inspections are deleted.");
  return found;
}

export async function showInspection(context: InspectionContext): Promise<PageResult> {
  const inspection = findInspection(context);
  const { id, host, threatId } = inspection;
  const path = inspectionPath(id);
  const disabled = context.services.inspections.status().disabled;
  const actions = (
    <>
      {threatId === null ? null : (
        <LinkButton path={threatPath(threatId)} label="Open threat" variant="primary" />
      )}
      {disabled === null && inspection.state !== "running" ? (
        <PostButton
          action={`${path}/again`}
          label={inspection.state === "queued" ? "Inspect now" : "Inspect again"}
        />
      ) : null}
      <Menu>
        {threatId === null ? (
          <MenuLink path={`${path}/threat`} icon="threat" label="This is a threat" />
        ) : null}
        <MenuLink path={`${path}/allow`} icon="ok" label="This is ours or harmless" />
      </Menu>
    </>
  );
  return page(
    {
      title: `Inspection of ${visible(host, nameCharactersMax)}`,
      heading: <Name name={host} />,
      lead: <Address address={inspection.address} />,
      crumbs: [{ label: "Inspections", path: inspectionsPath }],
      actions,
    },
    await partOf(context, inspection),
  );
}

/** Serves the result while the address waits or is being inspected. */
export async function showResult(context: InspectionContext): Promise<PageResult> {
  return fragment(await partOf(context, findInspection(context)));
}

async function partOf({ services }: InspectionContext, inspection: Inspection) {
  const { threatId, state } = inspection;
  const threat = threatId === null ? undefined : services.threats.get(threatId);
  const isChanging = state === "queued" || state === "running";
  const capture = threat === undefined ? undefined : await services.enrichment.screenshotOf(threat.id);
  return (
    <section
      id="result"
      class="stack"
      aria-label="Result"
      {...refreshing(isChanging, `${inspectionPath(inspection.id)}/result`, refreshMs)}
      // The head then has the button that opens the threat.
      data-refresh-page={isChanging ? "" : undefined}
    >
      {isToldByVerdict(inspection) ? null : (
        <ResultCard inspection={inspection} isDisabled={services.inspections.status().disabled !== null} />
      )}
      <div class="cols cols-2">
        {shownVerdicts(inspection).map((verdict) => (
          <Card title="Comparison">
            <VerdictDetails verdict={verdict} />
          </Card>
        ))}
        {threat === undefined || capture === undefined ? null : (
          <Card title="Screenshot">
            <PagePair
              threat={threat}
              facts={services.enrichment.factsOf(threat.id)?.facts}
              whyMissing={"why" in capture ? capture.why : undefined}
            />
          </Card>
        )}
        <PageCard inspection={inspection} />
        <RequestCard inspection={inspection} />
      </div>
    </section>
  );
}

function shownVerdicts({ verdicts }: Inspection): Verdict[] {
  return verdicts.filter(({ imitates, score }, index) => index === 0 || imitates || score >= shownScoreMin);
}

/** Returns whether the comparison says all that is known about the result. */
function isToldByVerdict(inspection: Inspection): boolean {
  const { state, imitates, reason, threatId } = inspection;
  const lacksThreat = imitates === true && threatId === null;
  return state === "done" && reason === null && shownVerdicts(inspection).length > 0 && !lacksThreat;
}

function ResultCard({ inspection, isDisabled }: { inspection: Inspection; isDisabled: boolean }) {
  const { state, imitates, reason, dueAt, verdicts } = inspection;
  return (
    <Card title="Result">
      <p class="line">
        <OutcomeMark inspection={inspection} />
      </p>
      {reason === null ? null : (
        <p class="s quiet">
          <OutcomeReason inspection={inspection} isDisabled={isDisabled} />
        </p>
      )}
      {state === "queued" && (isDisabled || reason === null) ? (
        <p class="s quiet">
          {isDisabled ? (
            "Pages are not fetched because lookups.enabled is off. It starts when that is on."
          ) : (
            <>
              It starts <Time at={dueAt} relative="next" />, unless others are first.
            </>
          )}
        </p>
      ) : null}
      {state === "done" && imitates === false && verdicts.length === 0 ? (
        <p class="s quiet">Nothing on the page refers to a protected domain.</p>
      ) : null}
      {state === "done" && imitates === true && inspection.threatId === null ? (
        <Note tone="info" title="No threat is on record for it">
          The threat was deleted, or no threat was to be recorded for this request.
        </Note>
      ) : null}
    </Card>
  );
}

/** The page as it was fetched. */
function PageCard({ inspection: { page: seen } }: { inspection: Inspection }) {
  if (seen === null) return null;
  const asks = [seen.asksForPassword && "a password", seen.asksForCard && "a card number"].filter(Boolean);
  return (
    <Card title="Page">
      <Facts
        facts={[
          ["Shown at", <Address address={seen.finalUrl} />],
          seen.redirects.length > 0 && [
            "Redirects",
            <List
              class="plain"
              ordered
              items={seen.redirects.map((url) => (
                <Address address={url} />
              ))}
              max={listedMax}
            />,
          ],
          ["Status", String(seen.status)],
          ["Title", seen.title === "" ? "none" : <Text text={seen.title} />],
          ["Asks for", asks.length === 0 ? "no secrets" : <strong>{asks.join(" and ")}</strong>],
          ["Shown", seenAs(seen)],
          seen.parked !== undefined && ["Parked", <Text text={seen.parked} />],
          seen.unseen !== undefined && ["Not seen", <Text text={seen.unseen} />],
        ]}
      />
    </Card>
  );
}

function RequestCard({ inspection }: { inspection: Inspection }) {
  const { source, requestedAt, startedAt, finishedAt, durationMs, attempts } = inspection;
  return (
    <Card title="Request">
      <Facts
        facts={[
          ["Requested", <Time at={requestedAt} />],
          ["By", <Text text={requesterOf(inspection)} charactersMax={120} />],
          ["Source", inWords(source)],
          ["Started", startedAt === null ? "not yet" : <Time at={startedAt} seconds />],
          ["Finished", finishedAt === null ? "not yet" : <Time at={finishedAt} seconds />],
          durationMs !== null && ["Duration", secondsText(durationMs)],
          ["Attempts", String(attempts)],
        ]}
      />
    </Card>
  );
}
