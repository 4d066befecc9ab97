import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MadeToken } from '../../../contracts/console/token-views.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { tokensQuery } from '../../client/queries.ts';
import { Callout } from '../../parts/callout.tsx';
import { DataList } from '../../parts/data-list.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageEmpty, PageError, PageLoading } from '../../parts/page-states.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';
import { CreateToken } from './create-token.tsx';
import { tokenColumns } from './token-columns.tsx';
import classes from './tokens.module.css';

/** At most so many that are not revoked; those that have expired count (specification, limits). */
const tokensMax = 50;

function TokenNotices({ isFull }: { readonly isFull: boolean }) {
  const { organisation, isMailConfigured } = useSession();
  return (
    <div className={classes.notices}>
      {isFull && (
        <Callout tone="warn">
          A project has at most {tokensMax} tokens. Revoke one to create another; those that have expired
          count until they are revoked.
        </Callout>
      )}
      {organisation?.isEligible === false && (
        <Callout tone="warn">
          The Management API needs the Teams plan. Tokens are shown, and cannot be created, rotated or
          revoked. Those that exist work again as soon as the plan does.
        </Callout>
      )}
      {!isMailConfigured && (
        <Callout tone="plain">
          Mail is not configured: nobody is told when a token is refused. The emails are kept, and go out once
          SMTP is set up.
        </Callout>
      )}
    </div>
  );
}

export function TokenSecret({ made, onClose }: { readonly made: MadeToken; readonly onClose: () => void }) {
  return (
    <SecretOnce
      title={`Token ${made.token.name}`}
      what="token secret"
      secret={made.secret}
      note="This is the only time the secret is shown. Put it where your secrets are kept; it cannot be read here again."
      onClose={onClose}
    />
  );
}

function NoTokens() {
  return (
    <>
      <PageHeader title="Tokens" />
      <PageEmpty title="A personal project has no tokens">
        Use a project of an organisation for access through the Management API.
      </PageEmpty>
    </>
  );
}

export function TokensScreen() {
  return useProject().isPersonal ? <NoTokens /> : <ProjectTokens />;
}

function ProjectTokens() {
  const { id: projectId, environments } = useProject();
  const { organisation } = useSession();
  const mayCreate = useCanEdit() && organisation?.isEligible === true;
  const tokens = useQuery(tokensQuery(projectId));
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<MadeToken | null>(null);
  const rows = tokens.data?.tokens ?? [];
  const taken = rows.filter(({ status }) => status !== 'revoked').length;
  const isFull = taken >= tokensMax;
  const button = mayCreate ? (
    <Button disabled={isFull} onClick={() => setCreating(true)}>
      Create token
    </Button>
  ) : null;
  return (
    <>
      <PageHeader title="Tokens" actions={rows.length > 0 ? button : null}>
        For pipelines and scripts that call the Management API. {taken} of {tokensMax} in use.
      </PageHeader>
      <TokenNotices isFull={mayCreate && isFull} />
      {tokens.isPending && <PageLoading what="tokens" />}
      {isUnreadable(tokens) && <PageError error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.data !== undefined && rows.length === 0 && (
        <PageEmpty title="No token yet" action={button}>
          A token lets a pipeline read or change the flags of this project. Applications that only ask need
          none.
        </PageEmpty>
      )}
      {rows.length > 0 && (
        <DataList
          label="Tokens"
          rows={rows}
          rowKey={({ id }) => id}
          columns={tokenColumns({ projectId, known: environments.map(({ name }) => name), onMade: setMade })}
        />
      )}
      {isCreating && <CreateToken onMade={setMade} onClose={() => setCreating(false)} />}
      {made !== null && <TokenSecret made={made} onClose={() => setMade(null)} />}
    </>
  );
}
