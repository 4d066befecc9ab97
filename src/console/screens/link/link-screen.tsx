import { Space, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { formatMoment } from '../../parts/format-time.ts';
import { PageError, PageLoading } from '../../parts/page-states.tsx';
import { DoorPage } from '../sign-in/door-page.tsx';
import { OpenIdButton } from '../sign-in/open-id-button.tsx';
import { LinkForm } from './link-form.tsx';
import { takeSecret } from './take-secret.ts';

const titles = {
  invitation: 'Join',
  'first-owner': 'Set up Burgee',
  'sign-in': 'Sign in',
};

const openIdVerbs = {
  invitation: 'Join with',
  'first-owner': 'Set up with',
  'sign-in': 'Sign in from now on with',
};

export function LinkScreen() {
  const [secret] = useState(takeSecret);
  const link = useQuery({
    queryKey: ['link', secret],
    queryFn: () => call('inspect-link', {}, { secret }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const use = useMutation({
    mutationFn: (given: { name?: string; email?: string; password?: string }) =>
      call('use-link', {}, { secret, ...given }),
    // A whole new page: nothing of whoever was signed in before is kept.
    onSuccess: () => window.location.replace('/console/'),
  });
  if (link.isPending) return <PageLoading what="the link" />;
  if (link.isError) {
    return (
      <DoorPage title="This link does not work">
        <PageError error={link.error} />
      </DoorPage>
    );
  }
  return (
    <DoorPage title={titles[link.data.kind]}>
      <LinkForm
        link={link.data}
        isBusy={use.isPending || use.isSuccess}
        error={use.error}
        onUse={(given) => use.mutate(given)}
      />
      <Space h="md" />
      <OpenIdButton verb={openIdVerbs[link.data.kind]} linkSecret={secret} />
      <Text size="xs" c="dimmed" mt="md">
        This link works once, until {formatMoment(link.data.expiresAt)}.
      </Text>
    </DoorPage>
  );
}
