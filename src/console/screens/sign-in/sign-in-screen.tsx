import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { type AnswerOf, call } from '../../client/call.ts';
import { Failure } from '../../parts/failure.tsx';
import { DoorPage } from './door-page.tsx';
import { OpenIdButton } from './open-id-button.tsx';
import { OpenIdRefused } from './open-id-refused.tsx';

type Choice = AnswerOf<'sign-in'>['choices'][number];
const route = getRouteApi('/sign-in');

/** A whole new page: nothing of whoever was signed in before is kept. Only the console's own addresses are gone back to. */
function enter(back: string | undefined): void {
  window.location.replace(back?.startsWith('/console/') ? back : '/console/');
}

interface ChoicesProps {
  readonly choices: readonly Choice[];
  readonly isBusy: boolean;
  readonly onChoose: (memberId: string) => void;
}

function Choices({ choices, isBusy, onChoose }: ChoicesProps) {
  return (
    <Stack gap="xs">
      <p>This email and password belong to several organisations. Which one?</p>
      {choices.map(({ memberId, organisationName }) => (
        <Button key={memberId} variant="default" loading={isBusy} onClick={() => onChoose(memberId)}>
          {organisationName}
        </Button>
      ))}
    </Stack>
  );
}

interface PasswordFormProps {
  readonly isBusy: boolean;
  readonly onSubmit: (email: string, password: string) => void;
}

function PasswordForm({ isBusy, onSubmit }: PasswordFormProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(email, password);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={isBusy}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

export function SignInScreen() {
  const { back, openid } = route.useSearch();
  const [credentials, setCredentials] = useState({ email: '', password: '' });
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  useEffect(() => {
    document.title = 'Sign in · Burgee';
  }, []);
  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string; memberId?: string }) => call('sign-in', {}, body),
    onSuccess: (answer) => {
      if (answer.choices.length > 0) setChoices(answer.choices);
      else enter(back);
    },
  });
  return (
    <DoorPage title="Sign in">
      <Stack gap="md">
        {openid !== undefined && signIn.isIdle && <OpenIdRefused refusal={openid} />}
        <Failure error={signIn.error} />
        {choices.length > 0 ? (
          <Choices
            choices={choices}
            isBusy={signIn.isPending}
            onChoose={(memberId) => signIn.mutate({ ...credentials, memberId })}
          />
        ) : (
          <PasswordForm
            isBusy={signIn.isPending || signIn.isSuccess}
            onSubmit={(email, password) => {
              setCredentials({ email, password });
              signIn.mutate({ email, password });
            }}
          />
        )}
        <OpenIdButton verb="Sign in with" back={back} />
        <Text size="xs" c="dimmed">
          No password, or forgotten? An Admin of your organisation can create a sign-in link for you.
        </Text>
      </Stack>
    </DoorPage>
  );
}
