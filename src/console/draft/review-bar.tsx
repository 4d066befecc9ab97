import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { conflictOf } from '../client/console-error.ts';
import { Callout, Failure } from '../parts/callout.tsx';
import { ChangeList } from '../parts/change-list.tsx';
import type { ShownChange } from '../parts/change-words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { showDone } from '../parts/notices.tsx';
import { countOf } from '../parts/words.ts';
import type { FieldChange } from './draft.ts';
import { LeaveGuard } from './leave-guard.tsx';
import classes from './review-bar.module.css';
import type { DraftHandle } from './use-draft.ts';

interface ReviewDialogProps {
  readonly changes: readonly ShownChange[];
  /** Changes of others since the draft was begun. */
  readonly joined: readonly ShownChange[];
  readonly audienceName: (id: string) => string;
  readonly effect: ReactNode;
  readonly warning: ReactNode;
  readonly onSave: () => Promise<void>;
  readonly onClose: () => void;
}

function ReviewDialog(props: ReviewDialogProps) {
  const { changes, joined, audienceName, effect, warning, onSave, onClose } = props;
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
        {effect}
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
  readonly handle: DraftHandle;
  readonly show: (change: FieldChange) => ShownChange;
  readonly audienceName: (id: string) => string;
  /** Who saved the other values. */
  readonly who: string;
  readonly onLater: () => void;
}

/** Two people changed the same fields: the dialog shows both versions, and a person decides. */
function ConflictDialog({ handle, show, audienceName, who, onLater }: ConflictDialogProps) {
  const { clashes, joined, changes } = handle;
  const others = changes.length - clashes.length;
  const stored = clashes.map(({ key, base, theirs: after }) => show({ key, before: base, after }));
  const drafted = clashes.map(({ key, base, mine }) => show({ key, before: base, after: mine }));
  const theirTitle = `Saved by ${who}`;
  return (
    <Dialog onClose={onLater} size="xl" title="You both changed the same fields">
      <Stack gap="md">
        <div className={classes.sides}>
          <section className={classes.side} aria-label={theirTitle}>
            <h3 className={classes.title}>{theirTitle}</h3>
            <ChangeList changes={[...stored, ...joined.map(show)]} audienceName={audienceName} />
          </section>
          <section className={classes.side} aria-label="Your draft">
            <h3 className={classes.title}>Your draft</h3>
            <ChangeList changes={drafted} audienceName={audienceName} />
          </section>
        </div>
        <Text size="sm" c="dimmed">
          Nothing has been overwritten. If you keep yours, you review it once more before it is saved.
          {others > 0 &&
            ` Your ${countOf(others, 'other change')} ${others === 1 ? 'stays' : 'stay'} in the draft either way.`}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onLater}>
            Decide later
          </Button>
          <Button variant="light" onClick={() => handle.resolve('theirs')}>
            Use theirs
          </Button>
          <Button variant="light" onClick={() => handle.resolve('mine')}>
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
  /** The record of the draft, for the middle of a sentence: `this flag`. */
  readonly what?: string;
  /** Who has changed it last, for a conflict. */
  readonly who?: string;
  /** Shown in the review: what saving does. */
  readonly effect?: ReactNode;
  /** Shown in the review when saving affects something protected. */
  readonly warning?: ReactNode;
  /** Why the draft cannot be saved; null when it can. */
  readonly problem?: string | null;
  /** Saves the draft in one request. The review shows its error. */
  readonly onSave: () => Promise<void>;
}

function showField({ key, ...values }: FieldChange): ShownChange {
  return { environment: null, field: key, ...values };
}

/** For `who`: the same member, in another window. */
export const ownOtherWindow = 'you, in another window';

function barWords({ handle, problem, what = 'this', who = 'another member' }: ReviewBarProps): string {
  if (problem) return problem;
  if (handle.clashes.length > 0 && who === ownOtherWindow) return `You changed ${what} in another window.`;
  if (handle.clashes.length > 0)
    return `${who.slice(0, 1).toUpperCase()}${who.slice(1)} changed ${what} meanwhile.`;
  if (handle.joined.length > 0) return 'Others have changed this meanwhile; your draft is kept.';
  return 'Not saved yet.';
}

/** A draft's bar at the foot of the page: shows what is not saved, with buttons to review, save or discard it. */
export function ReviewBar(props: ReviewBarProps) {
  const {
    handle,
    show = showField,
    audienceName = (id) => id,
    who = 'another member',
    problem = null,
  } = props;
  const [isReviewing, setReviewing] = useState(false);
  const { changes, clashes, joined } = handle;
  const isClashing = clashes.length > 0;
  const count = changes.length + Object.keys(handle.unfit).length;
  // The reviewed changes were undone, or others have saved the same: the next change begins unreviewed.
  if (changes.length === 0 && isReviewing) setReviewing(false);
  if (count === 0) return null;
  const discard = () => {
    handle.discard();
    showDone(`Discarded ${countOf(count, 'change')}.`, () => handle.restore(handle.draft.edits));
  };
  const postpone = () => {
    setReviewing(false);
    handle.decide(false);
  };
  return (
    <>
      <LeaveGuard changeCount={count} />
      <div className={classes.place}>
        <section className={classes.bar} aria-label="Unsaved changes" data-review-bar>
          <span className={classes.words} data-clashing={isClashing || undefined} role="status">
            {barWords(props)}
          </span>
          {isClashing && (
            <Button variant="light" onClick={() => handle.decide(true)}>
              Compare
            </Button>
          )}
          <Button variant="default" onClick={discard}>
            Discard
          </Button>
          <Button disabled={problem !== null} onClick={() => setReviewing(true)}>
            Review {countOf(count, 'change')}
          </Button>
        </section>
      </div>
      {isReviewing && !isClashing && (
        <ReviewDialog
          changes={changes.map(show)}
          joined={joined.map(show)}
          audienceName={audienceName}
          effect={props.effect}
          warning={props.warning}
          onSave={props.onSave}
          onClose={() => setReviewing(false)}
        />
      )}
      {isClashing && (isReviewing || handle.isDeciding) && (
        <ConflictDialog {...{ handle, show, audienceName, who }} onLater={postpone} />
      )}
    </>
  );
}
