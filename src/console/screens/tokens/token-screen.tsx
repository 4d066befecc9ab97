import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { MadeToken, TokenActivity, TokenView } from '../../../contracts/console/token-views.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { tokenQuery } from '../../client/queries.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageUnread } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { ProjectLink } from '../../shell/pages.tsx';
import { useProject } from '../../shell/project-context.ts';
import { TokenActions, TokenSecret } from './token-actions.tsx';
import { StatusMark, tokenFacts } from './token-facts.tsx';
import classes from './tokens.module.css';

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
  const facts = tokenFacts(environments.map(({ name }) => name));
  const { lastUsed, lastDenied, permission, environments: limit, expires } = facts;
  return (
    <dl className={classes.facts}>
      {[lastUsed, lastDenied, permission, limit, expires].map(({ header, cell }) => (
        <div key={header}>
          <dt>{header}</dt>
          <dd>{cell(token)}</dd>
        </div>
      ))}
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

interface ActivityProps<Row> {
  readonly title: string;
  readonly none: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
}

function Activity<Row>({ title, none, rows, columns }: ActivityProps<Row>) {
  return (
    <Panel title={title} isFlush={rows.length > 0}>
      {rows.length === 0 ? (
        <p className={classes.none}>{none}</p>
      ) : (
        <DataList isFlush label={title} rows={rows} rowKey={(_, index) => String(index)} columns={columns} />
      )}
    </Panel>
  );
}

/** The token's recent uses and denials. */
export function TokenScreen() {
  const { id: projectId } = useProject();
  const { tokenId } = route.useParams();
  const [made, setMade] = useState<MadeToken | null>(null);
  const activity = useQuery({ ...tokenQuery(projectId, tokenId), refetchInterval: 10_000 });
  // A failed later reading does not remove what was read before.
  if (activity.isPending || isUnreadable(activity)) {
    const all = <ProjectLink to="/projects/$projectId/tokens">All tokens</ProjectLink>;
    return <PageUnread isPage of={activity} what="the token" action={all} />;
  }
  const { token, uses, denials } = activity.data;
  return (
    <>
      <PageHead
        title={token.name}
        above={<ProjectLink to="/projects/$projectId/tokens">Tokens</ProjectLink>}
        actions={<TokenActions token={token} onMade={setMade} size="sm" />}
      >
        <StatusMark token={token} />
      </PageHead>
      <Stack gap="md">
        <Facts token={token} />
        <Activity
          title="Recent denials"
          none="No request with it was refused."
          rows={denials}
          columns={denialColumns}
        />
        <Activity title="Recent activity" none="It has not been used yet." rows={uses} columns={useColumns} />
      </Stack>
      {made !== null && <TokenSecret made={made} onClose={() => setMade(null)} />}
    </>
  );
}
