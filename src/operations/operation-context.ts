import { randomBytes } from 'node:crypto';
import { newSecretText } from '../domain/token/token-secret.ts';
import { hashBytes, hashSecret } from '../support/hash-secret.ts';
import { newId } from '../support/random-id.ts';
import type { ConsoleSettings } from './console-settings.ts';
import type { WriteContext } from './management-operation.ts';
import type { ConsoleContext } from './operation.ts';

/** The settings that operations need on every thread. */
export interface OperationSettings extends ConsoleSettings {
  /** The present token prefix, and former ones whose tokens still work. */
  readonly acceptedPrefixes: readonly string[];
}

/** The input of an operation in addition to the records and the call. */
export type OperationContext = ConsoleContext & WriteContext;

const secretBytes = 32;

/** @returns a new secret of a token, session or link, without prefix */
export function newSecret(): string {
  return newSecretText(randomBytes(secretBytes));
}

/**
 * The settings are its prototype: copying them for each request took more time than any other function of a refusal.
 */
export function createOperationContext(settings: OperationSettings): OperationContext {
  const own = { now: Date.now(), newId, newSecret, hashSecret, hashBytes };
  return Object.setPrototypeOf(own, settings) as typeof own & OperationSettings;
}
