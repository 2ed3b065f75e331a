// A root signature as text.

import { Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type Json, type ObjectName } from "../api.ts";
import { ObjectLink } from "../names.tsx";
import { Answered } from "../notice.tsx";
import { api } from "../place.ts";
import { Value } from "../value.tsx";

export function RootSignature(props: { object: ObjectName; call: number | undefined }): JSX.Element {
  const answer = useAnswer<{ object: ObjectName; text: string; json: Json }>(() => path(api("root_signature"), { object: props.object.id, call: props.call }));
  return (
    <Answered answer={answer()}>
      {(data) => (
        <>
          <p class="indent"><ObjectLink object={props.object} call={props.call} /></p>
          <pre class="code" tabindex={0}>{data().text.replaceAll("), ", "),\n")}</pre>
          <Show when={data().json}>{(json) => <Value value={json()} depth={1} />}</Show>
        </>
      )}
    </Answered>
  );
}
