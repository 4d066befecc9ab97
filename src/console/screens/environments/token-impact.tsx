import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EnvironmentImpact } from '../../../contracts/console/project-views.ts';
import { call } from '../../client/call.ts';
import { Callout } from '../../parts/callout.tsx';
import { useProject } from '../../shell/project-context.ts';
import classes from './environments.module.css';

type TokenNames = EnvironmentImpact['tokensLosing'];

interface ShownImpact {
  /** While another name is typed, that of the name before. */
  readonly impact: EnvironmentImpact | undefined;
  /** The impact is that of the name as it stands: nobody goes on without having seen it. */
  readonly isKnown: boolean;
  /** Why it cannot be known: the name cannot be taken, or the service does not answer. */
  readonly error: Error | null;
}

/**
 * What would become of tokens.
 *
 * @param number the environment's, or `new`
 * @param name the new name; empty for a deletion
 */
export function useImpact(number: number | 'new', name: string): ShownImpact {
  const { id: projectId } = useProject();
  const [settled] = useDebouncedValue(name, 200);
  const { data, error, isSuccess, isPlaceholderData } = useQuery({
    queryKey: [projectId, 'preview-environment', number, settled] as const,
    queryFn: ({ signal }): Promise<EnvironmentImpact> =>
      call('preview-environment', { projectId, number }, null, {
        query: settled === '' ? {} : { name: settled },
        signal,
      }),
    placeholderData: keepPreviousData,
    enabled: number !== 'new' || settled !== '',
  });
  const isOfName = settled === name;
  return {
    impact: data,
    isKnown: isOfName && isSuccess && !isPlaceholderData,
    error: isOfName ? error : null,
  };
}

function TokenLinks({ tokens }: { readonly tokens: TokenNames }) {
  const { id: projectId } = useProject();
  return (
    <ul>
      {tokens.map(({ id, name }) => (
        <li key={id}>
          <Link to="/projects/$projectId/tokens/$tokenId" params={{ projectId, tokenId: id }}>
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Names the tokens that stop working for an environment, and those that begin to. */
export function TokenImpact({ impact }: { readonly impact: EnvironmentImpact | undefined }) {
  if (impact === undefined) return null;
  const { tokensLosing, tokensGaining } = impact;
  return (
    <div role="status" className={classes.impact}>
      {tokensLosing.length > 0 && (
        <Callout tone="warn">
          <strong>These tokens stop working here.</strong> They are limited to the present name, and are
          refused until they are replaced.
          <TokenLinks tokens={tokensLosing} />
        </Callout>
      )}
      {tokensGaining.length > 0 && (
        <Callout tone="warn">
          <strong>These tokens begin to work here.</strong> They are limited to the new name.
          <TokenLinks tokens={tokensGaining} />
        </Callout>
      )}
    </div>
  );
}
