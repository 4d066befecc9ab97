import { SharedValue, useSharedValue } from '../parts/shared-value.ts';
import { keepTypedAhead, takeTypedAhead } from './typed-ahead.ts';

export type Overlay = 'palette' | 'help';

const shown = new SharedValue<Overlay | null>(null);

/** People type on after Ctrl+K: what comes before the palette has the focus is kept for it. */
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
