import { useMutation } from '@tanstack/react-query';
import { Link, Navigate, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { consolePath } from '../../client/base-path.ts';
import { call } from '../../client/call.ts';
import { PageError, PageLoading } from '../../parts/page-states.tsx';
import { EntryPage } from './entry-page.tsx';

/** Ends the session, and clears this page's data. */
export function SignOutScreen() {
  const isAsked = useLocation({ select: ({ state }) => state.isSigningOut === true });
  const { mutate, error } = useMutation({
    mutationFn: () => call('sign-out', {}, null),
    onSuccess: () => window.location.replace(`${consolePath}sign-in`),
  });
  useEffect(() => {
    if (isAsked) mutate();
  }, [isAsked, mutate]);
  if (!isAsked) return <Navigate to="/" replace />;
  return (
    <EntryPage title="Sign out">
      {error === null ? (
        <PageLoading isWindow what="the sign-in page" />
      ) : (
        <PageError error={error} onRetry={() => mutate()} action={<Link to="/">Back to the console</Link>} />
      )}
    </EntryPage>
  );
}
