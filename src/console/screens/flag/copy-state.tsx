import { ActionIcon, Button, Group, Menu, Stack, Text } from '@mantine/core';
import CopyPlus from 'lucide-react/icons/copy-plus';
import { useState } from 'react';
import { changesBetween, type Fields } from '../../draft/draft.ts';
import { copiedState } from '../../draft/flag-fields.ts';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { ChangeList } from '../../parts/change-list.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EnvironmentName } from '../../parts/environment-name.tsx';
import { showDone } from '../../parts/notices.tsx';
import { useProject } from '../../shell/project-context.ts';
import { draftedState, environmentOf } from './card-state.ts';
import classes from './flag.module.css';
import { showFlagChange, useAudienceName } from './use-flag-editing.ts';

interface CopyStateProps {
  readonly environment: string;
  readonly handle: DraftHandle;
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
  const [from, to] = [environment, target].map((number) => environmentOf(project, number)?.name);
  const copy = () => {
    handle.edit(copied);
    showDone(`Copied ${from} to ${to} in the draft. Not saved yet.`);
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
            Add to draft
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Copies this environment's state to another one, in the draft, after showing the changes. */
export function CopyState({ environment, handle }: CopyStateProps) {
  const { environments } = useProject();
  const [target, setTarget] = useState<string | null>(null);
  const others = environments.filter(({ number }) => String(number) !== environment);
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label="Copy to …" title="Copy to …">
            <CopyPlus aria-hidden="true" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown className={classes.menu}>
          <Menu.Label>Copy this state to</Menu.Label>
          {others.map((other) => (
            <Menu.Item key={other.number} onClick={() => setTarget(String(other.number))}>
              <EnvironmentName environment={other} isBrief />
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
