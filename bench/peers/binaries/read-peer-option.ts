import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { didYouMean } from '../../../src/support/closest-name.ts';
import { binaryPeers } from './binary-peers.ts';

const names = binaryPeers.map(({ name }) => name);

function checkProgram(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new InvalidArgumentError(
      `There is no file ${path}. Build the peer as bench/README.md says, and give its path.`,
    );
  try {
    accessSync(path, constants.X_OK);
  } catch {
    throw new InvalidArgumentError(`This user may not run ${path}. Allow it: chmod +x.`);
  }
}

/**
 * Reads an option `--peer flagr=PATH`.
 *
 * @param before the programs of earlier options
 * @returns paths of programs by the names of peers
 * @throws InvalidArgumentError that says what to do
 */
export function readPeerOption(
  text: string,
  before: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const [, name = '', path = ''] = /^([^=]*)=(.+)$/.exec(text) ?? [];
  if (path === '') throw new InvalidArgumentError(`Give NAME=PATH, such as ${names[0]}=./${names[0]}.`);
  if (!names.includes(name))
    throw new InvalidArgumentError(
      `There is no peer ${name}${didYouMean(name, names)}\nThere are: ${names.join(', ')}.`,
    );
  if (before.has(name)) throw new InvalidArgumentError(`${name} is given twice.`);
  const program = resolve(path);
  checkProgram(program);
  return new Map([...before, [name, program]]);
}
