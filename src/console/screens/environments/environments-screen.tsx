import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { EnvironmentView } from '../../../contracts/console/project-views.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageEmpty } from '../../parts/page-states.tsx';
import { useCanAdminister, useProject } from '../../shell/project-context.ts';
import { CreateEnvironment } from './create-environment.tsx';
import { DeleteEnvironment } from './delete-environment.tsx';
import { ProtectSwitch } from './protect-switch.tsx';
import { RenameEnvironment } from './rename-environment.tsx';

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
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Rename ${environment.name}`}
        onClick={() => ask({ what: 'rename', environment })}
      >
        Rename
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Delete ${environment.name}`}
        onClick={() => ask({ what: 'delete', environment })}
      >
        Delete
      </Button>
    </Group>
  );
  return [...columns, { header: 'Actions', isActions: true, cell: actions }];
}

function NoEnvironments() {
  return (
    <>
      <PageHeader title="Environments" />
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
      <PageHeader title="Environments" actions={environments.length > 0 ? button : null}>
        Each flag has a state of its own in each. Changes in a protected one ask for confirmation.
        {!canAdminister && ' Only an Admin creates, renames, protects and deletes them.'}
      </PageHeader>
      {environments.length === 0 ? (
        <PageEmpty title="No environment yet" action={button}>
          Flags begin to answer once there is an environment to ask for.
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
