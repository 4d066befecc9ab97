import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { peersFolder } from '../peers/peer-packages.ts';

/** @returns the URL of an adapter that evaluates a flag for users with five attributes */
export function adapterUrl(name: string): string {
  return pathToFileURL(join(peersFolder, 'adapters', 'attributes', `${name}.mjs`)).href;
}

interface Question {
  readonly plans: readonly string[];
  readonly countries: readonly string[];
  attributesOf(userId: string): Readonly<Record<string, string | boolean>>;
}

/** The same file that the adapters of peers import. */
export const { plans, countries, attributesOf } = (await import(adapterUrl('question'))) as Question;
