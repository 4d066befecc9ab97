import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { Failure } from '../parts/failure.tsx';
import { GuardedDialog } from './guarded-dialog.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly size?: 'lg';
  /** The word on the button that sends it. */
  readonly submit: string;
  readonly isDirty: boolean;
  readonly isBusy?: boolean;
  /** False while it cannot be sent as it stands. */
  readonly isReady?: boolean;
  readonly error?: unknown;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Fields, what went wrong with them, and the two buttons. */
export function FormDialog(props: FormDialogProps) {
  const { title, size, submit, isDirty, isBusy = false, isReady = true, onSubmit, onClose } = props;
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <GuardedDialog
      title={title}
      {...(size === undefined ? {} : { size })}
      isDirty={isDirty}
      isBusy={isBusy}
      onClose={onClose}
    >
      {(close) => (
        <form onSubmit={send}>
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
        </form>
      )}
    </GuardedDialog>
  );
}
