import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { processEnvironment } from '../config/given-settings.ts';
import type { DeclaredToken } from '../contracts/provision/declared-project.ts';
import { readTokenSecret } from '../domain/token/token-secret.ts';
import { hashTokenSecret } from '../operator/apply-file.ts';
import { projectsOf, readDocument } from '../operator/read-document.ts';
import { messageOf } from '../support/message-of.ts';
import { CommandFailure } from './command-failure.ts';

/**
 * Reads the secrets of tokens that a file of `apply` names by `secretFile` or `secretVariable`, and puts their hashes in
 * the place of these keys: neither the server nor its socket gets a secret.
 *
 * @returns the file to apply. A faulty file is returned as it is, for the server to refuse.
 * @throws {CommandFailure} with every secret that cannot be used
 */
export function hashGivenSecrets(
  file: Uint8Array,
  name: string,
  { tokenPrefix, tokenPrefixesAccepted }: Pick<Config, 'tokenPrefix' | 'tokenPrefixesAccepted'>,
): Uint8Array {
  // Most files name none, and need not be parsed here.
  if (!Buffer.from(file.buffer, file.byteOffset, file.length).includes('"secret')) return file;
  const { document, problems } = readDocument(file);
  if (!problems.isEmpty) return file;
  const prefixes = [tokenPrefix, ...tokenPrefixesAccepted];
  const faults: string[] = [];
  for (const { path, project } of projectsOf(document)) {
    for (const [index, token] of (project.tokens ?? []).entries()) {
      const fault = takeSecret(token, prefixes);
      if (fault !== null) faults.push(`${path}.tokens[${index}].${fault}`);
    }
  }
  if (faults.length > 0) throw new CommandFailure(`Nothing was applied: ${name} is refused.`, faults);
  return Buffer.from(JSON.stringify(document));
}

/** Replaces the place of a token's secret by the hash of the secret. @returns why it cannot; null when it did */
function takeSecret(token: DeclaredToken, prefixes: readonly string[]): string | null {
  const { secretFile, secretVariable } = token;
  if (token.secretHash !== undefined)
    return 'secretHash is not accepted in a file: use secretFile or secretVariable';
  if (secretFile !== undefined && secretVariable !== undefined)
    return 'secretVariable is not accepted together with secretFile';
  const place = secretFile ?? secretVariable;
  if (place === undefined) return null;
  const key = secretFile === undefined ? 'secretVariable' : 'secretFile';
  if (readTokenSecret(place, prefixes) !== undefined)
    return `${key} must name the place of the secret, and has the secret itself`;
  let text: string | undefined;
  try {
    text = key === 'secretFile' ? readFileSync(place, 'utf8') : processEnvironment()[place];
  } catch (fault) {
    return `${key}: ${place} cannot be read: ${messageOf(fault)}`;
  }
  if (text === undefined) return `${key}: the environment variable ${place} is not set`;
  const secret = text.trim();
  // The secret, or what was found instead of one, is never part of a message.
  if (readTokenSecret(secret, prefixes) === undefined)
    return `${key}: ${place} does not hold the secret of a token, as "burgee token secret" makes one: ${prefixes.join('_ or ')}_, and 49 letters and digits that end in a checksum`;
  delete token.secretFile;
  delete token.secretVariable;
  token.secretHash = Buffer.from(hashTokenSecret(secret)).toString('hex');
  return null;
}
