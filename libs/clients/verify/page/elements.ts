/** Texts are only inserted as text: nothing in a receipt can become markup. */
export type Child = Node | string | null;

export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** A part of the page with its own heading. */
export function card(heading: string, ...children: readonly Child[]): HTMLElement {
  return make('section', 'card', make('h2', '', heading), ...children);
}

/** Lists names with their values; those with null are left out. */
export function facts(pairs: readonly (readonly [name: string, value: Child])[]): HTMLDListElement {
  const known = pairs.filter(([, value]) => value !== null);
  return make('dl', '', ...known.flatMap(([name, value]) => [make('dt', '', name), make('dd', '', value)]));
}

/** Longest list that is shown in full; of the remainder only the count is shown. */
const itemsMax = 50;

export function bullets<Item>(items: readonly Item[], childrenOf: (item: Item) => readonly Child[]): HTMLUListElement {
  const left = items.length - itemsMax;
  const shown = items.slice(0, itemsMax).map((item) => make('li', '', ...childrenOf(item)));
  return make('ul', '', ...shown, left > 0 ? make('li', '', `and ${left} more`) : null);
}

/** Returns the element of the page with this id. @throws Error if the page has none of that kind */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`);
  return element;
}

/** Shows a text in its place, or hides the place for null. */
export function say(place: HTMLElement, words: string | null): void {
  place.textContent = words;
  place.hidden = words === null;
}
