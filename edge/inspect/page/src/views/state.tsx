// Everything that stood when a call began, as it is.

import type { JSX } from "solid-js";
import type { Json } from "../api.ts";
import { useState } from "../bound.ts";
import { useExport } from "../export.tsx";
import { Answered } from "../notice.tsx";
import { place } from "../place.ts";
import { Value } from "../value.tsx";

export function StateView(): JSX.Element {
  const state = useState();
  useExport(() => ({ command: ["state", "TRACE", String(place().call)], json: async () => state().data }));
  return (
    <div class="scroll">
      <Answered answer={state()}>
        {(data) => {
          const rest = () => Object.fromEntries(Object.entries(data()).filter(([name]) => name !== "call")) as { [key: string]: Json };
          return <Value value={rest()} call={place().call} />;
        }}
      </Answered>
    </div>
  );
}
