// Tabs whose choice stands in the link.

import { createUniqueId, For, type JSX } from "solid-js";
import { go, place } from "./place.ts";

export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly body: () => JSX.Element;
}

export function Tabs(props: { label: string; tabs: readonly Tab[]; extra?: JSX.Element }): JSX.Element {
  const id = createUniqueId();
  const current = () => props.tabs.find((tab) => tab.id === place().tab) ?? props.tabs[0];
  const choose = (step: number) => {
    const index = props.tabs.findIndex((tab) => tab.id === current()?.id);
    const next = props.tabs[(index + step + props.tabs.length) % props.tabs.length];
    if (next === undefined) return;
    go({ tab: next.id }, true);
    document.getElementById(`${id}-${next.id}`)?.focus();
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    choose(event.key === "ArrowRight" ? 1 : -1);
    event.preventDefault();
  };
  return (
    <div class="tabs">
      <div class="tabline">
        <div role="tablist" aria-label={props.label} onKeyDown={key}>
          <For each={props.tabs}>
            {(tab) => (
              <button
                role="tab"
                id={`${id}-${tab.id}`}
                aria-selected={tab.id === current()?.id}
                aria-controls={`${id}-panel`}
                tabindex={tab.id === current()?.id ? 0 : -1}
                onClick={() => go({ tab: tab.id }, true)}
              >
                {tab.title}
              </button>
            )}
          </For>
        </div>
        {props.extra}
      </div>
      <div class="panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current()?.id}`} tabindex={0}>
        <For each={props.tabs.filter((tab) => tab.id === current()?.id)}>{(tab) => tab.body()}</For>
      </div>
    </div>
  );
}
