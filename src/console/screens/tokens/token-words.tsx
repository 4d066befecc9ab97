import type { TokenView } from '../../../contracts/console/token-views.ts';
import { formatDay } from '../../parts/format-time.ts';
import { Mark } from '../../parts/mark.tsx';

const tones = { active: 'on', expired: 'warn', revoked: 'off' } as const;

export function StatusMark({ token }: { readonly token: TokenView }) {
  return <Mark tone={tones[token.status]}>{token.status}</Mark>;
}

export function permissionWords(permission: TokenView['permission']): string {
  return permission === 'write' ? 'read and write' : 'read';
}

export function ExpiryWords({ expiresAt }: { readonly expiresAt: number }) {
  return <time>{expiresAt === 0 ? 'never' : formatDay(expiresAt)}</time>;
}

interface TokenEnvironmentsProps {
  readonly environments: readonly string[] | null;
  readonly known: readonly string[];
}

/** A name that no environment has any more permits nothing: it is told apart. */
export function TokenEnvironments({ environments, known }: TokenEnvironmentsProps) {
  if (environments === null) return <span>all</span>;
  return (
    <span>
      {environments.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          {known.includes(name) ? name : <s title="No environment has this name">{name}</s>}
        </span>
      ))}
    </span>
  );
}
