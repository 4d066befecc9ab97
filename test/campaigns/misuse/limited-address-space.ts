import { once } from 'node:events';
import { listeningPort } from '../../support/booted-server.ts';
import { spawnBurgee } from '../../support/burgee-command.ts';
import { debianPrograms, pathOf } from '../../support/debian-programs.ts';
import { expect } from '../../support/expectations.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { Misuse } from './misuse.ts';

const starts = 3;
const gibibyte = 2 ** 30;
/** The start and the end of a service, on a slow machine. */
const endMsMax = 60_000;

/** Any limit of address space lets the service serve, or ends it in order with a message that names the limit. */
export const limitedAddressSpace: Misuse = async (t, random) => {
  const prlimit = pathOf(debianPrograms('prlimit'), 'prlimit');
  const dataDir = temporaryDirectory(t);
  for (let start = 0; start < starts; start += 1) {
    const bytes = Math.round(2 ** (random.next() * 7 + 1) * gibibyte);
    const arguments_ = ['serve', '--data-dir', dataDir, '--port', '0', '--host', '127.0.0.1'];
    const child = spawnBurgee(arguments_, {}, [prlimit, `--as=${bytes}`]);
    t.teardown(() => child.kill('SIGKILL'));
    let output = '';
    let isAsked = false;
    const read = (text: string): void => {
      output += text;
      const isListening = output.split('\n').some((line) => listeningPort(line) !== null);
      // A second signal would end it at once.
      if (isListening && !isAsked) isAsked = child.kill('SIGTERM');
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    const given = `${(bytes / gibibyte).toFixed(1)} GiB of address space`;
    const ended = once(child, 'close', { signal: AbortSignal.timeout(endMsMax) });
    const [code, signal] = (await ended.catch(() => {
      throw new Error(`${given}: it neither serves nor ends: ${output.slice(-500)}`);
    })) as [number | null, NodeJS.Signals | null];
    const shown = `${given}: ${signal ?? code}: ${output.slice(-500)}`;
    expect(code === 1 || (code === 0 && isAsked), shown);
    expect(code === 0 || /address space.*ulimit -v/s.test(output), shown);
  }
  return starts;
};
