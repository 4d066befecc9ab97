import { useEffect, useLayoutEffect } from 'react';

/** What `first-rows.tsx` has drawn, and leaves to the console. */
export interface FirstRows {
  readonly element: HTMLElement;
  /** How far the list was scrolled. */
  readonly place: { readonly top: number; readonly left: number };
  /** The button that was pressed last: the console does what it is for. */
  pressed: Element | null;
  /** Shortcuts, and what was typed after the palette's. */
  readonly keys: readonly KeyboardEvent[];
}

function drawnRows(): FirstRows | undefined {
  return (globalThis as { burgeeFirstRows?: FirstRows }).burgeeFirstRows;
}

/** Where the list's first rows were scrolled to, while they are still shown. */
export function firstScroll(): FirstRows['place'] | undefined {
  return drawnRows()?.place;
}

/** The same for an element of the first rows and for its counterpart in the console. */
function keyOf(element: Element): string {
  const cell = element.closest('[data-column]')?.getAttribute('data-column');
  const flag = element.closest('[data-row]')?.querySelector('a')?.getAttribute('href');
  const own = element.getAttribute('href') ?? element.getAttribute('aria-label') ?? element.textContent;
  return JSON.stringify([flag, cell, own]);
}

/** The element of `place` that is the same for a reader as one that is drawn no longer. */
function counterpart(element: Element, place: ParentNode): HTMLElement | undefined {
  const key = keyOf(element);
  const all = place.querySelectorAll<HTMLElement>('a, button');
  return Array.from(all).find((other) => keyOf(other) === key);
}

/** Ends `shown`, and puts the focus in it to the same place in `next`. */
export function replaceBy(shown: Element, next: ParentNode, end: () => void): void {
  const focused = shown.contains(document.activeElement) ? document.activeElement : null;
  end();
  if (focused !== null) counterpart(focused, next)?.focus({ preventScroll: true });
}

let left: Pick<FirstRows, 'pressed' | 'keys'> | null = null;

function takeOver(): void {
  const rows = drawnRows();
  const root = document.querySelector('#root');
  if (rows === undefined || root === null) return;
  Reflect.deleteProperty(globalThis, 'burgeeFirstRows');
  const { element } = rows;
  replaceBy(element, root, () => element.remove());
  left = rows;
}

/** Does what was asked of the first rows, now that everything listens. */
function catchUp(): void {
  const asked = left;
  left = null;
  const root = document.querySelector('#root');
  if (asked === null || root === null) return;
  if (asked.pressed !== null) counterpart(asked.pressed, root)?.click();
  for (const { key, ctrlKey, metaKey } of asked.keys) {
    const place = document.activeElement ?? document.body;
    place.dispatchEvent(
      new KeyboardEvent('keydown', { key, ctrlKey, metaKey, bubbles: true, cancelable: true }),
    );
  }
}

/** The console is drawn: it is shown in the place of the first rows before the browser draws a frame. */
export function useTakeOver(): void {
  useLayoutEffect(takeOver, []);
  useEffect(catchUp, []);
}
