import { Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { consolePath } from '../client/base-path.ts';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { countOf } from '../parts/words.ts';

const signInRoute = '/sign-in';

/** A navigation that waits for a decision, and the two decisions. */
export interface Leaving {
  /** The session has ended: the navigation leads to the sign-in page. */
  readonly isSignedOut: boolean;
  readonly proceed: () => void;
  readonly reset: () => void;
}

interface Way {
  readonly pathname: string;
  readonly search: object;
}

/** A change of tab or filter within the page keeps its entries, except a dialog that the address opens. */
function isAway(current: Way, next: Way): boolean {
  if (current.pathname !== next.pathname) return true;
  return 'create' in current.search && !('create' in next.search);
}

/**
 * Stops every way out of this page (a link, the back button, closing the window) until the member decides.
 *
 * @param isDirty whether entries would be lost
 * @param isBusy it is being sent, and the answer may lead to another page: but not to the sign-in page
 * @returns null while no navigation waits
 */
export function useLeaving(isDirty: boolean, isBusy = false): Leaving | null {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty && isAway(current, next) && (!isBusy || next.routeId === signInRoute),
    enableBeforeUnload: () => isDirty && !isBusy,
    withResolver: true,
  });
  // The page that navigates there asks, when a session ends; no member goes there by hand.
  const isSignedOut = blocker.status === 'blocked' && blocker.next.routeId === signInRoute;
  const { status, proceed, reset } = blocker;
  return status === 'blocked' ? { isSignedOut, proceed, reset } : null;
}

interface LeaveQuestionProps {
  readonly leaving: Leaving;
  /** A sentence that says what would be lost. */
  readonly loss: string;
  /** What can be saved after another sign-in, as `Your 2 unsaved changes are still here.` */
  readonly kept?: string;
}

export function LeaveQuestion({ leaving, loss, kept }: LeaveQuestionProps) {
  const { isSignedOut, proceed, reset } = leaving;
  return (
    <ConfirmDialog
      title={isSignedOut ? 'Your session has ended' : 'Leave without saving?'}
      confirm={isSignedOut ? 'Discard and sign in' : 'Discard and leave'}
      cancel={isSignedOut ? 'Stay here' : 'Cancel'}
      isDangerous
      onConfirm={proceed}
      onClose={reset}
    >
      <Text size="sm">
        {isSignedOut && kept !== undefined ? (
          <>
            {kept}{' '}
            <a href={`${consolePath}sign-in`} target="_blank" rel="noreferrer">
              Sign in in a new tab
            </a>
            , then save.
          </>
        ) : (
          loss
        )}
      </Text>
    </ConfirmDialog>
  );
}

/** Asks before a draft is discarded. */
export function LeaveGuard({ changeCount }: { readonly changeCount: number }) {
  const leaving = useLeaving(changeCount > 0);
  if (leaving === null) return null;
  const changes = countOf(changeCount, 'unsaved change');
  return (
    <LeaveQuestion
      leaving={leaving}
      loss={`${changes} would be lost.`}
      kept={changeCount === 1 ? 'Your unsaved change is still here.' : `Your ${changes} are still here.`}
    />
  );
}
