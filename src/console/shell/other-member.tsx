import { Text } from '@mantine/core';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { SharedValue, useSharedValue } from '../parts/shared-value.ts';

/** Whether to say that another member has signed in, in another tab of this browser. */
export const otherMemberAsked = new SharedValue(false);

export function OtherMember() {
  const isAsked = useSharedValue(otherMemberAsked, (present) => present);
  if (!isAsked) return null;
  return (
    <ConfirmDialog
      title="Signed in as someone else"
      confirm="Reload"
      cancel="Stay here"
      onConfirm={() => window.location.reload()}
      onClose={() => otherMemberAsked.set(false)}
    >
      <Text size="sm">
        In another tab of this browser someone else has signed in. Nothing was done as them: this page shows
        what it read last, and every further change is refused. Reload it to go on as that member.
      </Text>
    </ConfirmDialog>
  );
}
