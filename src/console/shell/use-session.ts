import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { MemberView } from '../../contracts/console/member-views.ts';
import type { OrganisationView } from '../../contracts/console/organisation-views.ts';
import { basePath } from '../client/base-path.ts';
import { sessionQuery } from '../client/queries.ts';

interface SignedIn {
  readonly member: MemberView;
  readonly organisation: OrganisationView | null;
  /** The page's results include every change up to this position. */
  readonly position: string;
  readonly isMailConfigured: boolean;
  /** Whether the service is a node of a cluster. */
  readonly isCluster: boolean;
  readonly docsUrl: string;
  readonly baseUrl: string;
}

/** Who is signed in. Within the frame there is always a member. */
export function useSession(): SignedIn {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data.member === undefined) throw new Error('Nobody is signed in.');
  return {
    member: data.member,
    organisation: data.organisation ?? null,
    position: data.position ?? '0.0',
    isMailConfigured: data.isMailConfigured ?? false,
    isCluster: data.isCluster ?? false,
    docsUrl: data.docsUrl ?? `${basePath}/docs`,
    baseUrl: data.baseUrl ?? window.location.origin + basePath,
  };
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Only this page itself may ask to sign out: a link from another site has no state. */
    readonly isSigningOut?: boolean;
  }
}

/** Leaves the page as a link does, so that a draft is asked about first; then the session ends. */
export function useSignOut(): () => void {
  const navigate = useNavigate();
  return () => void navigate({ to: '/sign-out', state: { isSigningOut: true } });
}
