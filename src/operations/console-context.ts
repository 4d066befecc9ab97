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

/**
 * What the operations of one request share. The settings are its prototype: copying them for each request took more time
 * than any other function of a refusal.
 */
export function createConsoleContext(settings: ConsoleSettings): ConsoleContext {
  const own = { now: Date.now(), newId, newSecret, hashSecret };
  return Object.setPrototypeOf(own, settings) as typeof own & ConsoleSettings;
}
