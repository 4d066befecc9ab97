import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../client/call.ts';
import { sessionQuery, sessionsQuery } from '../../client/queries.ts';
import { Failure } from '../../parts/failure.tsx';
import { showNotice } from '../../parts/notices.ts';

export function ChangePassword({ hasPassword }: { readonly hasPassword: boolean }) {
  const client = useQueryClient();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () => call('change-password', {}, { password, ...(hasPassword ? { current } : {}) }),
    onSuccess: () => {
      setCurrent('');
      setPassword('');
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      showNotice({ tone: 'done', message: 'The new password holds from now on.' });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md" maw={420}>
        {hasPassword && (
          <PasswordInput
            label="Present password"
            autoComplete="current-password"
            required
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
        )}
        <PasswordInput
          label="New password"
          description="12 characters or more"
          autoComplete="new-password"
          minLength={12}
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Failure error={change.error} />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {hasPassword ? 'Change password' : 'Set password'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
