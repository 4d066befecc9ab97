import type { MemberView } from '../../../contracts/console/console-views.ts';
import type { Column } from '../../parts/data-list.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { MemberActions } from './member-actions.tsx';
import { RoleChoice } from './role-choice.tsx';
import type { ShownLink } from './shown-link.ts';

function signInWords({ hasPassword, hasIdentity }: MemberView): string {
  const ways = [hasPassword && 'password', hasIdentity && 'OpenID'].filter((way) => way !== false);
  return ways.length === 0 ? 'by link only' : ways.join(', ');
}

export function memberColumns(
  self: MemberView,
  onShow: (shown: ShownLink) => void,
): readonly Column<MemberView>[] {
  return [
    {
      header: 'Member',
      cell: ({ id, name }) => (
        <span>
          {name}
          {id === self.id && ' (you)'}
        </span>
      ),
    },
    { header: 'Email', cell: ({ email }) => email },
    { header: 'Role', cell: (member) => <RoleChoice member={member} self={self} /> },
    { header: 'Signs in with', cell: signInWords },
    { header: 'Since', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
    {
      header: 'Actions',
      isActions: true,
      cell: (member) => <MemberActions member={member} self={self} onShow={onShow} />,
    },
  ];
}
