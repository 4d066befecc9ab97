import type { Token } from '../../domain/token/token.ts';
import { checkHash, type Finding, type StoreWalk } from '../check/store-walk.ts';
import { rangeOf } from '../keys/key-parts.ts';
import { findById, findBySecretHash, ownedBy, ownerIndex, secretIndex } from '../record-index.ts';
import { copiedBytes, plain, recordOf } from '../records/record-codec.ts';
import { projectRecord } from './projects.ts';
import { replacedTable } from './table.ts';

export const tokenRecord = recordOf<Token>('tokens', {
  id: plain,
  projectId: plain,
  name: plain,
  permission: plain,
  environments: plain,
  expiresAt: plain,
  createdBy: plain,
  createdAt: plain,
  revokedAt: plain,
  secretHash: copiedBytes,
  denialEmailedAt: plain,
  revision: plain,
});

const tokenProjectIndex = ownerIndex<Token>('tokens-by-project', ({ projectId }) => projectId);
const tokenSecretIndex = secretIndex<Token>('tokens-by-secret-hash');

export const tokenTable = replacedTable({
  kind: 'token',
  codec: tokenRecord,
  indexes: [tokenProjectIndex, tokenSecretIndex],
  answers: {
    token: ({ source }, id) => findById(source, tokenRecord, id),
    tokenBySecretHash: ({ source }, hash) => findBySecretHash(source, tokenSecretIndex, tokenRecord, hash),
    tokensOf: ({ source }, projectId) => ownedBy(source, tokenProjectIndex, tokenRecord, projectId),
  },
  // Its denials and uses.
  onDelete: (target, { id }) => {
    for (const database of ['activity', 'token-uses'] as const) target.removeRange(database, rangeOf(id));
  },
  examine: checkToken,
});

function* checkToken(walk: StoreWalk, token: Token): Generator<Finding> {
  const where = `tokens/${token.id}`;
  yield* walk.reference(where, projectRecord, token.projectId);
  const project = walk.findById(projectRecord, token.projectId);
  if (project !== null && project.organisationId === null) {
    yield { where, what: 'is of a personal project, which cannot have tokens' };
  }
  yield* checkHash(where, token.secretHash);
}
