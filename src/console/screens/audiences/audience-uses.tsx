import { Link } from '@tanstack/react-router';
import type { AudienceView } from '../../../contracts/console/audience-views.ts';
import { useProject } from '../../shell/project-context.ts';
import classes from './audiences.module.css';

/** The flags that an audience limits, each with a link and its environments. */
export function AudienceUses({ uses, useCount }: Pick<AudienceView, 'uses' | 'useCount'>) {
  const { id: projectId, environments } = useProject();
  const nameOf = (wanted: number) => environments.find(({ number }) => number === wanted)?.name;
  if (useCount === 0) return <p className={classes.quiet}>No flag uses it.</p>;
  return (
    <ul className={classes.uses}>
      {uses.map(({ flagId, flagName, environmentNumbers }) => (
        <li key={flagId}>
          <Link to="/projects/$projectId/flags/$flagId" params={{ projectId, flagId }}>
            {flagName}
          </Link>
          <span className={classes.quiet}>
            {' '}
            {environmentNumbers
              .map(nameOf)
              .filter((name) => name !== undefined)
              .join(', ')}
          </span>
        </li>
      ))}
      {useCount > uses.length && <li className={classes.quiet}>and {useCount - uses.length} more</li>}
    </ul>
  );
}
