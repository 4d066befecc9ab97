import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { runNewestAction } from '../parts/notices.ts';
import { closeOverlay, openOverlay, useOverlay } from './overlays.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeyHelp = lazy(async () => ({ default: (await import('./key-help.tsx')).KeyHelp }));

/** The page's own search, if it has one. */
function focusSearch(): void {
  document.querySelector<HTMLInputElement>('input[data-page-search]')?.focus();
}

/** Keys that work on every page. */
export function Keys() {
  const overlay = useOverlay();
  useHotkeys([['mod+K', () => (overlay === 'palette' ? closeOverlay() : openOverlay('palette'))]], []);
  useHotkeys([
    ['/', focusSearch],
    // With Shift on most keyboards, and without it on some.
    ['shift+?', () => openOverlay('help')],
    ['?', () => openOverlay('help')],
    ['U', () => void runNewestAction()],
  ]);
  return (
    <Suspense fallback={null}>
      {overlay === 'palette' && <Palette onClose={closeOverlay} />}
      {overlay === 'help' && <KeyHelp onClose={closeOverlay} />}
    </Suspense>
  );
}
