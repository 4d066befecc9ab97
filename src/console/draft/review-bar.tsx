import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ShownChange } from '../parts/change-words.ts';
import { countOf } from '../parts/count-words.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import classes from './review-bar.module.css';
import { ReviewDialog } from './review-dialog.tsx';
import type { DraftHandle } from './use-draft.ts';

interface ReviewBarProps {
  readonly handle: DraftHandle;
  /** From the draft's keys to the words of a diff. */
  readonly show: (change: { key: string; before: unknown; after: unknown }) => ShownChange;
  readonly audienceName?: (id: string) => string;
  /** Said in the review where saving takes effect on something protected. */
  readonly warning?: ReactNode;
  /** Why it cannot be saved as it stands; null when it can. */
  readonly problem?: string | null;
  /** Saves the draft in one request. Whatever it throws is shown. */
  readonly onSave: () => Promise<void>;
}

/** A draft's bar at the foot of the page: what is not saved, its review, and the ways out. */
export function ReviewBar(props: ReviewBarProps) {
  const { handle, show, audienceName = (id) => id, warning, problem = null } = props;
  const [isReviewing, setReviewing] = useState(false);
  const { changes, conflict, joined } = handle;
  const isNothingLeft = changes.length === 0 && conflict === null;
  // What was reviewed was taken back, or others have saved the same: the next change begins unreviewed.
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
