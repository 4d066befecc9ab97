import { createHash } from 'node:crypto';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import type { Audience } from '../../../src/domain/evaluation/audience.ts';
import type { Flag, FlagState } from '../../../src/domain/flag/flag.ts';
import { type KeptAnswer, keptBytes } from '../../../src/domain/idempotency/kept-answer.ts';
import type { Member } from '../../../src/domain/member/member.ts';
import type { Organisation } from '../../../src/domain/organisation/organisation.ts';
import type { OutboxDelivery } from '../../../src/domain/outbox/outbox-delivery.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import type { Identity } from '../../../src/domain/session/identity.ts';
import type { OneTimeLink } from '../../../src/domain/session/one-time-link.ts';
import type { Session } from '../../../src/domain/session/session.ts';
import type { Denial } from '../../../src/domain/token/denial.ts';
import type { Token } from '../../../src/domain/token/token.ts';
import type { TokenUse } from '../../../src/domain/token/token-use.ts';
import type { EvaluationCount } from '../../../src/domain/usage/evaluation-count.ts';
import { newId } from '../../../src/support/random-id.ts';

/** Strings that have caused faults in stores: prototype names, all UTF-8 lengths, msgpack's length limits. */
export const nastyStrings: readonly string[] = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '',
  ' ',
  'é',
  'e\u0301',
  '漢字',
  '😀',
  '\u{10ffff}',
  '\ufffd',
  '\u0000',
  '\u2028',
  'a'.repeat(31),
  'a'.repeat(32),
  'é'.repeat(128),
  '😀'.repeat(100),
  'a'.repeat(70_000),
];

export const states: ReadonlyMap<number, FlagState> = new Map([
  [0, { enabled: true, trafficPercentage: 100, cohortOverride: null, audienceId: null }],
]);

export function organisationOf(change: Partial<Organisation> = {}): Organisation {
  const fixed = {
    plan: 'enterprise',
    trialEndsAt: null,
    subscription: 'active',
    createdAt: 1,
    revision: 1,
  } as const;
  return { id: newId(), name: 'Acme', ...fixed, ...change };
}

export function memberOf(change: Partial<Member> = {}): Member {
  const fixed = { role: 'owner', passwordHash: null, createdAt: 1, lastSignInAt: null, revision: 1 } as const;
  return {
    id: newId(),
    organisationId: null,
    name: 'Owner',
    email: 'owner@example.test',
    ...fixed,
    ...change,
  };
}

export function projectOf(organisationId: string | null, change: Partial<Project> = {}): Project {
  return {
    id: newId(),
    name: 'shop',
    organisationId,
    ownerMemberId: null,
    isMultiEnvironment: false,
    environments: [],
    nextEnvironmentNumber: 1,
    environmentsRevision: 1,
    evaluationAccess: true,
    isProtected: false,
    slugs: [],
    isSlugPublic: false,
    createdAt: 1,
    revision: 1,
    ...change,
  };
}

export function flagOf(projectId: string, change: Partial<Flag> = {}): Flag {
  const fixed = { description: '', tags: [], cohorts: [], revision: 1, createdAt: 1, updatedAt: 1 };
  // Flags of one name: at most one of them may answer to it.
  const names = { name: 'checkout', nameSince: change.name === undefined ? null : 1, aliases: [] };
  return { id: newId(), projectId, ...names, states, ...fixed, ...change };
}

export function audienceOf(projectId: string, change: Partial<Audience> = {}): Audience {
  const rules = [{ attribute: 'plan', values: ['pro', 'team'] }];
  return { id: newId(), projectId, name: 'Pro', rules, createdAt: 1, updatedAt: 1, revision: 1, ...change };
}

export function tokenOf(projectId: string, change: Partial<Token> = {}): Token {
  const id = newId();
  return {
    id,
    projectId,
    name: 'ci',
    permission: 'write',
    environments: null,
    expiresAt: 0,
    createdBy: null,
    createdAt: 1,
    revokedAt: null,
    secretHash: new Uint8Array(createHash('sha256').update(id).digest()),
    denialEmailedAt: 0,
    revision: 1,
    ...change,
  };
}

export function sessionOf(memberId: string, change: Partial<Session> = {}): Session {
  const id = newId();
  const secretHash = new Uint8Array(createHash('sha256').update(id).digest());
  const fixed = { createdAt: 1, lastSeenAt: 1, address: '192.0.2.1', userAgent: 'Browser/1' };
  return { id, memberId, secretHash, ...fixed, ...change };
}

export function linkOf(organisationId: string, change: Partial<OneTimeLink> = {}): OneTimeLink {
  const id = newId();
  const secretHash = new Uint8Array(createHash('sha256').update(id).digest());
  const purpose = { kind: 'invitation', email: 'new@example.test', role: 'editor' } as const;
  const fixed = { createdBy: null, createdAt: 1, expiresAt: 2 };
  return { id, organisationId, purpose, secretHash, ...fixed, ...change };
}

export function identityOf(memberId: string, change: Partial<Identity> = {}): Identity {
  return {
    issuer: 'https://id.example.test',
    subject: `subject of ${memberId}`,
    memberId,
    createdAt: 1,
    ...change,
  };
}

export function denialOf(tokenId: string, change: Partial<Denial> = {}): Denial {
  const route = 'PATCH /api/v1/flags/{id}';
  return {
    tokenId,
    at: 1,
    reason: 'token-revoked',
    route,
    environment: null,
    address: '192.0.2.1',
    ...change,
  };
}

export function tokenUseOf(tokenId: string, change: Partial<TokenUse> = {}): TokenUse {
  const route = 'GET /api/v1/flags';
  return { tokenId, at: 1, route, environment: null, address: '192.0.2.1', count: 1, ...change };
}

export function evaluationCountOf(flagId: string, change: Partial<EvaluationCount> = {}): EvaluationCount {
  return { hour: 0, flagId, environmentNumber: 0, on: 1, off: 2, ...change };
}

export function outboxDeliveryOf(change: Partial<OutboxDelivery> = {}): OutboxDelivery {
  const fixed = { attempts: 1, nextAttemptAt: 1, settledMemberIds: [], failedAt: null };
  return { ...fixed, fault: '451 later', ...change };
}

export function auditEntryOf(ledgerId: string, change: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: newId(),
    ledgerId,
    projectId: null,
    at: 1,
    actor: { kind: 'operator', id: '', name: 'operator' },
    action: 'flag.patch',
    targetId: newId(),
    targetName: 'checkout',
    environment: null,
    changes: [{ field: 'enabled', before: false, after: true }],
    requestId: null,
    address: '192.0.2.7',
    ...change,
  };
}

export function keptAnswerOf(token: Token, change: Partial<KeptAnswer> = {}): KeptAnswer {
  const { id: tokenId, projectId } = token;
  const { key = 'run-1', body = '{"id":"x","name":"ü"}' } = change;
  const fixed = { key, body, bytes: keptBytes(key, body), keptAt: 1, entityTag: '"1-1"', nameTakenBy: null };
  const requestHash = new Uint8Array(createHash('sha256').update(key).digest());
  return { projectId, tokenId, requestHash, ...fixed, ...change };
}

/** Kinds whose change is a record before and after, and nothing else. */
type Kept = Exclude<Extract<RecordChange, { readonly before: unknown }>['kind'], 'flag' | 'kept-answer'>;

export function creationOf<Kind extends Kept>(
  kind: Kind,
  after: Extract<RecordChange, { kind: Kind }>['after'],
): RecordChange {
  return { kind, before: null, after } as RecordChange;
}

export function flagChangeOf(
  before: Flag | null,
  after: Flag | null,
  environment: string | null = null,
): RecordChange {
  return { kind: 'flag', before, after, environment };
}
