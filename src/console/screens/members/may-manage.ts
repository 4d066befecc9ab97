import type { MemberView } from '../../../contracts/console/member-views.ts';
import { hasRole } from '../../../domain/console/console-principal.ts';

/** An Admin manages members up to Admin; only an Owner changes Owners. The service has the last word. */
export function mayManage(self: MemberView, member: MemberView): boolean {
  return hasRole(self.role, member.role === 'owner' ? 'owner' : 'admin');
}
