import { useQuery } from '@tanstack/react-query';
import type { OpenIdRefusal } from '../../../domain/session/open-id-refusal.ts';
import { sessionQuery } from '../../client/queries.ts';
import { Callout } from '../../parts/callout.tsx';
import { openIdWords } from './open-id-words.ts';

/** Why the way back from the OpenID provider ended on this page. */
export function OpenIdRefused({ refusal }: { readonly refusal: OpenIdRefusal }) {
  const session = useQuery(sessionQuery);
  return (
    <div role="alert">
      <Callout tone="warn">{openIdWords(refusal, session.data?.openIdName ?? 'the provider')}</Callout>
    </div>
  );
}
