import type { MemberView } from '../../../contracts/console/member-views.ts';
import type { Column } from '../../parts/data-list.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { MemberActions } from './member-actions.tsx';
import { RoleChoice } from './role-choice.tsx';
import type { ShownLink } from './shown-link.ts';

function signInWords({ hasPassword, hasIdentity }: MemberView): string {
  const ways = [hasPassword && 'password', hasIdentity && 'OpenID'].filter((way) => way !== false);
  return ways.length === 0 ? 'one-time link' : ways.join(', ');
}

export function memberColumns(
  self: MemberView,
  members: readonly MemberView[],
  onShow: (shown: ShownLink) => void,
): readonly Column<MemberView>[] {
  const owners = members.filter(({ role }) => role === 'owner');
  const isLastOwner = ({ role }: MemberView) => role === 'owner' && owners.length === 1;
  return [
    {
      header: 'Member',
      cell: ({ id, name }) => (
        <span>
          <strong>{name}</strong>
          {id === self.id && ' (you)'}
        </span>
      ),
    },
    { header: 'Email', cell: ({ email }) => email },
    {
      header: 'Role',
      cell: (member) => <RoleChoice member={member} self={self} isLastOwner={isLastOwner(member)} />,
    },
    { header: 'Signs in with', cell: signInWords },
    { header: 'Joined', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
    {
      header: 'Actions',
      isActions: true,
      cell: (member) => (
        <MemberActions member={member} self={self} isLastOwner={isLastOwner(member)} onShow={onShow} />
      ),
    },
  ];
}
