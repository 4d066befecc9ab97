import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ShownNode } from '../../../contracts/console/node-views.ts';
import { nodesQuery } from '../../client/queries.ts';
import { Callout, Failure } from '../../parts/callout.tsx';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { Mark } from '../../parts/mark.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageUnread } from '../../parts/page-states.tsx';

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

function StateMark({ node }: { readonly node: ShownNode }) {
  if (!node.isAttached) return <Mark tone="warn">Cut off</Mark>;
  if (node.lag > 0) return <Mark tone="warn">Behind</Mark>;
  return <Mark tone="on">Attached</Mark>;
}

const columns: readonly Column<ShownNode>[] = [
  {
    header: 'Node',
    cell: ({ label, isAnswering }) => (
      <>
        {label} {isAnswering && <Mark tone="info">answers this page</Mark>}
      </>
    ),
  },
  { header: 'State', cell: (node) => <StateMark node={node} /> },
  { header: 'Position', cell: ({ position }) => position },
  { header: 'Behind by', cell: ({ lag }) => lag },
  {
    header: 'Lease',
    cell: ({ leaseMs, renewedMsAgo }) =>
      leaseMs > 0 ? `${seconds(leaseMs)} left` : `renewed ${seconds(renewedMsAgo)} ago`,
  },
  { header: 'Duties', cell: ({ duties }) => (duties.length === 0 ? '–' : duties.join(', ')) },
  { header: 'Process', cell: ({ id }) => <code>{id}</code> },
];

/** What to do about the nodes that are not as they should be; nothing when all are. */
function Advice({ nodes }: { readonly nodes: readonly ShownNode[] }) {
  const cutOff = nodes.filter(({ isAttached }) => !isAttached);
  if (cutOff.length === 0) return null;
  return (
    <Callout tone="warn">
      {cutOff.map(({ label }) => label).join(', ')} {cutOff.length === 1 ? 'has' : 'have'} not renewed the
      lease. The other nodes do not wait for {cutOff.length === 1 ? 'that node' : 'those nodes'}. A node that
      still runs evaluates from its last state and takes no changes: check its log and its connection to
      PostgreSQL. A node that was killed can be started again or left alone: its row disappears.
    </Callout>
  );
}

export function NodesScreen() {
  const nodes = useQuery(nodesQuery);
  return (
    <>
      <PageHead title="Nodes">
        The nodes of this service, as PostgreSQL lists them. A node is briefly behind while it applies a
        change. One that stays behind has a slow disk or too little processor time, and changes wait for it.
      </PageHead>
      {nodes.data === undefined ? (
        <PageUnread of={nodes} what="the nodes" />
      ) : (
        <Stack gap="md">
          <Failure error={nodes.error} />
          <Advice nodes={nodes.data.nodes} />
          <DataList label="Nodes" rows={nodes.data.nodes} rowKey={({ id }) => id} columns={columns} />
          <p>The newest position is {nodes.data.position}.</p>
        </Stack>
      )}
    </>
  );
}
