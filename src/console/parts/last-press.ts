/** A place in the window, in CSS pixels. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

let pressed: Place | null = null;

/** From now on the page notes where a person pressed last. */
export function watchPresses(window: Window): void {
  const options = { capture: true, passive: true };
  window.addEventListener(
    'pointerdown',
    ({ clientX, clientY }) => {
      pressed = { x: clientX, y: clientY };
    },
    options,
  );
  window.addEventListener(
    'keydown',
    () => {
      pressed = null;
    },
    options,
  );
}

/** @returns where the pointer pressed last; null if a key was pressed since */
export function lastPress(): Place | null {
  return pressed;
}

/** How near a moved dialog comes to the edge of the window. */
const marginPx = 8;

/** @returns how far a span may move towards a wanted distance, so that it stays in the window */
function within(wanted: number, from: number, to: number, windowPx: number): number {
  return Math.max(marginPx - from, Math.min(wanted, windowPx - marginPx - to));
}

/**
 * Moves a dialog so that one of its buttons is below a place, or as near as the window lets it: the next press then needs
 * no way of the pointer.
 *
 * @returns whether there is too little room above the place for what is above the button
 */
export function bringUnder(place: Place, dialog: HTMLElement, button: HTMLElement): boolean {
  dialog.style.translate = '';
  const box = dialog.getBoundingClientRect();
  const at = button.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const down = place.y - (at.top + at.bottom) / 2;
  const across = within(place.x - (at.left + at.right) / 2, box.left, box.right, clientWidth);
  dialog.style.translate = `${across}px ${within(down, box.top, box.bottom, clientHeight)}px`;
  return box.top + down < marginPx;
}
