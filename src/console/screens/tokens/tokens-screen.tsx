import { Button, Checkbox, Group, NativeSelect, Radio, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import type { MadeToken, TokenView } from '../../../contracts/console/token-views.ts';
import { activeTokensMax } from '../../../domain/bounds.ts';
import type { CreateTokenBody } from '../../../operations/tokens/create-token.ts';
import { call } from '../../client/call.ts';
import { tokensQuery } from '../../client/queries.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import { Callout } from '../../parts/callout.tsx';
import { useFieldCheck } from '../../parts/checked-form.tsx';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { tokenNameRule } from '../../parts/field-rules.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { PageEmpty, PageUnread } from '../../parts/page-states.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';
import { TokenActions, TokenSecret } from './token-actions.tsx';
import { StatusMark, tokenFacts } from './token-facts.tsx';
import classes from './tokens.module.css';

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
  const { error, mark } = useFieldCheck((isDone) =>
    isDone && chosen?.length === 0 ? 'Choose at least one environment.' : null,
  );
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Environments"
        value={chosen === null ? 'every' : 'some'}
        onChange={(value) => onChoose(value === 'every' ? null : [])}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="every" label="All, and future ones" />
          <Radio
            value="some"
            label="Only these"
            description="By name: after a rename, the token is refused there."
          />
        </Stack>
      </Radio.Group>
      {chosen !== null && (
        <Checkbox.Group
          aria-label="Environments of the token"
          error={error}
          value={[...chosen]}
          onChange={onChoose}
        >
          <Group gap="md" pl="xl" pb="xs">
            {environments.map(({ name }) => (
              <Checkbox key={name} {...mark} value={name} label={name} />
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

function CreateToken(props: CreateTokenProps) {
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
      error={create.error}
      onSubmit={() => create.mutate({ name, permission, environments, expiryDays })}
      onClose={props.onClose}
    >
      <TextField
        label="Name"
        required
        data-autofocus
        rule={tokenNameRule}
        description="What uses it. The audit log shows this name."
        value={name}
        onText={setName}
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

function columnsOf(
  { id: projectId, environments }: ProjectView,
  onMade: (made: MadeToken) => void,
): readonly Column<TokenView>[] {
  const facts = tokenFacts(environments.map(({ name }) => name));
  return [
    {
      header: 'Token',
      cell: ({ id, name }) => (
        <Link to="/projects/$projectId/tokens/$tokenId" params={{ projectId, tokenId: id }}>
          <SafeName name={name} />
        </Link>
      ),
    },
    { header: 'Status', cell: (token) => <StatusMark token={token} /> },
    ...[facts.permission, facts.environments, facts.expires, facts.lastUsed, facts.lastDenied, facts.maker],
    {
      header: 'Actions',
      isActions: true,
      cell: (token) => <TokenActions isInRow token={token} onMade={onMade} />,
    },
  ];
}

function TokenNotices({ isFull }: { readonly isFull: boolean }) {
  const { organisation, isMailConfigured } = useSession();
  return (
    <div className={classes.notices}>
      {isFull && (
        <Callout tone="warn">
          This project has {activeTokensMax} tokens, which is the limit. Revoke one to create another: expired
          tokens count, too.
        </Callout>
      )}
      {organisation?.isEligible === false && (
        <Callout tone="warn">
          The Management API needs the Teams plan. Until then these tokens do not work, and cannot be created,
          rotated or revoked.
        </Callout>
      )}
      {!isMailConfigured && (
        <Callout tone="plain">
          Mail is not configured, so no member is notified when a token is refused. The emails wait until SMTP
          is set up.
        </Callout>
      )}
    </div>
  );
}

function NoTokens() {
  return (
    <>
      <PageHead title="Tokens" />
      <PageEmpty title="A personal project has no tokens">
        To use the Management API, create a project of an organisation.
      </PageEmpty>
    </>
  );
}

export function TokensScreen() {
  return useProject().isPersonal ? <NoTokens /> : <ProjectTokens />;
}

function ProjectTokens() {
  const project = useProject();
  const { organisation } = useSession();
  const mayCreate = useCanEdit() && organisation?.isEligible === true;
  const tokens = useQuery(tokensQuery(project.id));
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<MadeToken | null>(null);
  const rows = tokens.data?.tokens ?? [];
  const taken = rows.filter(({ status }) => status !== 'revoked').length;
  const isFull = taken >= activeTokensMax;
  const button = mayCreate ? (
    <Button disabled={isFull} onClick={() => setCreating(true)}>
      Create token
    </Button>
  ) : null;
  return (
    <>
      <PageHead title="Tokens" actions={rows.length > 0 ? button : null}>
        For pipelines and scripts that call the Management API. {taken} of {activeTokensMax} in use.
      </PageHead>
      <TokenNotices isFull={mayCreate && isFull} />
      <PageUnread of={tokens} what="tokens" />
      {tokens.data !== undefined && rows.length === 0 && (
        <PageEmpty title="No token yet" action={button}>
          A token lets a pipeline read or change this project’s flags. Applications that only evaluate flags
          need none.
        </PageEmpty>
      )}
      {rows.length > 0 && (
        <DataList
          label="Tokens"
          rows={rows}
          rowKey={({ id }) => id}
          columns={columnsOf(project, setMade).filter(
            ({ isActions }) => isActions !== true || rows.some(({ isManageable }) => isManageable),
          )}
        />
      )}
      {isCreating && <CreateToken onMade={setMade} onClose={() => setCreating(false)} />}
      {made !== null && <TokenSecret made={made} onClose={() => setMade(null)} />}
    </>
  );
}
