import { call } from '../client/call.ts';
import { showFailure } from '../parts/show-failure.ts';

async function signOut(): Promise<void> {
  try {
    await call('sign-out', {}, null);
    window.location.assign('/console/sign-in');
  } catch (error) {
    showFailure(error);
  }
}

/** Ends the session, and leaves nothing of it in this page. */
export function useSignOut(): () => void {
  return () => void signOut();
}
