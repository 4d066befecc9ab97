import { Button, Group, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { EnvironmentView } from '../../../contracts/console/project-views.ts';
import { call } from '../../client/call.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { showDone, showFailure } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageEmpty } from '../../parts/page-states.tsx';
import { SmallButton } from '../../parts/small-button.tsx';
import { useCanAdminister, useProject, useProjectChange } from '../../shell/project-context.ts';
import { CreateEnvironment, DeleteEnvironment, RenameEnvironment } from './environment-dialogs.tsx';

/** Acts at once, and can be undone. */
function ProtectSwitch({ environment }: { readonly environment: EnvironmentView }) {
  const { id: projectId, environmentsRevision: revision } = useProject();
  const canAdminister = useCanAdminister();
  const apply = useProjectChange();
  const { number, name, isProtected } = environment;
  const protect = useMutation({
    mutationFn: (next: boolean) =>
      call('edit-environment', { projectId, number }, { revision, isProtected: next }),
    onError: showFailure,
    onSuccess: ({ project }, next) => {
      apply(project);
      showDone(`${name} is ${next ? 'protected' : 'not protected any more'}.`, () =>
        undo.mutate({ next: !next, revision: project.environmentsRevision }),
      );
    },
  });
  const undo = useMutation({
    mutationFn: (back: { next: boolean; revision: number }) =>
      call('edit-environment', { projectId, number }, { revision: back.revision, isProtected: back.next }),
    onError: showFailure,
    onSuccess: ({ project }) => apply(project),
  });
  return (
    <Switch
      color="green.8"
      aria-label={`Protect ${name}`}
      label={isProtected ? 'Yes' : 'No'}
      checked={protect.isPending ? protect.variables : isProtected}
      disabled={!canAdminister}
      onChange={(event) => {
        if (!protect.isPending) protect.mutate(event.currentTarget.checked);
      }}
    />
  );
}

type Asked =
  | { readonly what: 'create' }
  | { readonly what: 'rename' | 'delete'; readonly environment: EnvironmentView };

function columnsOf(canAdminister: boolean, ask: (asked: Asked) => void): readonly Column<EnvironmentView>[] {
  const columns: Column<EnvironmentView>[] = [
    { header: 'Environment', cell: ({ name }) => <strong>{name}</strong> },
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
      <SmallButton
        aria-label={`Delete ${environment.name}`}
        onClick={() => ask({ what: 'delete', environment })}
      >
        Delete
      </SmallButton>
    </Group>
  );
  return [...columns, { header: 'Actions', isActions: true, cell: actions }];
}

function NoEnvironments() {
  return (
    <>
      <PageHead title="Environments" />
      <PageEmpty title="A project without environments">
        Each of its flags has one state. That was chosen when the project was created.
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
        Each flag has a state of its own in each. Changes in a protected one ask for confirmation.
        {!canAdminister && ' Only Admins can create, rename, protect and delete them.'}
      </PageHead>
      {environments.length === 0 ? (
        <PageEmpty title="No environment yet" action={button}>
          Flags can be evaluated when the project has an environment.
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
