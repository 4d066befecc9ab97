import { Kbd } from '@mantine/core';
import { Dialog } from '../parts/dialog.tsx';
import classes from './key-help.module.css';

const keys = [
  [['Ctrl K'], 'Go to a flag, a page or an action'],
  [['/'], 'Search on this page; where it has no search, as Ctrl K'],
  [['U'], 'Undo what was just switched, while the notification is shown'],
  [['?'], 'This help'],
  [['Tab', 'Shift Tab'], 'Next and previous control'],
  [['Enter', 'Space'], 'Press a button, open a link, turn a switch'],
  [['Arrow keys'], 'Move a slider, choose in a list or a tab bar'],
  [['Escape'], 'Close a dialog or a menu'],
] as const;

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Keyboard">
      <dl className={classes.keys}>
        {keys.map(([names, does]) => (
          <div key={does} className={classes.row}>
            <dt className={classes.names}>
              {names.map((name) => (
                <Kbd key={name}>{name}</Kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
