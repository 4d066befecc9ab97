import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { MadeToken, TokenActivity, TokenView } from '../../../contracts/console/token-views.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { tokenQuery } from '../../client/queries.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageError, PageLoading } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { useProject } from '../../shell/project-context.ts';
import { TokenActions } from './token-actions.tsx';
import { ExpiryWords, permissionWords, StatusMark, TokenEnvironments } from './token-words.tsx';
import classes from './tokens.module.css';
import { TokenSecret } from './tokens-screen.tsx';

const route = getRouteApi('/shell/projects/$projectId/tokens/$tokenId');

type Use = TokenActivity['uses'][number];
type Denial = TokenActivity['denials'][number];

const useColumns: readonly Column<Use>[] = [
  { header: 'When', cell: ({ at }) => <TimeAgo at={at} /> },
  { header: 'Request', cell: ({ route: path }) => <code>{path}</code> },
  { header: 'Environment', cell: ({ environment }) => environment ?? '–' },
  { header: 'From', cell: ({ address }) => address },
  { header: 'Times', cell: ({ count }) => count.toLocaleString('en') },
];

const denialColumns: readonly Column<Denial>[] = [
  { header: 'When', cell: ({ at }) => <TimeAgo at={at} /> },
  { header: 'Why', cell: ({ reason }) => reason.replaceAll('-', ' ') },
  { header: 'Request', cell: ({ route: path }) => <code>{path}</code> },
  { header: 'Environment', cell: ({ environment }) => environment ?? '–' },
  { header: 'From', cell: ({ address }) => address },
];

function Facts({ token }: { readonly token: TokenView }) {
  const { environments } = useProject();
  return (
    <dl className={classes.facts}>
      <div>
        <dt>Last used</dt>
        <dd>
          <TimeAgo at={token.lastUsedAt} />
        </dd>
      </div>
      <div>
        <dt>Last denied</dt>
        <dd>
          <TimeAgo at={token.lastDeniedAt} />
        </dd>
      </div>
      <div>
        <dt>Permission</dt>
        <dd>{permissionWords(token.permission)}</dd>
      </div>
      <div>
        <dt>Environments</dt>
        <dd>
          <TokenEnvironments environments={token.environments} known={environments.map(({ name }) => name)} />
        </dd>
      </div>
      <div>
        <dt>Expires</dt>
        <dd>
          <ExpiryWords expiresAt={token.expiresAt} />
        </dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <TimeAgo at={token.createdAt} />
          {token.createdByName !== null && <div className={classes.by}>by {token.createdByName}</div>}
        </dd>
      </div>
    </dl>
  );
}

interface RowsProps<Row> {
  readonly title: string;
  readonly none: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
}

/** Rows have no id of their own. */
interface Numbered<Row> {
  readonly row: Row;
  readonly index: number;
}

function Activity<Row>({ title, none, rows, columns }: RowsProps<Row>) {
  const numbered = rows.map((row, index): Numbered<Row> => ({ row, index }));
  const shown = columns.map(
    ({ header, cell }): Column<Numbered<Row>> => ({ header, cell: ({ row }) => cell(row) }),
  );
  return (
    <Panel title={title} isFlush={rows.length > 0}>
      {rows.length === 0 ? (
        <p className={classes.none}>{none}</p>
      ) : (
        <DataList
          isFlush
          label={title}
          rows={numbered}
          rowKey={({ index }) => String(index)}
          columns={shown}
        />
      )}
    </Panel>
  );
}

/** What a token was used for lately, and what it was refused. */
export function TokenScreen() {
  const { id: projectId } = useProject();
  const { tokenId } = route.useParams();
  const [made, setMade] = useState<MadeToken | null>(null);
  const activity = useQuery({ ...tokenQuery(projectId, tokenId), refetchInterval: 10_000 });
  if (activity.isPending) return <PageLoading what="the token" />;
  // What a later reading fails at does not take away what was read.
  if (isUnreadable(activity)) {
    const all = (
      <Link to="/projects/$projectId/tokens" params={{ projectId }}>
        All tokens
      </Link>
    );
    return <PageError isPage error={activity.error} onRetry={() => void activity.refetch()} action={all} />;
  }
  const { token, uses, denials } = activity.data;
  return (
    <>
      <PageHeader
        title={token.name}
        above={
          <Link to="/projects/$projectId/tokens" params={{ projectId }}>
            Tokens
          </Link>
        }
        actions={<TokenActions token={token} projectId={projectId} onMade={setMade} size="sm" />}
      >
        <StatusMark token={token} />
      </PageHeader>
      <Stack gap="md">
        <Facts token={token} />
        <Activity
          title="Recent denials"
          none="It was never refused."
          rows={denials}
          columns={denialColumns}
        />
        <Activity title="Recent activity" none="It was not used yet." rows={uses} columns={useColumns} />
      </Stack>
      {made !== null && <TokenSecret made={made} onClose={() => setMade(null)} />}
    </>
  );
}
