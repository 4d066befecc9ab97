import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { EnvironmentView } from '../../../contracts/console/project-views.ts';
import { call } from '../../client/call.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import { Callout } from '../../parts/callout.tsx';
import { showNotice } from '../../parts/notices.ts';
import { useProject } from '../../shell/project-context.ts';
import { environmentNameHint } from './environment-name-hint.ts';
import { TokenImpact, useImpact } from './token-impact.tsx';
import { useProjectChange } from './use-project-change.ts';

interface RenameEnvironmentProps {
  readonly environment: EnvironmentView;
  readonly onClose: () => void;
}

interface MeanwhileProps {
  readonly begun: string;
  /** Undefined when it is gone. */
  readonly present: string | undefined;
}

/** What others have done to it since the dialog was opened. */
function Meanwhile({ begun, present }: MeanwhileProps) {
  if (present === begun) return null;
  return (
    <Callout tone="warn">
      {present === undefined ? (
        'Somebody else has deleted it meanwhile.'
      ) : (
        <>
          Somebody else has renamed it to <strong>{present}</strong> meanwhile.
        </>
      )}
    </Callout>
  );
}

/** Flags follow a rename; tokens limited to the old name and applications that ask for it do not. */
export function RenameEnvironment({ environment, onClose }: RenameEnvironmentProps) {
  const { id: projectId, environments, environmentsRevision: revision } = useProject();
  const { number } = environment;
  const apply = useProjectChange();
  const [name, setName] = useState(environment.name);
  // What is sent goes on top of what this page shows, so it shows what others have done since the dialog was opened.
  const present = environments.find((each) => each.number === number);
  const presentName = present?.name ?? environment.name;
  const isNew = present !== undefined && name !== '' && name !== presentName;
  const { impact, isKnown, error } = useImpact(number, name);
  const rename = useMutation({
    mutationFn: (_from: string) => call('edit-environment', { projectId, number }, { revision, name }),
    onSuccess: ({ project }, from) => {
      apply(project);
      showNotice({ tone: 'done', message: `${from} is now ${name}.` });
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Rename ${environment.name}`}
      submit="Rename"
      isDirty={name !== environment.name}
      isBusy={rename.isPending}
      isReady={isNew && isKnown}
      error={rename.error ?? (isNew ? error : null)}
      onSubmit={() => rename.mutate(presentName)}
      onClose={onClose}
    >
      <TextInput
        label="New name"
        description={environmentNameHint}
        required
        data-autofocus
        spellCheck={false}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {!rename.isPending && <Meanwhile begun={environment.name} present={present?.name} />}
      <Callout tone="plain">
        Flags keep their state. Applications that ask for <strong>{presentName}</strong> get 404 until they
        ask for the new name.
      </Callout>
      {isNew && <TokenImpact impact={impact} />}
    </FormDialog>
  );
}
