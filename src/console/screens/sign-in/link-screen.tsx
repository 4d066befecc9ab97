import { Button, Space, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { LinkView } from '../../../contracts/console/member-views.ts';
import { call } from '../../client/call.ts';
import { Failure } from '../../parts/callout.tsx';
import { formatMoment } from '../../parts/format-time.ts';
import { PageError, PageLoading } from '../../parts/page-states.tsx';
import { EmailField, NewPasswordField, TextField } from '../../parts/text-field.tsx';
import { roleWord } from '../../parts/words.ts';
import { DoorPage } from './door-page.tsx';
import { OpenIdButton } from './open-id-button.tsx';

let taken: string | null = null;

/**
 * The secret of a one-time link. It is removed from the address at once, so that history and bookmarks do not keep it.
 */
function takeSecret(): string {
  const fragment = window.location.hash.slice(1);
  if (fragment !== '') {
    taken = fragment;
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }
  return taken ?? '';
}

interface Given {
  readonly name?: string;
  readonly email?: string;
  readonly password?: string;
}

interface LinkFormProps {
  readonly link: LinkView;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onUse: (given: Given) => void;
}

function leadOf({ kind, organisationName, role, name, email }: LinkView): string {
  const where = organisationName ?? 'Burgee';
  if (kind === 'invitation') {
    const account = email === null ? '' : ` You sign in with ${email}.`;
    return `You are invited to ${where} as ${role === null ? 'member' : roleWord(role)}.${account}`;
  }
  if (kind === 'first-owner') return `You will be the first Owner of ${where}.`;
  return `Sign in to ${where}${name === null ? '' : ` as ${name}`}${email === null ? '' : ` (${email})`}.`;
}

/** Asks for what the account lacks, and uses the link only when the button is pressed. */
function LinkForm({ link, isBusy, error, onUse }: LinkFormProps) {
  const [name, setName] = useState(link.name ?? '');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const needsEmail = link.email === null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onUse({
      ...(link.needsName ? { name } : {}),
      ...(needsEmail ? { email } : {}),
      ...(link.needsPassword ? { password } : {}),
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{leadOf(link)}</Text>
        {link.needsName && (
          <TextField label="Your name" autoComplete="name" required value={name} onText={setName} />
        )}
        {needsEmail ? (
          <EmailField value={email} onText={setEmail} />
        ) : (
          // Password managers store the new password under it.
          <input type="hidden" autoComplete="username" value={link.email ?? ''} readOnly />
        )}
        {link.needsPassword && <NewPasswordField value={password} onText={setPassword} />}
        <Failure error={error} />
        <Button type="submit" loading={isBusy}>
          {link.kind === 'invitation' ? 'Join' : 'Continue'}
        </Button>
      </Stack>
    </form>
  );
}

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
    // Loads the page anew, so that nothing of the former session is kept.
    onSuccess: () => window.location.replace('/console/'),
  });
  if (link.isPending) return <PageLoading isWindow what="the link" />;
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
