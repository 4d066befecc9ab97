import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { namesakesQuery } from '../../client/queries.ts';
import { Callout } from '../../parts/callout.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { useProject } from '../../shell/project-context.ts';

interface SameNameProps {
  /** As it is typed. */
  readonly name: string;
  /** The flag that is being renamed. */
  readonly flagId?: string;
}

/** The service is asked after this silence. */
const settleMs = 250;

/** Warns of other flags with this name. Two of one name are allowed, and differ only by their ids. */
export function SameName({ name, flagId }: SameNameProps) {
  const { id: projectId } = useProject();
  const typed = name.trim();
  const [settled] = useDebouncedValue(typed, settleMs);
  const { data } = useQuery({
    ...namesakesQuery(projectId, settled),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  const others = (data?.ids ?? []).filter((id) => id !== flagId);
  if (settled !== typed || typed === '' || others.length === 0) return null;
  return (
    <Callout tone="warn">
      {others.length === 1 && data?.isMore !== true ? 'A flag is' : 'Flags are'} already called{' '}
      <strong>
        <SafeName name={typed} />
      </strong>
      :{' '}
      {others.map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link to="/projects/$projectId/flags/$flagId" params={{ projectId, flagId: id }}>
            <code>{id}</code>
          </Link>
        </span>
      ))}
      {data?.isMore === true && ' and more'}. You can use the name again: then only the ids tell them apart.
    </Callout>
  );
}
