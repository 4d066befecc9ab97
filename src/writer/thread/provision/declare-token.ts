import { stepInto } from '../../../contracts/compiled-schema.ts';
import type { DeclaredToken } from '../../../contracts/provision/declared-project.ts';
import { activeTokensMax, tokenLifetimeMaxMs } from '../../../domain/bounds.ts';
import { areSameCohorts as areSameTexts } from '../../../domain/flag/state-changes.ts';
import { shown, shownList } from '../../../domain/problem-list.ts';
import { findEnvironment } from '../../../domain/project/project.ts';
import type { Token } from '../../../domain/token/token.ts';
import { ledgerOf } from '../../../operations/audit-entries.ts';
import { created } from './declare-organisation.ts';
import type { DeclaredInto } from './declare-project.ts';
import { addTo, grouped } from './provision-directory.ts';
import type { ProvisionScope } from './provision-scope.ts';

/**
 * Declares a project's tokens. The name of a revoked token is free again, as after a rotation. An existing token is
 * never changed: a difference is a problem, because the program that holds its secret relies on the token's permission.
 */
export function declareTokens(
  scope: ProvisionScope,
  into: DeclaredInto,
  declared: readonly DeclaredToken[],
): { readonly id: string; readonly isNew: boolean }[] {
  const existing = into.isNew ? [] : [...scope.queries.tokensOf(into.project.id)];
  const unrevoked = existing.filter(({ revokedAt }) => revokedAt === null);
  const byName = grouped(unrevoked, ({ name }) => name);
  const results = declared.map((token, index) => {
    const path = stepInto(stepInto(into.path, 'tokens'), index);
    const name = token.name.trim();
    const known = scope.single(byName.get(name) ?? [], stepInto(path, 'name'), name);
    if (known === undefined) {
      const made = createToken(scope, into, token, path);
      addTo(byName, name, made);
      return { id: made.id, isNew: true };
    }
    compareToken(scope, known, token, path);
    return { id: known.id, isNew: false };
  });
  const count = unrevoked.length + results.filter(({ isNew }) => isNew).length;
  if (count > activeTokensMax && declared.length > 0) refuseCount(scope, into, count);
  return results;
}

function refuseCount(scope: ProvisionScope, into: DeclaredInto, count: number): void {
  const path = stepInto(into.path, 'tokens');
  const fix = 'revoke some first; an expired token counts until it is revoked';
  scope.problems.add(
    () =>
      `${path}: the project would have ${count} tokens, but at most ${activeTokensMax} are allowed; ${fix}`,
  );
}

function createToken(
  scope: ProvisionScope,
  into: DeclaredInto,
  declared: DeclaredToken,
  path: string,
): Token {
  const { project } = into;
  const secretHash = scope.request.secretHashes.get(path);
  if (secretHash === undefined) throw new Error(`no secret was made for ${path}`);
  const owner = scope.queries.tokenBySecretHash(secretHash);
  if (owner !== undefined)
    scope.problems.add(() => `${path}: its secret is that of token ${owner.id} already`);
  const { permission, expiresAt = 0 } = declared;
  const name = declared.name.trim();
  checkExpiry(scope, expiresAt, path);
  const environments = limitOf(declared);
  warnOfMissing(scope, into, environments, path);
  const token: Token = {
    ...{ id: scope.newId(), projectId: project.id, name, permission, environments, expiresAt },
    ...{
      createdBy: null,
      createdAt: scope.now,
      revokedAt: null,
      secretHash,
      denialEmailedAt: 0,
      revision: 1,
    },
  };
  const { id: targetId } = token;
  const entry = { ledgerId: ledgerOf(project), projectId: project.id, targetId, targetName: name };
  const changes = created({ name, permission, environments: environments ?? [], expiresAt });
  scope.count('created');
  scope.change({ kind: 'token', before: null, after: token }, { ...entry, action: 'token.create', changes });
  return token;
}

/** An empty list sets no limit, as in the API's answer for an unlimited token. */
function limitOf({ environments = [] }: DeclaredToken): readonly string[] | null {
  return environments.length === 0 ? null : environments;
}

function checkExpiry(scope: ProvisionScope, expiresAt: number, path: string): void {
  if (expiresAt > scope.now + tokenLifetimeMaxMs) {
    scope.problems.add(() => `${path}.expiresAt must be at most 365 days after the token is made`);
  } else if (expiresAt !== 0 && expiresAt <= scope.now) {
    scope.warnings.add(() => `${path}.expiresAt has passed: the token would be expired from the start`);
  }
}

/**
 * A token may list environments that do not exist yet, and gets access when they are created. More likely it is a mistake,
 * so it makes a warning.
 */
function warnOfMissing(
  scope: ProvisionScope,
  { project }: DeclaredInto,
  environments: readonly string[] | null,
  path: string,
): void {
  const missing = (environments ?? []).filter((name) => findEnvironment(project, name) === undefined);
  if (missing.length === 0) return;
  scope.warnings.add(
    () =>
      `${path}.environments lists ${shownList(missing)}, which project "${shown(project.name)}" does not have`,
  );
}

function compareToken(scope: ProvisionScope, known: Token, declared: DeclaredToken, path: string): void {
  const limit = limitOf(declared);
  const isSameLimit =
    known.environments === null || limit === null
      ? known.environments === limit
      : areSameTexts([...known.environments].sort(), [...limit].sort());
  const differing = [
    ...(known.permission === declared.permission ? [] : ['permission']),
    ...(isSameLimit ? [] : ['environments']),
    ...(known.expiresAt === (declared.expiresAt ?? 0) ? [] : ['expiresAt']),
    ...(isSameSecret(known, declared) ? [] : ['secret']),
  ];
  scope.count('unchanged');
  for (const field of differing) {
    scope.problems.add(
      () =>
        `${path}.${field} differs from that of the existing token "${shown(known.name)}", which cannot be changed; revoke ${known.id} first, or declare a token with another name`,
    );
  }
}

function isSameSecret({ secretHash }: Token, { secretHash: given }: DeclaredToken): boolean {
  return given === undefined || given === Buffer.from(secretHash).toString('hex');
}
