import { useNavigate } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Only this page itself asks to sign out: a link from elsewhere has no state. */
    readonly isSigningOut?: boolean;
  }
}

/** Leaves the page like a link does, so that a draft is asked about first; the session ends then. */
export function useSignOut(): () => void {
  const navigate = useNavigate();
  return () => void navigate({ to: '/sign-out', state: { isSigningOut: true } });
}
