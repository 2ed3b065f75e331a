// Notes that are kept beside the trace: all of them, and one more about what the page shows.

import { createSignal, For, onMount, Show, type JSX } from "solid-js";
import { text } from "../answer.ts";
import { get, post, type Note } from "../api.ts";
import { CallLink } from "../names.tsx";
import { Empty, Problem } from "../notice.tsx";
import { api, link, place, trace } from "../place.ts";
import { grouped } from "../text.ts";

type About = Pick<Note, "call" | "object" | "frame">;

/** What a new note can be about: what the place names. */
function choices(): { title: string; about: About }[] {
  const { call, object, frame } = place();
  return [
    ...(call !== undefined ? [{ title: `call ${call}`, about: { call } }] : []),
    ...(object !== undefined ? [{ title: `object ${object}`, about: { object } }] : []),
    ...(frame !== undefined ? [{ title: `frame ${frame}`, about: { frame } }] : []),
    { title: "the trace", about: {} },
  ];
}

export function Notes(props: { onClose: () => void }): JSX.Element {
  let dialog!: HTMLDialogElement;
  const [items, setItems] = createSignal<Note[]>();
  const [problem, setProblem] = createSignal<string>();
  const [typed, setTyped] = createSignal("");
  const about = choices();
  const [chosen, setChosen] = createSignal(0);
  const take = (answer: Promise<{ items: Note[] }>) =>
    answer.then(
      (all) => {
        setItems(all.items);
        setProblem(undefined);
        return true;
      },
      (error: unknown) => {
        setProblem(text(error));
        return false;
      },
    );
  onMount(() => {
    dialog.showModal();
    void take(get(api("notes")));
  });
  const add = async (event: Event) => {
    event.preventDefault();
    if (await take(post(api("notes"), { add: { ...about[chosen()]?.about, text: typed().trim() } }))) setTyped("");
  };
  return (
    <dialog ref={dialog} class="help notes" aria-labelledby="notes-title" onClose={() => props.onClose()}>
      <h2 id="notes-title">Notes</h2>
      <form class="toolbar" onSubmit={(event) => void add(event)}>
        <label>
          about{" "}
          <select onChange={(event) => setChosen(event.currentTarget.selectedIndex)}>
            <For each={about}>{(one) => <option>{one.title}</option>}</For>
          </select>
        </label>
        <input class="grow" aria-label="Text of the note" placeholder="text; empty for a bookmark" maxlength="4000" autofocus value={typed()} onInput={(event) => setTyped(event.currentTarget.value)} />
        <button type="submit">Add</button>
      </form>
      <Show when={trace()?.dropped}>
        <p class="warn">This trace was dropped onto the page. It goes with the server, and so do its notes: open the file by its name to keep them.</p>
      </Show>
      <Problem text={problem()} />
      <Show when={items()}>
        {(all) => (
          <Show when={all().length > 0} fallback={<Empty>There are no notes. They are kept in a file beside the trace, which `reprise notes` shows, too.</Empty>}>
            <table class="plain">
              <thead><tr><th>About</th><th>Note</th><th><span class="unseen">Remove</span></th></tr></thead>
              <tbody>
                <For each={all()}>
                  {(note) => (
                    <tr>
                      <td onClick={() => dialog.close()}>
                        <Show when={note.call}>call <CallLink call={note.call} /> </Show>
                        <Show when={note.object}>{(id) => <a href={link({ view: "objects", object: id() })}>object {grouped(id())}</a>}</Show>
                        <Show when={note.frame}>{(frame) => <a href={link({ view: "frames", frame: frame() })}>frame {grouped(frame())}</a>}</Show>
                        <Show when={note.call === undefined && note.object === undefined && note.frame === undefined}>the trace</Show>
                      </td>
                      <td><bdi>{note.text || <span class="faint">bookmark</span>}</bdi></td>
                      <td class="right"><button class="small" onClick={() => void take(post(api("notes"), { remove: note }))}>Remove</button></td>
                    </tr>
                  )}
                </For>
              </tbody>
            </table>
          </Show>
        )}
      </Show>
      <button onClick={() => dialog.close()}>Close</button>
    </dialog>
  );
}
