import { ActionIcon, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import CopyPlus from 'lucide-react/icons/copy-plus';
import { useState } from 'react';
import { changesBetween, type Fields } from '../../draft/draft.ts';
import { copiedState } from '../../draft/flag-fields.ts';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { ChangeList } from '../../parts/change-list.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { showDone } from '../../parts/notices.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { useProject } from '../../shell/project-context.ts';
import { draftedState, environmentOf } from './card-state.ts';
import { showFlagChange, useAudienceName } from './use-flag-editing.ts';

interface CopyStateProps {
  readonly environment: string;
  readonly handle: DraftHandle;
}

interface CopyDialogProps extends CopyStateProps {
  readonly onClose: () => void;
}

function CopyDialog({ environment, handle, onClose }: CopyDialogProps) {
  const project = useProject();
  const audienceName = useAudienceName();
  const others = project.environments.filter(({ number }) => String(number) !== environment);
  const [target, setTarget] = useState(others.length === 1 ? String(others[0]?.number) : null);
  const copied = target === null ? {} : copiedState(draftedState(handle, environment), target);
  const present: Fields = Object.fromEntries(Object.keys(copied).map((key) => [key, handle.value(key)]));
  const changes = changesBetween(present, copied).map(showFlagChange(project));
  const nameOf = (number: string) => visibleName(environmentOf(project, number)?.name ?? '');
  const from = nameOf(environment);
  const copy = () => {
    handle.edit(copied);
    showDone(`Copied ${from} to ${nameOf(target ?? '')} in the draft. Not saved yet.`);
    onClose();
  };
  return (
    <Dialog onClose={onClose} size="lg" title={`Copy the state of ${from}`}>
      <Stack gap="md">
        <Select
          label="To"
          placeholder="Environment"
          searchable
          data-autofocus
          allowDeselect={false}
          nothingFoundMessage="No matching environment"
          data={others.map(({ number, name }) => ({ value: String(number), label: visibleName(name) }))}
          value={target}
          onChange={setTarget}
        />
        {target !== null && changes.length === 0 && <Text size="sm">Both are the same already.</Text>}
        {changes.length > 0 && <ChangeList changes={changes} audienceName={audienceName} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={changes.length === 0} onClick={copy}>
            Add to draft
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Copies this environment's state to another one, in the draft, after showing the changes. */
export function CopyState({ environment, handle }: CopyStateProps) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Copy to …"
        title="Copy to …"
        onClick={dialog.open}
      >
        <CopyPlus aria-hidden="true" />
      </ActionIcon>
      {isOpen && <CopyDialog environment={environment} handle={handle} onClose={dialog.close} />}
    </>
  );
}
