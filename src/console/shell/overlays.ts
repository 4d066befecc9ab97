import { SharedValue, useSharedValue } from '../parts/shared-value.ts';

export type Overlay = 'palette' | 'help';

const shown = new SharedValue<Overlay | null>(null);

export function openOverlay(overlay: Overlay): void {
  shown.set(overlay);
}

export function closeOverlay(): void {
  shown.set(null);
}

export function useOverlay(): Overlay | null {
  return useSharedValue(shown, (present) => present);
}
