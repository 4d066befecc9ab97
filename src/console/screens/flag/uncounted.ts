import { useQuery } from '@tanstack/react-query';
import { syncStreamsQuery } from '../../client/queries.ts';

interface Uncounted {
  /** Programs are connected whose evaluations are never counted: a flag without evaluations may be in use. */
  readonly isLikely: boolean;
  /** A sentence or two. */
  readonly words: string;
}

/**
 * What counts of evaluations lack. Programs that evaluate by themselves are counted when they report: burgee-client does,
 * the protocol of flagd has no such message. Who was connected earlier, or is to another node of a cluster, is not known.
 */
export function useUncounted(projectId: string): Uncounted {
  const { data } = useQuery(syncStreamsQuery(projectId));
  const kinds = new Set(data?.environments.map(({ kind }) => kind));
  if (kinds.has('flagd')) {
    const words =
      'Programs with a flagd provider follow this project. They report no evaluations, so the flag may still be in use.';
    return { isLikely: true, words };
  }
  const reported = kinds.has('sync') ? 'Programs with burgee-client report theirs once a minute. ' : '';
  return { isLikely: false, words: `${reported}Programs with a flagd provider report none.` };
}
