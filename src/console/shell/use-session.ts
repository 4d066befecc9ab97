import { useSuspenseQuery } from '@tanstack/react-query';
import type { MemberView } from '../../contracts/console/member-views.ts';
import type { OrganisationView } from '../../contracts/console/organisation-views.ts';
import { sessionQuery } from '../client/queries.ts';

export interface SignedIn {
  readonly member: MemberView;
  readonly organisation: OrganisationView | null;
  /** Whatever this page reads shows what had changed up to here. */
  readonly position: string;
  readonly isMailConfigured: boolean;
  readonly docsUrl: string;
  readonly baseUrl: string;
}

/** Who is signed in. Within the frame that is always somebody. */
export function useSession(): SignedIn {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data.member === undefined) throw new Error('Nobody is signed in.');
  return {
    member: data.member,
    organisation: data.organisation ?? null,
    position: data.position ?? '0.0',
    isMailConfigured: data.isMailConfigured ?? false,
    docsUrl: data.docsUrl ?? '/docs',
    baseUrl: data.baseUrl ?? window.location.origin,
  };
}
