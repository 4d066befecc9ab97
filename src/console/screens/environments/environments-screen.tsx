import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { EnvironmentView } from '../../../contracts/console/project-views.ts';
import { call } from '../../client/call.ts';
import { GuardedSwitch } from '../../parts/busy-switch.tsx';
import { DangerItem } from '../../parts/danger-item.tsx';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EnvironmentName } from '../../parts/environment-name.tsx';
import { MoreActions } from '../../parts/more-actions.tsx';
import { showDone, showFailure } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageEmpty } from '../../parts/page-states.tsx';
import { SmallButton } from '../../parts/small-button.tsx';
import { useCanAdminister, useProject, useProjectChange } from '../../shell/project-context.ts';
import {
  CreateEnvironment,
  DeleteEnvironment,
  RenameEnvironment,
  Unprotect,
} from './environment-dialogs.tsx';

/** Protecting acts at once. To stop it is confirmed first, and can be undone: the way back protects again. */
function ProtectSwitch({ environment }: { readonly environment: EnvironmentView }) {
  const { id: projectId, environmentsRevision: revision } = useProject();
  const canAdminister = useCanAdminister();
  const apply = useProjectChange();
  const { number, name, isProtected } = environment;
  const protect = useMutation({
    mutationFn: ({ next, revision }: { next: boolean; revision: number }) =>
      call('edit-environment', { projectId, number }, { revision, isProtected: next }),
    onError: (error, wish) =>
      showFailure(error, {
        what: wish.next ? `Protecting ${name}` : `Stopping the protection of ${name}`,
        about: `protection of ${projectId}/${number}`,
        retry: () => protect.mutate(wish),
      }),
    onSuccess: ({ project }, { next }) => {
      apply(project);
      const again = () => protect.mutate({ next: true, revision: project.environmentsRevision });
      showDone(`${name} is ${next ? 'protected' : 'no longer protected'}.`, next ? undefined : again);
    },
  });
  return (
    <GuardedSwitch
      aria-label={`Protect ${name}`}
      label={isProtected ? 'Yes' : 'No'}
      busy={protect.isPending ? 'Saving …' : null}
      checked={isProtected}
      disabled={!canAdminister}
      onChoose={(next) => protect.mutate({ next, revision })}
      question={(answer) => <Unprotect name={name} {...answer} />}
    />
  );
}

type Asked =
  | { readonly what: 'create' }
  | { readonly what: 'rename' | 'delete'; readonly environment: EnvironmentView };

function columnsOf(canAdminister: boolean, ask: (asked: Asked) => void): readonly Column<EnvironmentView>[] {
  const columns: Column<EnvironmentView>[] = [
    { header: 'Environment', cell: (environment) => <EnvironmentName environment={environment} isBrief /> },
    { header: 'Protected', cell: (environment) => <ProtectSwitch environment={environment} /> },
  ];
  if (!canAdminister) return columns;
  const actions = (environment: EnvironmentView) => (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <SmallButton
        aria-label={`Rename ${environment.name}`}
        onClick={() => ask({ what: 'rename', environment })}
      >
        Rename
      </SmallButton>
      <MoreActions label={`More actions for ${environment.name}`}>
        <DangerItem onClick={() => ask({ what: 'delete', environment })}>
          Delete {environment.name} …
        </DangerItem>
      </MoreActions>
    </Group>
  );
  return [...columns, { header: 'Actions', isActions: true, cell: actions }];
}

function NoEnvironments() {
  return (
    <>
      <PageHead title="Environments" />
      <PageEmpty title="Single environment">
        Each flag of this project has one state. That was chosen when the project was created.
      </PageEmpty>
    </>
  );
}

export function EnvironmentsScreen() {
  return useProject().isMultiEnvironment ? <ProjectEnvironments /> : <NoEnvironments />;
}

function ProjectEnvironments() {
  const { environments } = useProject();
  const canAdminister = useCanAdminister();
  const [asked, ask] = useState<Asked | null>(null);
  const close = () => ask(null);
  const button = canAdminister ? (
    <Button onClick={() => ask({ what: 'create' })}>Create environment</Button>
  ) : null;
  return (
    <>
      <PageHead title="Environments" actions={environments.length > 0 ? button : null}>
        Each flag has its own state in each environment. Changes in protected ones ask for confirmation.
        {!canAdminister && ' Read-only: ask an Admin for changes.'}
      </PageHead>
      {environments.length === 0 ? (
        <PageEmpty title="No environment yet" action={button}>
          Applications can ask for flags once the project has an environment.
        </PageEmpty>
      ) : (
        <DataList
          label="Environments"
          rows={environments}
          rowKey={({ number }) => String(number)}
          columns={columnsOf(canAdminister, ask)}
        />
      )}
      {asked?.what === 'create' && <CreateEnvironment onClose={close} />}
      {asked?.what === 'rename' && <RenameEnvironment environment={asked.environment} onClose={close} />}
      {asked?.what === 'delete' && <DeleteEnvironment environment={asked.environment} onClose={close} />}
    </>
  );
}
