import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';

/** What a dialog gives the focus to when it opens: nothing dangerous. */
function focusIf(isFirst: boolean) {
  return isFirst ? { 'data-autofocus': true } : {};
}

interface ConfirmDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly confirm: string;
  readonly cancel?: string;
  readonly isDangerous?: boolean;
  /** Must be typed as it is before the button works. */
  readonly typedName?: string;
  readonly isBusy?: boolean;
  readonly error?: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirm, cancel = 'Cancel', isDangerous = false, typedName } = props;
  const { isBusy = false } = props;
  const [typed, setTyped] = useState('');
  const isReady = typedName === undefined || typed === typedName;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) props.onConfirm();
  };
  return (
    <Dialog onClose={props.onClose} title={title}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <div>{children}</div>
          {typedName !== undefined && (
            <TextInput
              label={
                <>
                  Type <strong>{typedName}</strong> to confirm
                </>
              }
              value={typed}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
          <Failure error={props.error} />
          <Group justify="flex-end">
            <Button
              variant="default"
              {...focusIf(typedName === undefined && isDangerous)}
              onClick={props.onClose}
            >
              {cancel}
            </Button>
            <Button
              type="submit"
              {...focusIf(typedName === undefined && !isDangerous)}
              color={isDangerous ? 'red.8' : undefined}
              loading={isBusy}
              disabled={!isReady}
            >
              {confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
