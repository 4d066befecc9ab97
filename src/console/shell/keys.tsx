import { Kbd } from '@mantine/core';
import { type HotkeyItem, useHotkeys } from '@mantine/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { undoNewest } from '../parts/notices.tsx';
import { usePreference } from '../parts/use-preferences.ts';
import { closeOverlay, openOverlay, useOverlay } from './overlays.ts';
import { Palette } from './palette.tsx';
import classes from './shell.module.css';
import { SingleKeysSwitch } from './single-keys-switch.tsx';
import { useSession } from './use-session.ts';

/** Keys without Ctrl: they can be turned off (WCAG 2.1.4). */
const singleKeys = [
  [['/'], 'Search on this page; otherwise opens the palette'],
  [['U'], 'Undo the last switch, while the notification is shown'],
  [['?'], 'This help'],
] as const;

const helped = [
  [['Ctrl K'], 'Open the palette: flags of all projects, pages, actions'],
  [['Ctrl Enter'], 'In the palette: switch the chosen flag in production'],
  [['Tab', 'Shift Tab'], 'Next and previous control'],
  [['Enter', 'Space'], 'Press a button, open a link, turn a switch'],
  [['Arrow keys'], 'Move a slider, choose in a list or a tab bar'],
  [['Escape'], 'Close a dialog or a menu'],
] as const;

interface HelpedKeysProps {
  readonly keys: readonly (readonly [names: readonly string[], does: string])[];
}

function HelpedKeys({ keys }: HelpedKeysProps) {
  return (
    <dl className={classes.keys}>
      {keys.map(([names, does]) => (
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
  );
}

function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const { docsUrl } = useSession();
  const hasSingleKeys = usePreference((present) => present.hasSingleKeys);
  return (
    <Dialog onClose={onClose} title="Keyboard">
      <HelpedKeys keys={hasSingleKeys ? [...singleKeys, ...helped] : helped} />
      <div className={classes.keyChoice}>
        <SingleKeysSwitch />
      </div>
      <p className={classes.helpLinks}>
        <a href={docsUrl}>Documentation</a> · <a href={`${docsUrl}/clients`}>Clients for applications</a> ·{' '}
        <a href={`${docsUrl}/openapi`}>Try the API</a>
      </p>
    </Dialog>
  );
}

/** The page's own search; on a page without one, the search for everything. */
function focusSearch(): void {
  const search = document.querySelector<HTMLInputElement>('input[data-page-search]');
  if (search === null) openOverlay('palette');
  else search.focus();
}

const typedInto =
  'textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=range])';

/**
 * A shortcut that works everywhere but in a text field. A switch is an input too, but no text field. A key that is held
 * acts once: U would undo and redo.
 */
function key(name: string, act: () => void): HotkeyItem {
  const onKey = (event: KeyboardEvent) => {
    if (event.target instanceof Element && event.target.matches(typedInto)) return;
    event.preventDefault();
    if (!event.repeat) act();
  };
  return [name, onKey, { preventDefault: false }];
}

/** Keys that work on every page. */
export function Keys() {
  const overlay = useOverlay();
  const hasSingleKeys = usePreference((present) => present.hasSingleKeys);
  const single: HotkeyItem[] = [
    key('/', focusSearch),
    // With Shift on most keyboards, and without it on some.
    key('shift+?', () => openOverlay('help')),
    key('?', () => openOverlay('help')),
    key('U', undoNewest),
  ];
  const turnPalette = ({ repeat }: KeyboardEvent) => {
    if (repeat) return;
    if (overlay === 'palette') closeOverlay();
    else openOverlay('palette');
  };
  const palette: HotkeyItem = ['mod+K', turnPalette];
  useHotkeys(hasSingleKeys ? [palette, ...single] : [palette], []);
  return (
    <>
      {overlay === 'palette' && <Palette onClose={closeOverlay} />}
      {overlay === 'help' && <KeyHelp onClose={closeOverlay} />}
    </>
  );
}
