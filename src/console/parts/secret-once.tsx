import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { LeaveQuestion, useLeaving } from '../draft/leave-guard.tsx';
import { Dialog } from './dialog.tsx';
import classes from './secret-once.module.css';
import { CopyButton } from './small-button.tsx';

interface SecretOnceProps {
  readonly title: string;
  /** The kind of secret, for the middle of a sentence: `token secret`. */
  readonly what: string;
  readonly secret: string;
  readonly note: ReactNode;
  /** The label of the button that closes it. */
  readonly done: string;
  readonly onClose: () => void;
}

/** Shows a secret, once. Only its button closes it; leaving the page asks first. */
export function SecretOnce({ title, what, secret, note, done, onClose }: SecretOnceProps) {
  const leaving = useLeaving(true);
  return (
    <>
      <Dialog
        onClose={onClose}
        title={title}
        withCloseButton={false}
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        <Stack gap="sm">
          <Text size="sm">{note}</Text>
          <div className={classes.row}>
            <code className={classes.secret}>{secret}</code>
            <CopyButton value={secret} what={what} />
          </div>
          <Group justify="flex-end">
            <Button onClick={onClose}>{done}</Button>
          </Group>
        </Stack>
      </Dialog>
      {leaving !== null && (
        <LeaveQuestion
          leaving={leaving}
          loss={`The ${what} would be lost: it is not shown again.`}
          kept={`The ${what} is still here. Store it before you sign in: it is not shown again.`}
        />
      )}
    </>
  );
}
