import { Link } from '@tanstack/react-router';
import type { MadeToken, TokenView } from '../../../contracts/console/token-views.ts';
import type { Column } from '../../parts/data-list.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { TokenActions } from './token-actions.tsx';
import { ExpiryWords, permissionWords, StatusMark, TokenEnvironments } from './token-words.tsx';

interface ColumnsOf {
  readonly projectId: string;
  /** Names of the project's environments. */
  readonly known: readonly string[];
  readonly onMade: (made: MadeToken) => void;
}

export function tokenColumns({ projectId, known, onMade }: ColumnsOf): readonly Column<TokenView>[] {
  return [
    {
      header: 'Token',
      cell: ({ id, name }) => (
        <Link to="/projects/$projectId/tokens/$tokenId" params={{ projectId, tokenId: id }}>
          {name}
        </Link>
      ),
    },
    { header: 'Status', cell: (token) => <StatusMark token={token} /> },
    { header: 'Permission', cell: ({ permission }) => permissionWords(permission) },
    {
      header: 'Environments',
      cell: ({ environments }) => <TokenEnvironments environments={environments} known={known} />,
    },
    { header: 'Expires', cell: (token) => <ExpiryWords expiresAt={token.expiresAt} /> },
    { header: 'Last used', cell: ({ lastUsedAt }) => <TimeAgo at={lastUsedAt} /> },
    { header: 'Last denied', cell: ({ lastDeniedAt }) => <TimeAgo at={lastDeniedAt} /> },
    {
      header: 'Actions',
      isActions: true,
      cell: (token) => <TokenActions token={token} projectId={projectId} onMade={onMade} />,
    },
  ];
}
