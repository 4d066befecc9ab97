import { type Static, type TSchema, Type } from 'typebox';
import { plans, subscriptions } from '../../domain/organisation/organisation.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { LinkContext } from '../../operations/organisations/make-link.ts';
import type { Decision } from './commands/command.ts';
import { makeOperatorLink } from './commands/make-operator-link.ts';
import { revokeToken } from './commands/revoke-token.ts';
import { setPlan } from './commands/set-plan.ts';

/** @param args the shape of the client's arguments @param run decides; its changes are one transaction */
function verb<Args extends TSchema, Result>(
  args: Args,
  run: (queries: RecordQueries, args: Static<Args>, context: LinkContext) => Outcome<Decision<Result>>,
) {
  return { args, run };
}

/**
 * The operator's verbs that are a single command of the writer, by their name on the socket. A new verb needs the file
 * of its command and a row here: server, client and writer derive the rest. The verbs that run on the operator's thread
 * are in `operator/operator.ts`.
 */
export const writerVerbs = {
  'set-plan': verb(
    Type.Object({
      organisation: Type.String(),
      fields: Type.Object({
        plan: Type.Optional(Type.Enum([...plans])),
        trialEndsAt: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
        subscription: Type.Optional(Type.Enum([...subscriptions])),
      }),
    }),
    setPlan,
  ),
  'make-sign-in-link': verb(
    Type.Object({ email: Type.String(), organisation: Type.Union([Type.String(), Type.Null()]) }),
    makeOperatorLink,
  ),
  'revoke-token': verb(Type.Object({ tokenId: Type.String() }), revokeToken),
} as const;

type WriterVerbs = typeof writerVerbs;
export type WriterVerbName = keyof WriterVerbs;
export type WriterVerbArgs<Name extends WriterVerbName> = Static<WriterVerbs[Name]['args']>;
export type WriterVerbResult<Name extends WriterVerbName> =
  ReturnType<WriterVerbs[Name]['run']> extends Outcome<Decision<infer Result>> ? Result : never;

export function isWriterVerb(name: string): name is WriterVerbName {
  return Object.hasOwn(writerVerbs, name);
}
