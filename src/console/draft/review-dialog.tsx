import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { conflictOf } from '../client/console-error.ts';
import { Callout } from '../parts/callout.tsx';
import { ChangeList } from '../parts/change-list.tsx';
import type { ShownChange } from '../parts/change-words.ts';
import { countOf } from '../parts/count-words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';

interface ReviewDialogProps {
  readonly changes: readonly ShownChange[];
  /** What others have changed since the draft was begun. */
  readonly joined: readonly ShownChange[];
  readonly audienceName: (id: string) => string;
  readonly warning: ReactNode;
  readonly onSave: () => Promise<void>;
  readonly onClose: () => void;
}

export function ReviewDialog({ changes, joined, audienceName, warning, onSave, onClose }: ReviewDialogProps) {
  const save = useMutation({ mutationFn: onSave, onSuccess: onClose });
  const error = conflictOf(save.error) === null ? save.error : null;
  return (
    <Dialog onClose={onClose} size="lg" title={`Review ${countOf(changes.length, 'change')}`}>
      <Stack gap="md">
        <ChangeList changes={changes} audienceName={audienceName} />
        {joined.length > 0 && (
          <Callout tone="plain">
            <Text size="sm" fw={600} mb={4}>
              Changed by others meanwhile, and kept
            </Text>
            <ChangeList changes={joined} audienceName={audienceName} />
          </Callout>
        )}
        {warning && <Callout tone="warn">{warning}</Callout>}
        <Failure error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Keep editing
          </Button>
          <Button data-autofocus loading={save.isPending} onClick={() => save.mutate()}>
            Save {countOf(changes.length, 'change')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
