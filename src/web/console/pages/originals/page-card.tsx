import { adviceOn, describeProblem } from "../../../../facts/inspection/originals/capture-problems.ts";
import type { OriginalState } from "../../../../facts/inspection/originals/originals.ts";
import type { OriginalVersion } from "../../../../facts/inspection/originals/tables.ts";
import type { VersionState } from "../../../../facts/inspection/model/original.ts";
import { sightingsMin } from "../../../../facts/inspection/originals/version-steps.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { sentence } from "../../../../platform/lib/wording.ts";
import { Facts, Time, Note } from "../../kit/components.tsx";
import { PostButton } from "../../kit/form.tsx";
import { StateMark, Text } from "../../kit/inline.tsx";
import { originalVersionPath, originalsPath } from "../../kit/paths.ts";
import { column, Table, type Column } from "../../kit/table.tsx";
import words from "../../inspection-kit/original-words.json" with { type: "json" };

/** One original page: its screenshot, its state, and its versions. */
export function OriginalCard({ domain, state }: { domain: string; state: OriginalState }) {
  const { original, versions, isCapturing } = state;
  const { address, problem, role, failingSince } = original;
  const present = versions.find((version) => version.state === "accepted");
  const waiting = versions.find((version) => version.state === "waiting");
  return (
    <section class="card stack" aria-label={words.roles[role]}>
      <header>
        <h2>{words.roles[role]}</h2>
        <PostButton
          action={`${originalsPath(domain)}/remove`}
          label="Remove"
          fields={{ page: String(original.seq) }}
          variant="plain"
          small
        />
      </header>
      {problem === null ? null : (
        <Note
          tone="warn"
          title={
            <>
              Could not be captured
              <Time at={failingSince} prefix=", first " relative />
            </>
          }
        >
          {sentence(visible(describeProblem(problem), 400))} {adviceOn(problem)}
          {present === undefined ? "" : " Pages are compared with the version on record."}
        </Note>
      )}
      {waiting === undefined ? null : <Waiting domain={domain} version={waiting} />}
      <Present domain={domain} version={present} address={address} isCapturing={isCapturing} />
      <Facts
        facts={[
          ["Address", <Text text={address} charactersMax={200} />],
          [
            "Captured",
            original.capturedAt === null ? (
              <span class="faint">{isCapturing ? "in progress" : "not yet"}</span>
            ) : (
              <Time at={original.capturedAt} relative />
            ),
          ],
          present !== undefined && ["Title", <Text text={present.fingerprint.title} charactersMax={120} />],
          ["Chosen by", original.chosenBy === "person" ? "a person" : "discovery"],
        ]}
      />
      {versions.length < 2 ? null : (
        <details class="more">
          <summary>Versions</summary>
          <Versions domain={domain} versions={versions} />
        </details>
      )}
    </section>
  );
}

function Present(props: {
  domain: string;
  version: OriginalVersion | undefined;
  address: string;
  isCapturing: boolean;
}) {
  const { domain, version, address, isCapturing } = props;
  if (version === undefined)
    return (
      <p class="s quiet">
        {isCapturing ? "It is being captured." : "Nothing on record yet. Pages cannot be compared with it."}
      </p>
    );
  const path = originalVersionPath(domain, version.seq);
  return (
    <>
      {version.secure ? null : (
        <Note tone="warn" title="Captured without a valid certificate">
          Somebody who controls the network could have changed it. Check the screenshot, and reject the
          version if it is not yours.
        </Note>
      )}
      {version.hasScreenshot ? (
        <figure>
          <a class="shot" href={path}>
            <img
              src={path}
              alt={`Screenshot of ${visible(address, 100)}`}
              loading="lazy"
              width="640"
              height="400"
            />
          </a>
        </figure>
      ) : (
        <p class="s quiet">
          No screenshot: there was no browser when it was captured. The next capture with a browser adds one;
          until then, images of pages cannot be compared with it.
        </p>
      )}
    </>
  );
}

function Waiting({ domain, version }: { domain: string; version: OriginalVersion }) {
  return (
    <Note
      tone="warn"
      title="The page looks entirely different"
      action={<VersionActions domain={domain} version={version} />}
    >
      Seen {version.sightings} {version.sightings === 1 ? "time" : "times"} since{" "}
      <Time at={version.firstSeenAt} relative />, titled{" "}
      <Text text={version.fingerprint.title} charactersMax={80} />.{" "}
      {version.secure
        ? `It replaces the version on record after ${sightingsMin} captures in a day, or when you accept it.`
        : "It came without a valid certificate, so it replaces the version on record only when you accept it."}
    </Note>
  );
}

const stateTones = { accepted: "neutral", waiting: "warn", rejected: "bad" } as const;

function Versions({ domain, versions }: { domain: string; versions: readonly OriginalVersion[] }) {
  const present = versions.find(({ state }) => state === "accepted");
  const columns: Column<OriginalVersion>[] = [
    column("Seen", "wide title", ({ firstSeenAt, hasScreenshot, seq }) => {
      const time = <Time at={firstSeenAt} />;
      return hasScreenshot ? <a href={originalVersionPath(domain, seq)}>{time}</a> : time;
    }),
    column("State", "tight state", (version) =>
      version === present ? (
        <StateMark tone="good">present</StateMark>
      ) : (
        <StateMark tone={stateTones[version.state]}>{words.states[version.state]}</StateMark>
      ),
    ),
    column(
      "Changed",
      "under",
      ({ changes }) => changes.map((change) => words.changes[change]).join(", ") || "–",
    ),
    column("", "tight end", (version) => (
      <VersionActions domain={domain} version={version} isPresent={version === present} />
    )),
  ];
  return <Table caption="Versions" columns={columns} rows={versions} />;
}

function VersionActions(props: { domain: string; version: OriginalVersion; isPresent?: boolean }) {
  const { domain, version, isPresent = false } = props;
  const button = (label: string, state: VersionState) => (
    <PostButton
      action={`${originalsPath(domain)}/versions`}
      label={label}
      fields={{ version: String(version.seq), state }}
      small
    />
  );
  return (
    <div class="line tight">
      {isPresent ? null : button(version.state === "waiting" ? "Accept" : "Use this", "accepted")}
      {version.state === "rejected" ? null : button("Reject", "rejected")}
    </div>
  );
}
