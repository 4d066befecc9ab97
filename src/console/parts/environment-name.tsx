import Lock from 'lucide-react/icons/lock';
import { isProduction } from '../../domain/project/production.ts';
import type { Environment } from '../../domain/project/project.ts';
import classes from './environment-name.module.css';

interface EnvironmentNameProps {
  readonly environment: Pick<Environment, 'name' | 'isProtected'>;
  /** Without room: the word "protected" is only read aloud and shown on hover. */
  readonly isBrief?: boolean;
}

/** An environment wherever it is named: production in its own colour with a lozenge, a protected one with a lock. */
export function EnvironmentName({ environment, isBrief = false }: EnvironmentNameProps) {
  const { name, isProtected } = environment;
  const isLive = isProduction(environment);
  return (
    <span className={classes.environment} data-environment data-production={isLive || undefined}>
      {isLive && <span className={classes.lozenge} data-filled />}
      <span className={classes.name}>{name}</span>
      {isProtected && <Guard isBrief={isBrief} />}
    </span>
  );
}

/** Says that changes of flags are confirmed first. */
export function Guard({ isBrief }: { readonly isBrief: boolean }) {
  return (
    <span className={classes.guard} title="Protected: changes of flags are confirmed first">
      <Lock aria-hidden="true" />
      <span className={isBrief ? 'heard' : undefined}>protected</span>
    </span>
  );
}
