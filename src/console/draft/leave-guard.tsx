import { Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { countOf } from '../parts/count-words.ts';

/** Asks before a draft is left behind, by a link, the back button or by closing the window. */
export function LeaveGuard({ changeCount }: { readonly changeCount: number }) {
  const isDirty = changeCount > 0;
  const blocker = useBlocker({
    // A change of tab or filter within the page keeps the draft.
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <ConfirmDialog
      title="Leave without saving?"
      confirm="Discard and leave"
      isDangerous
      onConfirm={blocker.proceed}
      onClose={blocker.reset}
    >
      <Text size="sm">{countOf(changeCount, 'change')} would be lost.</Text>
    </ConfirmDialog>
  );
}
