import { SharedValue, useSharedValue } from '../parts/shared-value.ts';

/** What Enter does in the palette: it opens the chosen entry, or with Ctrl switches its flag. */
export type Press = 'open' | 'switch';

/** Keys typed before a field appeared. */
interface TypedAhead {
  readonly text: string;
  /** Enter was pressed at the end; null: it was not. */
  readonly press: Press | null;
}

const nothing: TypedAhead = { text: '', press: null };
const textLengthMax = 200;

let typed = nothing;

function withKey({ text, press }: TypedAhead, key: string): TypedAhead {
  if (press !== null) return { text, press };
  if (key === 'Backspace') return { text: text.slice(0, -1), press };
  if (Array.from(key).length > 1 || text.length >= textLengthMax) return { text, press };
  return { text: text + key, press };
}

/** Takes the key before other listeners: it is neither a shortcut nor meant for the focused link. */
function onKey(event: KeyboardEvent): void {
  const isShortcut = event.ctrlKey || event.metaKey;
  const isEnter = event.key === 'Enter';
  if ((isShortcut && !isEnter) || event.altKey || event.key === 'Escape') return;
  event.preventDefault();
  event.stopImmediatePropagation();
  // The Enter that opened the palette may still be held.
  if (isEnter && !event.repeat) typed = { ...typed, press: typed.press ?? (isShortcut ? 'switch' : 'open') };
  if (!isEnter) typed = withKey(typed, event.key);
}

/** Keeps every key from now on until {@link takeTypedAhead}. */
function keepTypedAhead(): void {
  typed = nothing;
  window.addEventListener('keydown', onKey, { capture: true });
}

/** Ends it: from now on keys go to the focused element. @returns the kept keys, once */
export function takeTypedAhead(): TypedAhead {
  window.removeEventListener('keydown', onKey, { capture: true });
  const taken = typed;
  typed = nothing;
  return taken;
}

export type Overlay = 'palette' | 'help';

const shown = new SharedValue<Overlay | null>(null);

/** People continue typing after Ctrl+K: keys are kept for the palette until its input has the focus. */
export function openOverlay(overlay: Overlay): void {
  if (overlay === 'palette') keepTypedAhead();
  shown.set(overlay);
}

export function closeOverlay(): void {
  takeTypedAhead();
  shown.set(null);
}

export function useOverlay(): Overlay | null {
  return useSharedValue(shown, (present) => present);
}
