/** The page's element of this id. @throws Error if the markup has none of this kind. */
export function byId<T extends Element>(id: string, type: abstract new () => T): T {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`#${id}: expected ${type.name}, found ${element?.constructor.name ?? 'nothing'}`);
}

/** Shorthand of {@link byId} where any HTML element will do. */
export function htmlById(id: string): HTMLElement {
  return byId(id, HTMLElement);
}

/** The first element inside `root` that a selector finds. @throws Error if there is none of this kind. */
export function within<T extends Element>(root: Element, selector: string, type: abstract new () => T): T {
  const element = root.querySelector(selector);
  if (element instanceof type) return element;
  throw new Error(`${selector}: expected ${type.name}, found ${element?.constructor.name ?? 'nothing'}`);
}

/** A canvas of the page with its drawing context. @throws Error if there is no such canvas. */
export function canvasById(id: string): [HTMLCanvasElement, CanvasRenderingContext2D] {
  const canvas = byId(id, HTMLCanvasElement);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error(`#${id}: this browser draws on no canvas`);
  return [canvas, context];
}

/** A new element with a class and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = '',
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...children);
  return element;
}

/** Says something to those who listen to the page instead of looking at it. */
export function announce(text: string): void {
  htmlById('announcer').textContent = text;
}
