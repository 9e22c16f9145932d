import { exportFormatNames, exportFormats } from "../../../outputs/exports/formats.ts";
import { LinkButton, PageHead } from "../../kit/components.tsx";
import { Menu, MenuLink } from "../../kit/disclosure.tsx";
import { Icon } from "../../kit/icons.tsx";
import { decisionsPath, exportPath, newViewPath, pathWith, savedViewPath } from "../../kit/paths.ts";
import { listPath, type Look } from "../../threat-kit/filters.ts";
import type { ViewTab } from "../views/views.ts";

/** Title of the list, and what can be done with the present view. */
export function ListHead({
  query,
  look,
  isGrouped,
  tabs,
  total,
}: {
  query: URLSearchParams;
  look: Look;
  isGrouped: boolean;
  tabs: readonly ViewTab[];
  /** Number of threats in the view. */
  total: number;
}) {
  return (
    <div class="inset">
      <PageHead title="Threats">
        <span class="hide-s">
          <LinkButton path={decisionsPath} label="Recent decisions" variant="plain" small icon="undo" />
        </span>
        <div class="join">
          <LookLink query={query} isHere={look === "list" && !isGrouped} icon="list" label="List" />
          <LookLink
            query={query}
            isHere={isGrouped}
            group="campaign"
            icon="group"
            label="Grouped by campaign"
          />
          <LookLink query={query} isHere={look === "gallery"} look="gallery" icon="grid" label="Gallery" />
        </div>
        <Menu>
          <ViewActions query={query} tabs={tabs} />
          {total === 0 ? null : <Exports query={query} />}
        </Menu>
      </PageHead>
    </div>
  );
}

function LookLink({
  query,
  isHere,
  look,
  group,
  icon,
  label,
}: {
  query: URLSearchParams;
  isHere: boolean;
  look?: Look;
  group?: "campaign";
  icon: "list" | "grid" | "group";
  label: string;
}) {
  return (
    <a
      class="btn small square"
      href={listPath(query, { look, group })}
      aria-current={isHere ? "true" : undefined}
      aria-label={label}
      title={label}
    >
      <Icon name={icon} />
    </a>
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
