import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { MadeToken, TokenActivity, TokenView } from '../../../contracts/console/token-views.ts';
import { denialReasons, denialWords } from '../../../domain/token/denial.ts';
import { call } from '../../client/call.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { membersQuery, tokenQuery } from '../../client/queries.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageUnread } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { numberWords } from '../../parts/words.ts';
import { ProjectLink } from '../../shell/pages.tsx';
import { useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';
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
  { header: 'Times', cell: ({ count }) => numberWords(count) },
];

function Why({ denial: { reason } }: { readonly denial: Denial }) {
  const known = denialReasons.find((each) => each === reason);
  if (known === undefined) return <span>{reason.replaceAll('-', ' ')}</span>;
  const { cause, advice } = denialWords[known];
  return (
    <div className={classes.why}>
      <strong>{cause}</strong> {advice}
    </div>
  );
}

function DeniedFlag({ denial: { flag } }: { readonly denial: Denial }) {
  const { id: projectId } = useProject();
  if (flag === null) return <span>–</span>;
  if (flag.name === null) return <code title="This project has no such flag">{flag.id}</code>;
  return (
    <Link to="/projects/$projectId/flags/$flagId" params={{ projectId, flagId: flag.id }}>
      <SafeName name={flag.name} />
    </Link>
  );
}

const denialColumns: readonly Column<Denial>[] = [
  { header: 'When', cell: ({ at }) => <TimeAgo at={at} /> },
  { header: 'Why, and what to do', cell: (denial) => <Why denial={denial} />, isLong: true },
  { header: 'Flag', cell: (denial) => <DeniedFlag denial={denial} /> },
  { header: 'Environment', cell: ({ environment }) => environment ?? '–' },
  { header: 'Request', cell: ({ route: path }) => <code>{path}</code> },
  { header: 'From', cell: ({ address }) => address },
];

const mailedShownMax = 5;

/** A refusal is mailed to the maker of the token, if still a member, and to the Owners (decisions). */
function MailedTo({ token }: { readonly token: TokenView }) {
  const { isMailConfigured } = useSession();
  const members = useQuery(membersQuery).data?.members ?? [];
  const mailed = members.filter(({ id, role }) => id === token.createdById || role === 'owner');
  const more = mailed.length - mailedShownMax;
  return (
    <div>
      <dt>Refusals mailed to</dt>
      <dd>
        {mailed.slice(0, mailedShownMax).map(({ id, name }, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <SafeName name={name} />
          </span>
        ))}
        {more > 0 && ` and ${more} more`}
        {!isMailConfigured && <div className={classes.by}>once mail is configured</div>}
      </dd>
    </div>
  );
}

function Facts({ token }: { readonly token: TokenView }) {
  const { environments } = useProject();
  const facts = tokenFacts(environments.map(({ name }) => name));
  const { lastUsed, lastDenied, permission, environments: limit, expires, maker } = facts;
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
          <div className={classes.by}>by {maker.cell(token)}</div>
        </dd>
      </div>
      <MailedTo token={token} />
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

/** A link to the token that replaced this one, if the audit log still names it. */
function Successor({ token }: { readonly token: TokenView }) {
  const { id: projectId } = useProject();
  const rotations = useQuery({
    queryKey: [projectId, 'token-successor', token.id],
    queryFn: ({ signal }) =>
      call('list-project-audit', { projectId }, null, { query: { action: 'token.rotate' }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const rotation = rotations.data?.entries.find(({ targetId }) => targetId === token.id);
  const successor = rotation?.changes.find(({ field }) => field === 'replacedBy')?.after;
  if (typeof successor !== 'string') return null;
  return (
    <>
      {' '}
      <Link to="/projects/$projectId/tokens/$tokenId" params={{ projectId, tokenId: successor }}>
        Its successor
      </Link>
    </>
  );
}

/** The token's recent uses and refused requests. */
export function TokenScreen() {
  const { id: projectId } = useProject();
  const { tokenId } = route.useParams();
  const [made, setMade] = useState<MadeToken | null>(null);
  const activity = useQuery(tokenQuery(projectId, tokenId));
  // A failed later reading does not remove what was read before.
  if (activity.isPending || isUnreadable(activity)) {
    const all = <ProjectLink to="/projects/$projectId/tokens">All tokens</ProjectLink>;
    return <PageUnread isPage of={activity} what="the token" action={all} />;
  }
  const { token, uses, denials } = activity.data;
  return (
    <>
      <PageHead
        title={visibleName(token.name)}
        above={<ProjectLink to="/projects/$projectId/tokens">Tokens</ProjectLink>}
        actions={<TokenActions token={token} onMade={setMade} />}
      >
        <StatusMark token={token} />
        {token.status === 'revoked' && <Successor key={token.id} token={token} />}
      </PageHead>
      <Stack gap="md">
        <Facts token={token} />
        <Activity
          title="Refused requests"
          none="No refused requests"
          rows={denials}
          columns={denialColumns}
        />
        <Activity title="Recent activity" none="Not used yet" rows={uses} columns={useColumns} />
      </Stack>
      {made !== null && <TokenSecret made={made} onClose={() => setMade(null)} />}
    </>
  );
}
