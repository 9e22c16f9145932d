import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { welcomePath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { TestNote, type TestShown } from "../deliveries/test-note.tsx";
import { SkipStep } from "./step-links.tsx";

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
