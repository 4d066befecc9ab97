import type { DenialLetter } from '../domain/outbox/denial-letter.ts';
import { denialWords } from '../domain/token/denial.ts';
import { cutAt, toWellFormed } from '../support/code-points.ts';

/** A mail as it is given to the mail server. */
export interface Mail {
  /** The same each time that the letter is sent, so that a receiver can recognise a duplicate. */
  readonly messageId: string;
  readonly from: string;
  readonly to: readonly { readonly name: string; readonly address: string }[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const nameCodePointsMax = 100;

/** @param mailFrom an address, or `Name <address>` */
export function denialMail(letter: DenialLetter, mailFrom: string, baseUrl: string): Mail {
  const { denial, recipients, projectId } = letter;
  const token = oneLine(letter.tokenName);
  const project = oneLine(letter.projectName);
  const link = `${baseUrl}/console/projects/${projectId}/tokens/${denial.tokenId}`;
  const opening = `A request with the API token "${token}" of the project "${project}" (${oneLine(letter.organisationName)}) was refused.`;
  const facts: readonly (readonly [string, string])[] = [
    ['Why', denialWords[denial.reason].cause],
    ['What to do', denialWords[denial.reason].advice],
    ['When', `${new Date(denial.at).toISOString().replace('T', ' ').slice(0, 19)} UTC`],
    ['Request', oneLine(denial.route)],
    ...flagFact(letter),
    ...(denial.environment === null ? [] : [['Environment', oneLine(denial.environment)] as const]),
    ['From address', oneLine(denial.address)],
  ];
  const closing =
    'You get this mail because you created the token or are an Owner of the organisation. Burgee sends at most one in 24 hours for each token. The token’s activity page shows all refusals.';
  return {
    messageId: `<denial.${denial.tokenId}.${denial.at}@${domainOf(mailFrom)}>`,
    from: mailFrom,
    to: recipients.map(({ name, email }) => ({ name: inHeader(oneLine(name)), address: email })),
    subject: inHeader(`API token ${token} of ${project} was refused`),
    text: [opening, '', ...facts.map(([name, value]) => `${name}: ${value}`), '', link, '', closing, ''].join(
      '\n',
    ),
    html: htmlOf(opening, facts, link, closing),
  };
}

/** The flag by name and id; by its id alone, if the project does not have it. */
function flagFact({ denial: { flagId }, flagName }: DenialLetter): readonly (readonly [string, string])[] {
  if (flagId === undefined) return [];
  return [['Flag', flagName === null ? flagId : `${oneLine(flagName)} (${flagId})`]];
}

function htmlOf(
  opening: string,
  facts: readonly (readonly [string, string])[],
  link: string,
  closing: string,
): string {
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th align="left" style="padding:2px 16px 2px 0">${escaped(name)}</th><td>${escaped(value)}</td></tr>`,
  );
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"></head>',
    '<body style="font-family:sans-serif">',
    `<p>${escaped(opening)}</p>`,
    `<table>${rows.join('')}</table>`,
    `<p><a href="${escaped(link)}">Show the token’s activity</a></p>`,
    `<p style="color:#555">${escaped(closing)}</p>`,
    '</body></html>',
  ].join('\n');
}

/**
 * A name that is safe in a header or a line: without characters that could begin a new line or change the direction of
 * the text (controls, line and paragraph separators, format characters), and cut to a maximal length.
 */
function oneLine(text: string): string {
  const plain = toWellFormed(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return cutAt(plain.trim(), nameCodePointsMax);
}

/** A mail reader would decode a name that looks like an encoded word (RFC 2047); the space prevents that. */
function inHeader(text: string): string {
  return text.replaceAll('=?', '= ?');
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

function domainOf(mailFrom: string): string {
  return /@([^@\s<>]+)>?\s*$/.exec(mailFrom)?.[1] ?? 'localhost';
}
