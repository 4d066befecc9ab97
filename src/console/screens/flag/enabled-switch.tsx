import { Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConsoleFlagView } from '../../../contracts/console/console-views.ts';
import { stateKey } from '../../draft/flag-fields.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showNotice } from '../../parts/notices.ts';
import { showFailure } from '../../parts/show-failure.ts';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import classes from './flag.module.css';
import type { FlagEditing } from './use-flag-editing.ts';

interface EnabledSwitchProps {
  readonly flag: ConsoleFlagView;
  readonly environment: string;
  readonly editing: FlagEditing;
}

function useTurn({ flag, environment, editing }: EnabledSwitchProps, place: string) {
  const turn = useMutation({
    mutationFn: (enabled: boolean) => editing.turn(environment, enabled),
    onError: showFailure,
    onSuccess: (_, enabled) =>
      showNotice({
        tone: 'done',
        message: `${flag.name} is ${enabled ? 'on' : 'off'}${place}.`,
        action: { label: 'Undo', run: () => turn.mutate(!enabled) },
      }),
  });
  return turn;
}

function effectOf(enabled: boolean, percentage: number, place: string): string {
  if (!enabled) return `Every caller${place} gets “off” from now on.`;
  return `Listed cohorts and ${percentage}% of the other callers${place} get “on” from now on.`;
}

/**
 * Acts at once and can be undone; where the environment is protected it asks first. It is not disabled while it acts:
 * that would take the focus from it.
 */
export function EnabledSwitch(props: EnabledSwitchProps) {
  const { flag, environment, editing } = props;
  const found = useProject().environments.find(({ number }) => String(number) === environment);
  const place = found === undefined ? '' : ` in ${found.name}`;
  const canEdit = useCanEdit();
  const turn = useTurn(props, place);
  const [asked, setAsked] = useState<boolean | null>(null);
  const { handle } = editing;
  const shown = handle.value(stateKey(environment, 'enabled')) as boolean;
  const enabled = turn.isPending ? turn.variables : shown;
  const isDrafted = Object.hasOwn(handle.draft.edits, stateKey(environment, 'enabled'));
  const percentage = flag.states[environment]?.trafficPercentage ?? 0;
  const choose = (next: boolean) => {
    if (turn.isPending) return;
    if (found?.isProtected) setAsked(next);
    else turn.mutate(next);
  };
  return (
    <div className={classes.switchRow}>
      <Switch
        size="md"
        color="green.8"
        checked={enabled}
        disabled={!canEdit}
        aria-label={`${flag.name}${place}`}
        label={enabled ? 'On' : 'Off'}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
      {isDrafted && (
        <Text size="sm" c="dimmed">
          in the draft
        </Text>
      )}
      {asked !== null && (
        <ConfirmDialog
          title={`Switch ${asked ? 'on' : 'off'}${place}?`}
          confirm={`Switch ${asked ? 'on' : 'off'}`}
          onConfirm={() => {
            setAsked(null);
            turn.mutate(asked);
          }}
          onClose={() => setAsked(null)}
        >
          <Text size="sm">
            <strong>{found?.name}</strong> is protected. You are about to switch <strong>{flag.name}</strong>{' '}
            {asked ? 'on' : 'off'} there. {effectOf(asked, percentage, place)}
          </Text>
        </ConfirmDialog>
      )}
    </div>
  );
}
