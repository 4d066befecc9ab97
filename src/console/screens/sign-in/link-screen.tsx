import { Button, Space, Stack, Text } from '@mantine/core';
import { type UseMutationResult, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import type { LinkView } from '../../../contracts/console/member-views.ts';
import { firstOrganisationName } from '../../../domain/organisation/organisation.ts';
import { consolePath } from '../../client/base-path.ts';
import { call } from '../../client/call.ts';
import { ConsoleError } from '../../client/console-error.ts';
import { Failure } from '../../parts/callout.tsx';
import { CheckedForm } from '../../parts/checked-form.tsx';
import { nameRule } from '../../parts/field-rules.ts';
import { formatMoment } from '../../parts/format-time.ts';
import { PageLoading } from '../../parts/page-states.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { EmailField, NewPasswordField, TextField } from '../../parts/text-field.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { roleWord } from '../../parts/words.ts';
import { EntryPage } from './entry-page.tsx';
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
  readonly organisation?: string;
  readonly password?: string;
}

interface LinkFormProps {
  readonly link: LinkView;
  readonly organisation: string;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onOrganisation: (name: string) => void;
  readonly onUse: (given: Given) => void;
}

function leadOf({ kind, organisationName, role, name, email }: LinkView): ReactNode {
  const where = <SafeName name={organisationName ?? 'Burgee'} />;
  if (kind === 'first-owner') return 'Name your organisation. You become its first Owner.';
  if (kind === 'invitation') {
    return (
      <>
        You are invited to {where} as {role === null ? 'member' : roleWord(role)}.
        {email !== null && ` You sign in with ${visibleName(email)}.`}
      </>
    );
  }
  return (
    <>
      Sign in to {where}
      {name !== null && ` as ${visibleName(name)}`}
      {email !== null && ` (${visibleName(email)})`}.
    </>
  );
}

/** Asks for what the account lacks, and uses the link only when the button is pressed. */
function LinkForm({ link, organisation, isBusy, error, onOrganisation, onUse }: LinkFormProps) {
  const [name, setName] = useState(link.name ?? '');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const needsEmail = link.email === null;
  const submit = () =>
    onUse({
      ...(link.needsOrganisation ? { organisation } : {}),
      ...(link.needsName ? { name } : {}),
      ...(needsEmail ? { email } : {}),
      ...(link.needsPassword ? { password } : {}),
    });
  return (
    <CheckedForm onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{leadOf(link)}</Text>
        {link.needsOrganisation && (
          <TextField
            label="Organisation"
            description="Your company or team. Owners can rename it later."
            autoComplete="organization"
            required
            rule={nameRule}
            value={organisation}
            onText={onOrganisation}
          />
        )}
        {link.needsName && (
          <TextField
            label="Your name"
            autoComplete="name"
            required
            rule={nameRule}
            value={name}
            onText={setName}
          />
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
    </CheckedForm>
  );
}

/** A link that is over gives no second chance: the way on is to sign in. */
function LinkOver({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const isOver = error instanceof ConsoleError && error.status === 410;
  if (!isOver) {
    return (
      <EntryPage title="This link could not be checked">
        <Stack gap="md">
          <Failure error={error} />
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        </Stack>
      </EntryPage>
    );
  }
  return (
    <EntryPage title="This link no longer works">
      <Stack gap="md">
        <div role="alert">
          <Text size="sm">
            It was used, has expired or was withdrawn. If you have an account, sign in. If not, ask an Admin
            of your organisation for a new link.
          </Text>
        </div>
        <Button renderRoot={(props) => <Link to="/sign-in" {...props} />}>Sign in</Button>
        <Text size="xs" c="dimmed">
          The operator of this service can make one, too: <code>burgee member sign-in-link</code>
        </Text>
      </Stack>
    </EntryPage>
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

/** Another link may be opened in the same tab: the browser changes only the end of the address then. */
export function LinkScreen() {
  const [secret, setSecret] = useState(takeSecret);
  useEffect(() => {
    const takeNext = () => setSecret(takeSecret());
    window.addEventListener('hashchange', takeNext);
    return () => window.removeEventListener('hashchange', takeNext);
  }, []);
  return <FollowedLink key={secret} secret={secret} />;
}

function FollowedLink({ secret }: { readonly secret: string }) {
  const link = useQuery({
    queryKey: ['link', secret],
    queryFn: () => call('inspect-link', {}, { secret }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const use = useMutation({
    mutationFn: (given: Given) => call('use-link', {}, { secret, ...given }),
    // Loads the page anew, so that nothing of the former session is kept.
    onSuccess: () => window.location.replace(consolePath),
  });
  if (link.isPending) return <PageLoading isWindow what="the link" />;
  if (link.isError) return <LinkOver error={link.error} onRetry={() => void link.refetch()} />;
  // The link may have been used in another window meanwhile.
  if (use.error instanceof ConsoleError && use.error.status === 410) {
    return <LinkOver error={use.error} onRetry={() => undefined} />;
  }
  return <UsableLink link={link.data} secret={secret} use={use} />;
}

interface UsableLinkProps {
  readonly link: LinkView;
  readonly secret: string;
  readonly use: UseMutationResult<unknown, Error, Given>;
}

/** A new install's organisation has a name that means nothing, and is not offered. */
function offeredName({ organisationName }: LinkView): string {
  return organisationName === null || organisationName === firstOrganisationName ? '' : organisationName;
}

function UsableLink({ link, secret, use }: UsableLinkProps) {
  const [organisation, setOrganisation] = useState(offeredName(link));
  const isNamed = link.needsOrganisation && nameRule.problemOf(organisation, true) === null;
  return (
    <EntryPage title={titles[link.kind]}>
      <LinkForm
        link={link}
        organisation={organisation}
        isBusy={use.isPending || use.isSuccess}
        error={use.error}
        onOrganisation={setOrganisation}
        onUse={(given) => use.mutate(given)}
      />
      <Space h="md" />
      <OpenIdButton
        verb={openIdVerbs[link.kind]}
        linkSecret={secret}
        organisation={isNamed ? organisation : undefined}
      />
      <Text size="xs" c="dimmed" mt="md">
        This link works once, until {formatMoment(link.expiresAt)}.
      </Text>
    </EntryPage>
  );
}
