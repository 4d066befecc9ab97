import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Failure } from '../parts/callout.tsx';
import { CheckedForm } from '../parts/checked-form.tsx';
import { ConfirmDialog, Dialog } from '../parts/dialog.tsx';
import { LeaveQuestion, useLeaving } from './leave-guard.tsx';

interface GuardedDialogProps {
  readonly title: string;
  readonly size?: 'lg';
  /** Its fields differ from their first values. The dialog notices typing by itself. */
  readonly isDirty: boolean;
  /** It is being sent: the answer may lead to another page. */
  readonly isBusy?: boolean;
  readonly onClose: () => void;
  /** @param close the action of Cancel: it asks first if an entry would be lost */
  readonly children: (close: () => void) => ReactNode;
}

/** A dialog with fields. Escape and the close button ask before they discard what was entered. */
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
      {leaving !== null && (
        <LeaveQuestion
          leaving={leaving}
          loss="What you have entered would be lost."
          kept="What you have entered is still here."
        />
      )}
    </>
  );
}

interface FormDialogProps {
  readonly title: string;
  readonly size?: 'lg';
  /** The label of the button that sends it. */
  readonly submit: string;
  readonly isDirty: boolean;
  readonly isBusy?: boolean;
  /** False while it cannot be sent. */
  readonly isReady?: boolean;
  readonly error?: unknown;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Fields, the error of the last attempt, and the two buttons. */
export function FormDialog(props: FormDialogProps) {
  const { title, size, submit, isDirty, isBusy = false, isReady = true, onSubmit, onClose } = props;
  return (
    <GuardedDialog title={title} size={size} isDirty={isDirty} isBusy={isBusy} onClose={onClose}>
      {(close) => (
        <CheckedForm onSubmit={onSubmit}>
          <Stack gap="md">
            {props.children}
            <Failure error={props.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={isBusy} disabled={!isReady}>
                {submit}
              </Button>
            </Group>
          </Stack>
        </CheckedForm>
      )}
    </GuardedDialog>
  );
}
