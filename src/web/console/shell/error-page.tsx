import { overviewPath } from "../kit/paths.ts";

export function ErrorPage(props: { title: string; message: string; requestId: string | undefined }) {
  const { title, message, requestId } = props;
  return (
    <section class="card narrow">
      <h1>{title}</h1>
      <p>{message}</p>
      {requestId === undefined ? null : (
        <p class="hint">
          Request ID <code>{requestId}</code>
        </p>
      )}
      <p>
        <a href={overviewPath}>Go to the overview</a>
      </p>
    </section>
  );
}
