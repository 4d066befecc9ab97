import { Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { stateKey } from '../../draft/flag-fields.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { showDone, showFailure } from '../../parts/notices.tsx';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import classes from './flag.module.css';
import { environmentOf, type FlagEditing, useAudienceName } from './use-flag-editing.ts';

interface EnabledSwitchProps {
  /** The environment's number as a decimal. */
  readonly environment: string;
  readonly editing: FlagEditing;
}

function useTurn({ environment, editing }: EnabledSwitchProps, place: string) {
  const turn = useMutation({
    mutationFn: (enabled: boolean) => editing.turn(environment, enabled),
    onError: showFailure,
    onSuccess: (_, enabled) =>
      showDone(`${editing.flag.name} is ${enabled ? 'on' : 'off'}${place}.`, () => turn.mutate(!enabled)),
  });
  return turn;
}

/** @param audience the name of the audience that limits the callers; null for all of them */
function effectOf(enabled: boolean, percentage: number, audience: string | null, place: string): string {
  if (!enabled) return `Every caller${place} gets “off” from now on.`;
  const others = audience === null ? 'the other callers' : `the other callers in the audience ${audience}`;
  return `Listed cohorts and ${percentage}% of ${others}${place} get “on” from now on.`;
}

/**
 * Acts at once and can be undone; in a protected environment it asks first. It is not disabled while it acts: that
 * would take the focus from it.
 */
export function EnabledSwitch(props: EnabledSwitchProps) {
  const { environment, editing } = props;
  const { flag, handle } = editing;
  const found = environmentOf(useProject(), environment);
  const place = found === undefined ? '' : ` in ${found.name}`;
  const canEdit = useCanEdit();
  const turn = useTurn(props, place);
  const [asked, setAsked] = useState<boolean | null>(null);
  const nameOf = useAudienceName();
  const shown = handle.value(stateKey(environment, 'enabled')) as boolean;
  const enabled = turn.isPending ? turn.variables : shown;
  const isDrafted = Object.hasOwn(handle.draft.edits, stateKey(environment, 'enabled'));
  const { trafficPercentage = 0, audienceId = null } = flag.states[environment] ?? {};
  const audience = audienceId === null ? null : nameOf(audienceId);
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
            {asked ? 'on' : 'off'} there. {effectOf(asked, trafficPercentage, audience, place)}
          </Text>
        </ConfirmDialog>
      )}
    </div>
  );
}
