import { Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { LeaveQuestion, useLeaving } from './leave-guard.tsx';

interface GuardedDialogProps {
  readonly title: string;
  readonly size?: 'lg';
  /** What stands in it is not what it began with. Text that is still being typed is known here by itself. */
  readonly isDirty: boolean;
  /** It is on its way to the service: an answer may lead to another page. */
  readonly isBusy?: boolean;
  readonly onClose: () => void;
  /** @param close what Cancel does: it asks first, where something would be lost */
  readonly children: (close: () => void) => ReactNode;
}

/** A dialog that something is entered in. Neither Escape nor the cross throws that away unasked. */
export function GuardedDialog({ isDirty, isBusy = false, onClose, ...props }: GuardedDialogProps) {
  const [hasTyped, setTyped] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const isLosing = isDirty || hasTyped;
  const leaving = useLeaving(isLosing, isBusy);
  const close = () => (isLosing ? setAsked(true) : onClose());
  return (
    <>
      <Dialog closeOnClickOutside={false} title={props.title} size={props.size} onClose={close}>
        <div onInput={() => setTyped(true)}>{props.children(close)}</div>
      </Dialog>
      {isAsked && (
        <ConfirmDialog
          title="Discard what you have entered?"
          confirm="Discard"
          cancel="Keep editing"
          isDangerous
          onConfirm={onClose}
          onClose={() => setAsked(false)}
        >
          <Text size="sm">It has not been saved anywhere.</Text>
        </ConfirmDialog>
      )}
      {leaving !== null && <LeaveQuestion leaving={leaving} loss="What you have entered would be lost." />}
    </>
  );
}
