import { Checkbox, Group, NativeSelect, Radio, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MadeToken } from '../../../contracts/console/token-views.ts';
import type { CreateTokenBody } from '../../../operations/tokens/create-token.ts';
import { call } from '../../client/call.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import { useProject } from '../../shell/project-context.ts';

const expiries = [
  { days: 0, label: 'Never' },
  { days: 30, label: 'In 30 days' },
  { days: 90, label: 'In 90 days' },
  { days: 365, label: 'In 365 days' },
] as const;

interface CreateTokenProps {
  readonly onMade: (made: MadeToken) => void;
  readonly onClose: () => void;
}

interface LimitProps {
  readonly chosen: readonly string[] | null;
  readonly onChoose: (names: string[] | null) => void;
}

function EnvironmentLimit({ chosen, onChoose }: LimitProps) {
  const { environments } = useProject();
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Environments"
        value={chosen === null ? 'every' : 'some'}
        onChange={(value) => onChoose(value === 'every' ? null : [])}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="every" label="All, also those created later" />
          <Radio
            value="some"
            label="Only these"
            description="By name: once an environment is renamed, the token is refused there."
          />
        </Stack>
      </Radio.Group>
      {chosen !== null && (
        <Checkbox.Group aria-label="Environments of the token" value={[...chosen]} onChange={onChoose}>
          <Group gap="md" pl="xl">
            {environments.map(({ name }) => (
              <Checkbox key={name} value={name} label={name} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
    </Stack>
  );
}

function useCreateToken({ onMade, onClose }: CreateTokenProps) {
  const { id: projectId } = useProject();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateTokenBody) => call('create-token', { projectId }, body),
    onSuccess: (made) => {
      onClose();
      onMade(made);
      void client.invalidateQueries({ queryKey: [projectId] });
    },
  });
}

export function CreateToken(props: CreateTokenProps) {
  const { isMultiEnvironment } = useProject();
  const [name, setName] = useState('');
  const [permission, setPermission] = useState<CreateTokenBody['permission']>('read');
  const [environments, setEnvironments] = useState<string[] | null>(null);
  const [expiryDays, setExpiryDays] = useState<CreateTokenBody['expiryDays']>(90);
  const create = useCreateToken(props);
  return (
    <FormDialog
      title="Create token"
      size="lg"
      submit="Create token"
      isDirty={name !== ''}
      isBusy={create.isPending}
      isReady={environments?.length !== 0}
      error={create.error}
      onSubmit={() => create.mutate({ name, permission, environments, expiryDays })}
      onClose={props.onClose}
    >
      <TextInput
        label="Name"
        description="Say what uses it: the audit log shows this name."
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Radio.Group
        label="Permission"
        value={permission}
        onChange={(value) => setPermission(value === 'write' ? 'write' : 'read')}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="read" label="Read" description="Lists and reads flags." />
          <Radio
            value="write"
            label="Read and write"
            description="Creates flags and changes their state, too."
          />
        </Stack>
      </Radio.Group>
      {isMultiEnvironment && <EnvironmentLimit chosen={environments} onChoose={setEnvironments} />}
      <NativeSelect
        label="Expires"
        value={String(expiryDays)}
        data={expiries.map(({ days, label }) => ({ value: String(days), label }))}
        onChange={(event) => {
          const found = expiries.find(({ days }) => String(days) === event.currentTarget.value);
          setExpiryDays(found?.days ?? 90);
        }}
      />
    </FormDialog>
  );
}
