import type { AuditAction } from '../../../domain/audit/audit-entry.ts';

/** What was done, as a filter lists it and an entry tells it. */
export const actionWords: Readonly<Record<AuditAction, string>> = {
  'flag.create': 'created flag',
  'flag.patch': 'changed flag',
  'flag.edit': 'edited flag',
  'flag.delete': 'deleted flag',
  'audience.create': 'created audience',
  'audience.edit': 'edited audience',
  'audience.delete': 'deleted audience',
  'project.create': 'created project',
  'project.edit': 'edited project',
  'environment.create': 'created environment',
  'environment.edit': 'edited environment',
  'environment.delete': 'deleted environment',
  'token.create': 'created token',
  'token.revoke': 'revoked token',
  'token.rotate': 'rotated token',
  'organisation.create': 'created organisation',
  'organisation.edit': 'edited organisation',
  'organisation.set-plan': 'changed the plan of',
  'member.create': 'added member',
  'member.edit': 'edited member',
  'member.remove': 'removed member',
  'member.invite': 'invited',
  'member.withdraw-invitation': 'withdrew the invitation of',
  'member.make-sign-in-link': 'made a sign-in link for',
  'member.follow-sign-in-link': 'followed the sign-in link for',
};

export function actionWord(action: string): string {
  return Object.hasOwn(actionWords, action) ? actionWords[action as AuditAction] : action;
}
