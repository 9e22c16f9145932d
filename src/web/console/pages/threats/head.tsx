import { exportFormatNames, exportFormats } from "../../../../response/outputs/exports/formats.ts";
import { LinkButton, PageHead } from "../../kit/components.tsx";
import { Menu, MenuLink } from "../../kit/disclosure.tsx";
import { Form, HiddenFields } from "../../kit/form.tsx";
import { Icon } from "../../kit/inline.tsx";
import {
  decisionsPath,
  exportPath,
  newViewPath,
  pathWith,
  preferencesPath,
  savedViewPath,
} from "../../kit/paths.ts";
import type { Grouping } from "../../shell/reader.ts";
import { listPath, type Look } from "../../threat-kit/filters.ts";
import type { ViewTab } from "../../threat-kit/views.tsx";

/** Title of the list, and what can be done with the present view. */
export function ListHead(props: {
  query: URLSearchParams;
  look: Look;
  isGrouped: boolean;
  /** The view is filtered by campaign, so there is nothing to group. */
  isOneCampaign: boolean;
  tabs: readonly ViewTab[];
  /** Number of threats in the view. */
  total: number;
}) {
  const { query, look, isGrouped, isOneCampaign, tabs, total } = props;
  return (
    <div class="inset">
      <PageHead title="Threats">
        <span class="hide-s">
          <LinkButton path={decisionsPath} label="Recent decisions" variant="plain" small icon="undo" />
        </span>
        <div class="join">
          <GroupingButton grouping="none" isHere={look === "list" && !isGrouped} icon="list" label="List" />
          {isOneCampaign ? null : (
            <GroupingButton grouping="campaign" isHere={isGrouped} icon="group" label="Grouped by campaign" />
          )}
          <a
            class="btn small square"
            href={listPath(query, { look: "gallery" })}
            aria-current={look === "gallery" ? "true" : undefined}
            aria-label="Gallery"
            title="Gallery"
          >
            <Icon name="grid" />
          </a>
        </div>
        <Menu>
          <ViewActions query={query} tabs={tabs} />
          {total === 0 ? null : <Exports query={query} />}
        </Menu>
      </PageHead>
      <Form action={preferencesPath} id={groupingForm}>
        <HiddenFields fields={{ to: listPath(query, { look: undefined, group: undefined }) }} />
      </Form>
    </div>
  );
}

const groupingForm = "grouping";

/** Shows the list in this way, now and until another one is chosen. */
function GroupingButton(props: {
  grouping: Grouping;
  isHere: boolean;
  icon: "list" | "group";
  label: string;
}) {
  const { grouping, isHere, icon, label } = props;
  return (
    <button
      type="submit"
      form={groupingForm}
      name="grouping"
      value={grouping}
      class="btn small square"
      aria-current={isHere ? "true" : undefined}
      aria-label={label}
      title={label}
    >
      <Icon name={icon} />
    </button>
  );
}

function ViewActions({ query, tabs }: { query: URLSearchParams; tabs: readonly ViewTab[] }) {
  const here = tabs.find(({ isHere }) => isHere)?.saved;
  return (
    <>
      {here === undefined ? null : (
        <MenuLink path={savedViewPath(here.seq)} icon="note" label="Rename or delete this view" />
      )}
      <MenuLink path={pathWith(newViewPath, query)} icon="plus" label="Save this view" />
    </>
  );
}

/** Links that download the present view. */
function Exports({ query }: { query: URLSearchParams }) {
  return (
    <>
      {exportFormats.map((format) => {
        const view = new URLSearchParams(query);
        view.set("format", format);
        return (
          <li>
            <a href={pathWith(exportPath, view)} download="">
              <Icon name="download" />
              Export {exportFormatNames[format]}
            </a>
          </li>
        );
      })}
    </>
  );
}
