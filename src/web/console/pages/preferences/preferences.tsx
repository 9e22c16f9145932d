import { Card } from "../../kit/components.tsx";
import { choicesOf, Button, Choices, Form, HiddenFields, Select } from "../../kit/form.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { preferencesPath as path } from "../../kit/paths.ts";
import { utc } from "../../kit/times.ts";
import {
  densities,
  groupings,
  preferencesCookie,
  preferencesOf,
  preferencesText,
  readPreferences,
  themes,
  timeZones,
  type Preferences,
} from "../../shell/reader.ts";
import { isSecure, ownPath } from "../../shell/visitors.ts";
import type { Context, PageGroup } from "../../shell/router.ts";
import labels from "./labels.json" with { type: "json" };

function showPreferences({ request, query, account, services }: Context<"preferences">): PageResult {
  const saved = services.preferences.of(account.seq);
  const { theme, timeZone = utc, density, shortcuts, grouping } = preferencesOf(request, saved);
  return page(
    { title: "Preferences", lead: "They apply to your account, in every browser." },
    <Card>
      <Form action={path} class="stack narrow">
        <HiddenFields fields={{ to: ownPath(query.get("to")) }} />
        <Select
          label="Time zone"
          name="time_zone"
          value={timeZone}
          choices={choicesOf(timeZones(), (zone) => zone.replaceAll("_", " "))}
          hint="Times are shown in this time zone, and in UTC on hover. Days in charts and filters are in UTC."
        />
        <Choices
          single
          label="Theme"
          name="theme"
          values={[theme]}
          choices={choicesOf(themes, (one) => labels.themes[one])}
        />
        <Choices
          single
          label="List of threats"
          name="density"
          values={[density]}
          choices={choicesOf(densities, (one) => labels.densities[one])}
        />
        <Choices
          single
          label="Campaigns in the list"
          name="grouping"
          values={[grouping]}
          choices={choicesOf(groupings, (one) => labels.groupings[one])}
        />
        <Choices
          single
          label="Keyboard shortcuts"
          name="shortcuts"
          values={[shortcuts ? "yes" : "no"]}
          choices={[
            { value: "yes", label: "On", hint: "Press ? for a list." },
            { value: "no", label: "Off", hint: "Single keys do nothing." },
          ]}
        />
        <p>
          <Button label="Save preferences" variant="primary" />
        </p>
      </Form>
    </Card>,
  );
}

/** Saves the fields that the form has; the others stay. The cookie makes the sign-in page of this browser look the same. */
async function savePreferences(context: Context<"config" | "preferences">): Promise<PageResult> {
  const { account, form, request, services, write } = context;
  const before = preferencesOf(request, services.preferences.of(account.seq));
  const text = (name: string, current: string | undefined) => form.get(name) ?? current;
  const preferences: Preferences = readPreferences({
    theme: text("theme", before.theme),
    timeZone: text("time_zone", before.timeZone),
    density: text("density", before.density),
    shortcuts: text("shortcuts", before.shortcuts ? "yes" : "no"),
    grouping: text("grouping", before.grouping),
  });
  await write(() => services.preferences.save(account.seq, preferencesText(preferences)));
  return redirect(ownPath(form.get("to")), undefined, {
    cookie: preferencesCookie(preferences, isSecure(services.config)),
  });
}

/** Preferences of the own account. */
export const preferencePages: PageGroup = {
  routes: [
    { method: "GET", path, permission: "session", run: showPreferences },
    { method: "POST", path, permission: "session", run: savePreferences },
  ],
};
