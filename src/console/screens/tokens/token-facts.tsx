import type { TokenView } from '../../../contracts/console/token-views.ts';
import type { Column } from '../../parts/data-list.tsx';
import { Mark } from '../../parts/mark.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { expiryWords, permissionWords } from '../../parts/words.ts';

const tones = { active: 'on', expired: 'warn', revoked: 'off' } as const;

export function StatusMark({ token }: { readonly token: TokenView }) {
  return (
    <Mark tone={tones[token.status]} hasDot>
      {token.status}
    </Mark>
  );
}

/** @param known names of the project's environments: other names permit nothing, and are struck out */
function environmentWords({ environments }: TokenView, known: readonly string[]) {
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

/** Who made it, and gets the mails about its refusals. */
function Maker({ token: { createdById, createdByName } }: { readonly token: TokenView }) {
  if (createdByName !== null) return <SafeName name={createdByName} />;
  return <span>{createdById === null ? 'the operator' : 'a former member'}</span>;
}

type TokenFact = 'permission' | 'environments' | 'expires' | 'lastUsed' | 'lastDenied' | 'maker';

/** The facts that both a token's row and its own page show. @param known names of the project's environments */
export function tokenFacts(known: readonly string[]): Readonly<Record<TokenFact, Column<TokenView>>> {
  return {
    permission: { header: 'Permission', cell: ({ permission }) => permissionWords(permission) },
    environments: { header: 'Environments', cell: (token) => environmentWords(token, known) },
    expires: { header: 'Expires', cell: ({ expiresAt }) => <time>{expiryWords(expiresAt)}</time> },
    lastUsed: { header: 'Last used', cell: ({ lastUsedAt }) => <TimeAgo at={lastUsedAt} /> },
    lastDenied: { header: 'Last refused', cell: ({ lastDeniedAt }) => <TimeAgo at={lastDeniedAt} /> },
    maker: { header: 'Created by', cell: (token) => <Maker token={token} /> },
  };
}
