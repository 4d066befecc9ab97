import { randomBytes } from 'node:crypto';
import { newSecretText } from '../domain/token/token-secret.ts';
import { hashSecret } from '../support/hash-secret.ts';
import { newId } from '../support/random-id.ts';
import type { ConsoleSettings } from './console-settings.ts';
import type { ConsoleContext } from './operation.ts';

const secretBytes = 32;

/** @returns a new secret of a token, session or link, without prefix. */
export function newSecret(): string {
  return newSecretText(randomBytes(secretBytes));
}

/** @returns what the operations of one request share. */
export function createConsoleContext(settings: ConsoleSettings): ConsoleContext {
  return {
    ...settings,
    now: Date.now(),
    newId,
    newSecret,
    hashSecret,
  };
}
