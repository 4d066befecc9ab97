import { succeed } from '../../domain/outcome.ts';
import { conversation, signedIn, writeStep } from '../operation.ts';
import { askWriter } from './ask-actors.ts';
import { closeSession } from './open-session.ts';

export const endOwnSession = writeStep(
  'end-own-session',
  signedIn,
  (_queries, request, { session, member }, context) =>
    succeed({ changes: closeSession(session, member, request, context), reply: {} }),
);

/** Ends the session that asks, and removes its cookie. */
export const signOut = conversation('sign-out', {
  route: 'DELETE /session',
  access: signedIn,
  run: async ({ request }, actors) => {
    const ended = await askWriter<null>(request, endOwnSession, null, actors);
    if (ended !== null) request.answer(204, '', { setCookies: [actors.cookie.clear()] });
  },
});
