import type { Draft } from "../../../../response/cases/takedowns/draft.ts";
import { attachedBytesMax, screenshotsMax } from "../../../../response/cases/takedowns/files.ts";
import { bytesText } from "../../../../platform/lib/durations.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import { draftFilePath } from "../../kit/paths.ts";

/** Every file with its size: those of an email with a checkbox, so that each can be left out. */
export function FileList({ draft }: { draft: Draft }) {
  const { attachable, evidence, files } = draft;
  const ids = evidence.map(({ threat }) => threat.id);
  const attached = files.filter((file) => file.attached);
  const bytes = attached.reduce((sum, { content }) => sum + content.length, 0);
  const rest = files.filter(({ name }) => !attachable.includes(name));
  const link = (name: string) => <a href={draftFilePath(name, ids)}>{name}</a>;
  return (
    <fieldset class="field">
      <legend>{attachable.length === 0 ? "Files" : "Attachments"}</legend>
      {files
        .filter(({ name }) => attachable.includes(name))
        .map((file) => (
          <div class="line tight">
            <label class="check">
              <input type="checkbox" name="attach" value={file.name} checked={file.attached} />
              <span>
                Attach {file.name} <span class="hint">{fileText(file)}</span>
              </span>
            </label>
            <a class="s" href={draftFilePath(file.name, ids)} aria-label={`Download ${file.name}`}>
              Download
            </a>
          </div>
        ))}
      {attachable.length > 0 ? (
        <p class="hint">
          {bytesText(bytes)} of at most {bytesText(attachedBytesMax)}. Attachments are not in a ZIP archive,
          because many abuse desks reject archives.
        </p>
      ) : null}
      {missingScreenshots(draft)}
      <ul class="s">
        {rest.map((file) => (
          <li>
            {link(file.name)} <span class="quiet">{fileText(file)}</span>
          </li>
        ))}
      </ul>
      <p class="hint">
        {attachable.length === 0 || rest.length === 0
          ? "All files stay with the report."
          : "All files stay with the report. The text states the SHA-256 of evidence.zip, for a recipient that asks for it."}
      </p>
    </fieldset>
  );
}

function fileText({ content, name }: Draft["files"][number]): string {
  const what =
    name === "evidence.json"
      ? "all facts, with their times"
      : name === "sites.csv"
        ? "one line for each site"
        : name === "evidence.zip"
          ? "everything, without internal notes"
          : "screenshot";
  return `${what}, ${bytesText(content.length)}`;
}

/** Says when not every screenshot is among the files. */
function missingScreenshots({ evidence, files }: Draft) {
  const taken = evidence.filter(({ screenshot }) => screenshot !== undefined).length;
  const missing = taken - files.filter(({ mediaType }) => mediaType === "image/jpeg").length;
  if (missing <= 0) return null;
  return (
    <p class="hint">
      {counted(missing, "screenshot is", "screenshots are")} only in evidence.zip: at most {screenshotsMax}{" "}
      fit.
    </p>
  );
}
