import type { ConsoleReply } from './console-reply.ts';

const tooManyAttempts =
  'Too many attempts to sign in to this account, or from this address. Wait, or use a sign-in link.';
const busy = 'More passwords are being checked than the service takes at once. Retry in a moment.';

/** @param retryAfter seconds */
export function refuseAttempts(reply: ConsoleReply, retryAfter: number): void {
  reply.refuse({ code: 'too-many-attempts', detail: tooManyAttempts }, { retryAfter });
}

export function passwordsBusy(reply: ConsoleReply): void {
  reply.refuseUnavailable(busy);
}
