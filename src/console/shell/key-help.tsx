import { Kbd, Modal } from '@mantine/core';
import classes from './key-help.module.css';

const keys = [
  ['Ctrl K', 'Go to a flag, a page or an action'],
  ['/', 'Search on this page'],
  ['U', 'Undo what was just switched, while the notification is shown'],
  ['?', 'This help'],
  ['Tab, Shift Tab', 'Next and previous control'],
  ['Enter, Space', 'Press a button, open a link, turn a switch'],
  ['Arrow keys', 'Move a slider, choose in a list or a tab bar'],
  ['Escape', 'Close a dialog or a menu'],
] as const;

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard">
      <dl className={classes.keys}>
        {keys.map(([key, does]) => (
          <div key={key} className={classes.row}>
            <dt>
              <Kbd>{key}</Kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
