import { Kbd } from '@mantine/core';
import { type HotkeyItem, useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useEffect } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { undoNewest } from '../parts/notices.tsx';
import { closeOverlay, openOverlay, useOverlay } from './overlays.ts';
import classes from './shell.module.css';
import { useSession } from './use-session.ts';

const helped = [
  [['Ctrl K'], 'Go to a flag, a page or an action'],
  [['/'], 'Search on this page; without a search on the page, the same as Ctrl K'],
  [['U'], 'Undo the last switch, while the notification is shown'],
  [['?'], 'This help'],
  [['Tab', 'Shift Tab'], 'Next and previous control'],
  [['Enter', 'Space'], 'Press a button, open a link, turn a switch'],
  [['Arrow keys'], 'Move a slider, choose in a list or a tab bar'],
  [['Escape'], 'Close a dialog or a menu'],
] as const;

function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const { docsUrl } = useSession();
  return (
    <Dialog onClose={onClose} title="Keyboard">
      <dl className={classes.keys}>
        {helped.map(([names, does]) => (
          <div key={does} className={classes.key}>
            <dt className={classes.keyNames}>
              {names.map((name) => (
                <Kbd key={name}>{name}</Kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className={classes.helpLinks}>
        <a href={docsUrl}>Documentation</a> · <a href={`${docsUrl}/clients`}>Clients for applications</a> ·{' '}
        <a href={`${docsUrl}/openapi`}>Try the API</a>
      </p>
    </Dialog>
  );
}

const loadPalette = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));

/** The page's own search; on a page without one, the search for everything. */
function focusSearch(): void {
  const search = document.querySelector<HTMLInputElement>('input[data-page-search]');
  if (search === null) openOverlay('palette');
  else search.focus();
}

const typedInto =
  'textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=range])';

/** A shortcut that works everywhere but in a text field. A switch is an input too, but no text field. */
function key(name: string, act: () => void): HotkeyItem {
  const onKey = (event: KeyboardEvent) => {
    if (event.target instanceof Element && event.target.matches(typedInto)) return;
    event.preventDefault();
    act();
  };
  return [name, onKey, { preventDefault: false }];
}

/** Loads the palette when the browser is idle, so that Ctrl+K opens it at once. */
function usePaletteAhead(): void {
  useEffect(() => {
    // If it fails, opening the palette loads it.
    const load = () => void loadPalette().catch(() => undefined);
    // Safari has no idle callbacks.
    if (!('requestIdleCallback' in window)) return clearing(setTimeout(load, 2_000));
    const handle = window.requestIdleCallback(load);
    return () => window.cancelIdleCallback(handle);
  }, []);
}

function clearing(timer: ReturnType<typeof setTimeout>): () => void {
  return () => clearTimeout(timer);
}

/** Keys that work on every page. */
export function Keys() {
  const overlay = useOverlay();
  usePaletteAhead();
  const everywhere: HotkeyItem[] = [
    ['mod+K', () => (overlay === 'palette' ? closeOverlay() : openOverlay('palette'))],
    key('/', focusSearch),
    // With Shift on most keyboards, and without it on some.
    key('shift+?', () => openOverlay('help')),
    key('?', () => openOverlay('help')),
    key('U', undoNewest),
  ];
  useHotkeys(everywhere, []);
  return (
    <Suspense fallback={null}>
      {overlay === 'palette' && <Palette onClose={closeOverlay} />}
      {overlay === 'help' && <KeyHelp onClose={closeOverlay} />}
    </Suspense>
  );
}
