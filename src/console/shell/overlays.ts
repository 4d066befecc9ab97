import { SharedValue, useSharedValue } from '../parts/shared-value.ts';

/** Keys typed before a field appeared. */
interface TypedAhead {
  readonly text: string;
  /** Enter was pressed at the end. */
  readonly isEntered: boolean;
}

const nothing: TypedAhead = { text: '', isEntered: false };
const textLengthMax = 200;

let typed = nothing;

function withKey({ text, isEntered }: TypedAhead, key: string): TypedAhead {
  if (isEntered) return { text, isEntered };
  if (key === 'Enter') return { text, isEntered: true };
  if (key === 'Backspace') return { text: text.slice(0, -1), isEntered };
  if (Array.from(key).length > 1 || text.length >= textLengthMax) return { text, isEntered };
  return { text: text + key, isEntered };
}

/** Takes the key before other listeners: it is neither a shortcut nor meant for the focused link. */
function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key === 'Escape') return;
  event.preventDefault();
  event.stopImmediatePropagation();
  typed = withKey(typed, event.key);
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
