import type { AuditEntryView } from '../../../contracts/console/audit-views.ts';
import type { AuditAction } from '../../../domain/audit/audit-entry.ts';

/** The actions in the words of an entry. */
const actionWords: Readonly<Record<AuditAction, string>> = {
  'flag.create': 'created flag',
  'flag.patch': 'changed flag',
  'flag.edit': 'changed flag',
  'flag.delete': 'deleted flag',
  'audience.create': 'created audience',
  'audience.edit': 'changed audience',
  'audience.delete': 'deleted audience',
  'project.create': 'created project',
  'project.edit': 'changed project',
  'environment.create': 'created environment',
  'environment.edit': 'changed environment',
  'environment.delete': 'deleted environment',
  'token.create': 'created token',
  'token.revoke': 'revoked token',
  'token.rotate': 'rotated token',
  'organisation.create': 'created organisation',
  'organisation.edit': 'changed organisation',
  'organisation.set-plan': 'changed the plan of',
  'member.create': 'added member',
  'member.edit': 'changed member',
  'member.remove': 'removed member',
  'member.invite': 'invited',
  'member.withdraw-invitation': 'withdrew the invitation of',
  'member.make-sign-in-link': 'made a sign-in link for',
  'session.begin': 'signed in as',
  'session.end': 'signed out',
  'session.refuse': 'failed to sign in as',
  'audit.export': 'exported the log of',
};

/** The kinds of entries, as a filter names them. */
const kindWords: Readonly<Record<AuditAction, string>> = {
  'flag.create': 'flag created',
  'flag.patch': 'flag changed (API)',
  'flag.edit': 'flag changed (console)',
  'flag.delete': 'flag deleted',
  'audience.create': 'audience created',
  'audience.edit': 'audience changed',
  'audience.delete': 'audience deleted',
  'project.create': 'project created',
  'project.edit': 'project changed',
  'environment.create': 'environment created',
  'environment.edit': 'environment changed',
  'environment.delete': 'environment deleted',
  'token.create': 'token created',
  'token.revoke': 'token revoked',
  'token.rotate': 'token rotated',
  'organisation.create': 'organisation created',
  'organisation.edit': 'organisation changed',
  'organisation.set-plan': 'plan changed',
  'member.create': 'member added',
  'member.edit': 'member changed',
  'member.remove': 'member removed',
  'member.invite': 'member invited',
  'member.withdraw-invitation': 'invitation withdrawn',
  'member.make-sign-in-link': 'sign-in link made',
  'session.begin': 'signed in',
  'session.end': 'signed out',
  'session.refuse': 'sign-in failed',
  'audit.export': 'log exported',
};

/** An action as the filter of kinds names it. */
export function kindWord(action: AuditAction): string {
  return kindWords[action];
}

/** The words for actions of members on themselves, where they differ. */
const ownWords: Partial<Record<string, string>> = {
  'member.create': 'joined',
  'session.begin': 'signed in',
  'session.end': 'signed out',
};

/** Whether the words of the entry already say whom it is about. */
export function isOfOneself({ action, actor, targetId }: AuditEntryView): boolean {
  return actor.kind === 'member' && actor.id === targetId && ownWords[action] !== undefined;
}

/** @param isOwn as `isOfOneself` says */
export function actionWord(action: string, isOwn: boolean): string {
  if (isOwn) return ownWords[action] ?? action;
  return Object.hasOwn(actionWords, action) ? actionWords[action as AuditAction] : action;
}
