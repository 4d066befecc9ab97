import type { OpenIdRefusal } from '../../../domain/session/open-id-refusal.ts';

const signInLink = 'an Admin of your organisation can make you a sign-in link: open it and choose';

/** Why somebody who came back from the provider is not signed in, and what to do. @param name of the provider */
export function openIdWords(refusal: OpenIdRefusal, name: string): string {
  const words: Readonly<Record<OpenIdRefusal, string>> = {
    denied: `You were not signed in at ${name}: the sign-in was cancelled or refused there. Try again, or sign in another way.`,
    expired: `This sign-in was too old, was used already, or began in another browser or at another address of this service. Begin again here.`,
    'provider-failed': `What ${name} answered cannot be used. Begin again; if it goes on, tell the operator of this service, whose log has the reason.`,
    'provider-unreachable': `${name} did not answer in time. Try again in a moment, or sign in another way.`,
    unavailable: 'The service could not finish the sign-in just now. Try again in a moment.',
    'email-not-verified': `${name} does not say that your email is verified, so it does not tell who you are here. Verify it there, or open your invitation. If you are a member already: ${signInLink} ${name} there.`,
    'not-a-member': `Nobody here has the email that ${name} knows you by. If you were invited, open the link of the invitation; otherwise ask an Admin to invite you.`,
    'several-members': `Several organisations here have a member with your email, so it does not say which one you mean: ${signInLink} ${name} there. A password works, too.`,
    'other-account': `The member with your email signs in with another account of ${name}. If this is your account now: ${signInLink} ${name} there.`,
    'account-taken': `This account of ${name} signs in another member here. Open the link again and use another account, or a password.`,
    'link-over':
      'The link that you came with has been used, has expired or was withdrawn. Ask an Admin of your organisation for a new one.',
    'email-taken':
      'A member of the organisation has the email of this link already. Sign in as that member, or ask an Admin for a sign-in link.',
    'organisation-full':
      'The organisation has as many members as it may have. Ask one of its Admins to make room, then open the link again.',
  };
  return words[refusal];
}
