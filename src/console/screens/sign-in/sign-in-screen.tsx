import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { OpenIdRefusal } from '../../../domain/session/open-id-rules.ts';
import { consolePath } from '../../client/base-path.ts';
import { type AnswerOf, call } from '../../client/call.ts';
import { ConsoleError } from '../../client/console-error.ts';
import { sessionQuery } from '../../client/queries.ts';
import { Callout, Failure } from '../../parts/callout.tsx';
import { CheckedForm } from '../../parts/checked-form.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { EmailField, PasswordField } from '../../parts/text-field.tsx';
import { EntryPage } from './entry-page.tsx';
import { OpenIdButton } from './open-id-button.tsx';

const signInLink = 'ask an Admin for a sign-in link, open it and choose';

/** Why a person who returned from the provider is not signed in, and what to do. @param name of the provider */
function openIdWords(refusal: OpenIdRefusal, name: string): string {
  const words: Readonly<Record<OpenIdRefusal, string>> = {
    denied: `${name} cancelled or refused the sign-in. Try again, or sign in another way.`,
    expired: `This sign-in is too old, was used already, or began in another browser or at another address of Burgee. Start again here.`,
    'provider-failed': `Burgee could not use the answer of ${name}. Start again. If that fails, too, tell the operator of this service: the log has the reason.`,
    'provider-unreachable': `${name} did not answer in time. Try again in a moment, or sign in another way.`,
    unavailable: 'Burgee could not finish the sign-in just now. Try again in a moment.',
    'email-not-verified': `${name} has not verified your email, so Burgee cannot tell which member you are. Verify it there, or open your invitation. If you are a member already, ${signInLink} ${name} there.`,
    'not-a-member': `No member has the email that ${name} knows you by. If you were invited, open that link. Otherwise ask an Admin to invite you.`,
    'several-members': `Members of several organisations have your email. Sign in with a password, or ${signInLink} ${name} there.`,
    'other-account': `The member with your email signs in with another account of ${name}. If this is your account now, ${signInLink} ${name} there.`,
    'account-taken': `This account of ${name} belongs to another member. Open the link again, and use another account or a password.`,
    'link-over':
      'This link was used, has expired or was withdrawn. Ask an Admin of your organisation for a new one.',
    'email-taken':
      'A member of the organisation already has the email of this link. Sign in as that member, or ask an Admin for a sign-in link.',
    'organisation-full':
      'The organisation has no room for more members. Ask an Admin to remove some, then open the link again.',
  };
  return words[refusal];
}

/** Why the return from the OpenID provider ended on this page. */
function OpenIdRefused({ refusal }: { readonly refusal: OpenIdRefusal }) {
  const session = useQuery(sessionQuery);
  return (
    <div role="alert">
      <Callout tone="warn">{openIdWords(refusal, session.data?.openIdName ?? 'the provider')}</Callout>
    </div>
  );
}

/** An unknown email and a wrong password get the same answer; what to do is below the form. */
function SignInFailure({ error }: { readonly error: Error | null }) {
  const isWrong = error instanceof ConsoleError && error.status === 401;
  if (!isWrong) return <Failure error={error} />;
  return (
    <div role="alert">
      <Callout tone="failed">Wrong email or password.</Callout>
    </div>
  );
}

type Choice = AnswerOf<'sign-in'>['choices'][number];
const route = getRouteApi('/sign-in');

/** Loads the page anew, so that nothing of the former session is kept. `back` must be an address of the console. */
function enter(back: string | undefined): void {
  window.location.replace(back?.startsWith(consolePath) ? back : consolePath);
}

interface ChoicesProps {
  readonly choices: readonly Choice[];
  readonly isBusy: boolean;
  readonly onChoose: (memberId: string) => void;
}

function Choices({ choices, isBusy, onChoose }: ChoicesProps) {
  return (
    <Stack gap="xs">
      <p>You belong to several organisations. Which one?</p>
      {choices.map(({ memberId, organisationName }) => (
        <Button key={memberId} variant="default" loading={isBusy} onClick={() => onChoose(memberId)}>
          <SafeName name={organisationName} />
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
  return (
    <CheckedForm onSubmit={() => onSubmit(email, password)}>
      <Stack gap="md">
        <EmailField autoFocus value={email} onText={setEmail} />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          value={password}
          onText={setPassword}
        />
        <Button type="submit" loading={isBusy}>
          Sign in
        </Button>
      </Stack>
    </CheckedForm>
  );
}

/** In place of the form while there is no member who could sign in. */
function SetUp() {
  return (
    <EntryPage title="Set up Burgee">
      <Stack gap="md">
        <Text size="sm">
          This install has no members yet. When it started, its server printed a link to its output: open that
          link to become the first Owner. With Docker, <code>docker logs</code> shows the output.
        </Text>
        <Text size="xs" c="dimmed">
          The link works for 24 hours. A restart prints another one.
        </Text>
      </Stack>
    </EntryPage>
  );
}

export function SignInScreen() {
  const session = useQuery(sessionQuery);
  return session.data?.hasMembers === false ? <SetUp /> : <SignIn />;
}

function SignIn() {
  const { back, openid } = route.useSearch();
  const [credentials, setCredentials] = useState({ email: '', password: '' });
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string; memberId?: string }) => call('sign-in', {}, body),
    onSuccess: (answer) => {
      if (answer.choices.length > 0) setChoices(answer.choices);
      else enter(back);
    },
  });
  return (
    <EntryPage title="Sign in">
      <Stack gap="md">
        {openid !== undefined && signIn.isIdle && <OpenIdRefused refusal={openid} />}
        <SignInFailure error={signIn.error} />
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
          No password, or forgot it? An Admin of your organisation can make you a sign-in link.
        </Text>
      </Stack>
    </EntryPage>
  );
}
