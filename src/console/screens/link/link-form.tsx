import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { LinkView } from '../../../contracts/console/member-views.ts';
import { Failure } from '../../parts/failure.tsx';
import { roleWord } from '../../parts/role-word.ts';

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
export function LinkForm({ link, isBusy, error, onUse }: LinkFormProps) {
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
          <TextInput
            label="Your name"
            autoComplete="name"
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        {needsEmail ? (
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        ) : (
          // Password managers file the new password under it.
          <input type="hidden" autoComplete="username" value={link.email ?? ''} readOnly />
        )}
        {link.needsPassword && (
          <PasswordInput
            label="New password"
            description="12 characters or more"
            autoComplete="new-password"
            minLength={12}
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
        <Failure error={error} />
        <Button type="submit" loading={isBusy}>
          {link.kind === 'invitation' ? 'Join' : 'Continue'}
        </Button>
      </Stack>
    </form>
  );
}
