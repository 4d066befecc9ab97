import { Button, Group, Stack, Text } from '@mantine/core';
import { ChangeList } from '../parts/change-list.tsx';
import type { ShownChange } from '../parts/change-words.ts';
import { countOf } from '../parts/count-words.ts';
import { Dialog } from '../parts/dialog.tsx';
import classes from './conflict-dialog.module.css';
import type { Rebased } from './draft.ts';
import type { FieldChange } from './fields.ts';

interface ConflictDialogProps {
  readonly conflict: Rebased;
  readonly show: (change: FieldChange) => ShownChange;
  readonly audienceName: (id: string) => string;
  readonly onChoose: (choice: 'mine' | 'theirs') => void;
}

/** Two people changed the same fields: both versions stand side by side, and a person decides. */
export function ConflictDialog({ conflict, show, audienceName, onChoose }: ConflictDialogProps) {
  const { clashes, theirs, draft } = conflict;
  const others = Object.keys(draft.edits).length - clashes.length;
  const stored = clashes.map(({ key, base, theirs: after }) => show({ key, before: base, after }));
  const drafted = clashes.map(({ key, base, mine }) => show({ key, before: base, after: mine }));
  return (
    <Dialog
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      size="xl"
      title="Somebody else has changed the same fields"
    >
      <Stack gap="md">
        <div className={classes.sides}>
          <section className={classes.side} aria-label="Stored now">
            <h3 className={classes.title}>Stored now</h3>
            <ChangeList changes={[...stored, ...theirs.map(show)]} audienceName={audienceName} />
          </section>
          <section className={classes.side} aria-label="Your draft">
            <h3 className={classes.title}>Your draft</h3>
            <ChangeList changes={drafted} audienceName={audienceName} />
          </section>
        </div>
        <Text size="sm" c="dimmed">
          Nothing has been overwritten. Keeping yours puts it on top of what is stored now, for another review
          before it is saved.
          {others > 0 &&
            ` Your ${countOf(others, 'other change')} ${others === 1 ? 'stays' : 'stay'} in the draft either way.`}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => onChoose('theirs')}>
            Take theirs
          </Button>
          <Button data-autofocus onClick={() => onChoose('mine')}>
            Keep mine
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
