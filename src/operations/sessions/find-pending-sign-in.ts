import { succeed } from '../../domain/outcome.ts';
import { anybody, type ConsoleRequest, readStep } from '../operation.ts';
import { openSignIn, type PendingSignIn } from './open-id/sealed-sign-in.ts';
import type { FindPendingSignIn, FoundPendingSignIn } from './step-bodies.ts';

/** Values of one cookie that are tried: a page of a sibling host may have planted another. */
const sealedMax = 4;

/** The pending sign-in of a browser that returns from the provider, if no session has begun with it. */
export const findPendingSignIn = readStep(
  'find-pending-sign-in',
  anybody,
  (queries, { body: { state, sealed } }: ConsoleRequest<FindPendingSignIn>, _principal, context) => {
    const key = queries.signInKey();
    const opened = sealed
      .slice(0, sealedMax)
      .map((each) => (key === undefined ? null : openSignIn(each, state, key, context.now)))
      .find((each): each is PendingSignIn => each !== null);
    const isUsed =
      opened !== undefined &&
      queries.isSignInUsed({ stateHash: context.hashSecret(state), begunAt: opened.begunAt });
    const signIn = opened === undefined || isUsed ? null : opened;
    return succeed({ value: { signIn } satisfies FoundPendingSignIn });
  },
);
