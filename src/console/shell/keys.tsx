import { type HotkeyItem, useHotkeys } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { runNewestAction } from '../parts/notices.ts';
import { closeOverlay, openOverlay, useOverlay } from './overlays.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeyHelp = lazy(async () => ({ default: (await import('./key-help.tsx')).KeyHelp }));

/** The page's own search, if it has one. */
function focusSearch(): void {
  document.querySelector<HTMLInputElement>('input[data-page-search]')?.focus();
}

const typedInto =
  'textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=range])';

/** A key that means something everywhere but where text is typed; on a switch, which is an input too, it does. */
function key(name: string, act: () => void): HotkeyItem {
  const onKey = (event: KeyboardEvent) => {
    if (event.target instanceof Element && event.target.matches(typedInto)) return;
    event.preventDefault();
    act();
  };
  return [name, onKey, { preventDefault: false }];
}

/** Keys that work on every page. */
export function Keys() {
  const overlay = useOverlay();
  const everywhere: HotkeyItem[] = [
    ['mod+K', () => (overlay === 'palette' ? closeOverlay() : openOverlay('palette'))],
    key('/', focusSearch),
    // With Shift on most keyboards, and without it on some.
    key('shift+?', () => openOverlay('help')),
    key('?', () => openOverlay('help')),
    key('U', () => void runNewestAction()),
  ];
  useHotkeys(everywhere, []);
  return (
    <Suspense fallback={null}>
      {overlay === 'palette' && <Palette onClose={closeOverlay} />}
      {overlay === 'help' && <KeyHelp onClose={closeOverlay} />}
    </Suspense>
  );
}
