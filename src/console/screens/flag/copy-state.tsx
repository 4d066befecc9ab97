import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { StateView } from '../../../contracts/console/flag-views.ts';
import { changesBetween, type Fields } from '../../draft/fields.ts';
import { copiedState, stateKey } from '../../draft/flag-fields.ts';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { ChangeList } from '../../parts/change-list.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { showNotice } from '../../parts/notices.ts';
import { useProject } from '../../shell/project-context.ts';
import { environmentName, showFlagChange } from './show-flag-change.ts';
import { useAudienceName } from './use-audience-names.ts';

interface CopyStateProps {
  readonly environment: string;
  readonly handle: DraftHandle;
}

function draftedState(handle: DraftHandle, environment: string): StateView {
  return {
    enabled: handle.value(stateKey(environment, 'enabled')) as boolean,
    trafficPercentage: handle.value(stateKey(environment, 'trafficPercentage')) as number,
    cohortOverride: handle.value(stateKey(environment, 'cohortOverride')) as string[] | null,
    audienceId: handle.value(stateKey(environment, 'audienceId')) as string | null,
  };
}

interface CopyDialogProps extends CopyStateProps {
  readonly target: string;
  readonly onClose: () => void;
}

function CopyDialog({ environment, handle, target, onClose }: CopyDialogProps) {
  const project = useProject();
  const audienceName = useAudienceName();
  const copied = copiedState(draftedState(handle, environment), target);
  const present: Fields = Object.fromEntries(Object.keys(copied).map((key) => [key, handle.value(key)]));
  const changes = changesBetween(present, copied).map(showFlagChange(project));
  const [from, to] = [environmentName(project, environment), environmentName(project, target)];
  const copy = () => {
    handle.edit(copied);
    showNotice({
      tone: 'done',
      message: `${to} has the state of ${from} in the draft. It is not saved yet.`,
    });
    onClose();
  };
  return (
    <Dialog onClose={onClose} size="lg" title={`Copy the state of ${from} to ${to}`}>
      <Stack gap="md">
        {changes.length === 0 ? (
          <Text size="sm">Both are the same already.</Text>
        ) : (
          <ChangeList changes={changes} audienceName={audienceName} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button data-autofocus disabled={changes.length === 0} onClick={copy}>
            Apply to the draft
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Gives another environment this one's state, as a draft that is shown first. */
export function CopyState({ environment, handle }: CopyStateProps) {
  const { environments } = useProject();
  const [target, setTarget] = useState<string | null>(null);
  const others = environments.filter(({ number }) => String(number) !== environment);
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <Button size="compact-sm" variant="default">
            Copy to …
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {others.map(({ number, name }) => (
            <Menu.Item key={number} onClick={() => setTarget(String(number))}>
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {target !== null && (
        <CopyDialog
          environment={environment}
          handle={handle}
          target={target}
          onClose={() => setTarget(null)}
        />
      )}
    </>
  );
}
