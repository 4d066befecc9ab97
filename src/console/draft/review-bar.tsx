import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { conflictOf } from '../client/console-error.ts';
import { Callout, Failure } from '../parts/callout.tsx';
import { ChangeList } from '../parts/change-list.tsx';
import type { ShownChange } from '../parts/change-words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { countOf } from '../parts/words.ts';
import type { FieldChange, Rebased } from './draft.ts';
import { LeaveGuard } from './leave-guard.tsx';
import classes from './review-bar.module.css';
import type { DraftHandle } from './use-draft.ts';

interface ReviewDialogProps {
  readonly changes: readonly ShownChange[];
  /** Changes of others since the draft was begun. */
  readonly joined: readonly ShownChange[];
  readonly audienceName: (id: string) => string;
  readonly warning: ReactNode;
  readonly onSave: () => Promise<void>;
  readonly onClose: () => void;
}

function ReviewDialog({ changes, joined, audienceName, warning, onSave, onClose }: ReviewDialogProps) {
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

interface ConflictDialogProps {
  readonly conflict: Rebased;
  readonly show: (change: FieldChange) => ShownChange;
  readonly audienceName: (id: string) => string;
  readonly onChoose: (choice: 'mine' | 'theirs') => void;
}

/** Two people changed the same fields: the dialog shows both versions, and a person decides. */
function ConflictDialog({ conflict, show, audienceName, onChoose }: ConflictDialogProps) {
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

interface ReviewBarProps {
  readonly handle: DraftHandle;
  /** Turns the draft's keys into the words of a diff; without it they are the names of fields. */
  readonly show?: (change: FieldChange) => ShownChange;
  readonly audienceName?: (id: string) => string;
  /** Shown in the review when saving affects something protected. */
  readonly warning?: ReactNode;
  /** Why the draft cannot be saved; null when it can. */
  readonly problem?: string | null;
  /** Saves the draft in one request. The review shows what it throws. */
  readonly onSave: () => Promise<void>;
}

function showField({ key, ...values }: FieldChange): ShownChange {
  return { environment: null, field: key, ...values };
}

/** A draft's bar at the foot of the page: says what is not saved, with the review and the ways out. */
export function ReviewBar(props: ReviewBarProps) {
  const { handle, show = showField, audienceName = (id) => id, warning, problem = null } = props;
  const [isReviewing, setReviewing] = useState(false);
  const { changes, conflict, joined } = handle;
  const isNothingLeft = changes.length === 0 && conflict === null;
  // The reviewed changes were undone, or others have saved the same: the next change begins unreviewed.
  if (isNothingLeft && isReviewing) setReviewing(false);
  if (isNothingLeft) return null;
  return (
    <>
      <LeaveGuard changeCount={changes.length} />
      <div className={classes.place}>
        <section className={classes.bar} aria-label="Unsaved changes" data-review-bar>
          <span className={classes.words} role="status">
            {problem ??
              (joined.length > 0
                ? 'Others have changed this meanwhile; your draft is kept.'
                : 'Not saved yet.')}
          </span>
          <Button variant="default" onClick={handle.discard}>
            Discard
          </Button>
          <Button disabled={problem !== null} onClick={() => setReviewing(true)}>
            Review {countOf(changes.length, 'change')}
          </Button>
        </section>
      </div>
      {isReviewing && conflict === null && (
        <ReviewDialog
          changes={changes.map(show)}
          joined={joined.map(show)}
          audienceName={audienceName}
          warning={warning}
          onSave={props.onSave}
          onClose={() => setReviewing(false)}
        />
      )}
      {conflict !== null && (
        <ConflictDialog
          conflict={conflict}
          show={show}
          audienceName={audienceName}
          onChoose={handle.resolve}
        />
      )}
    </>
  );
}
