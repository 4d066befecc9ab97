import { checkStore } from '../../../src/storage/check.ts';
import { openStore } from '../../../src/storage/store.ts';
import { openStoreReader } from '../../../src/storage/store-reader.ts';
import {
  creationOf,
  flagChangeOf,
  flagOf,
  organisationOf,
  projectOf,
} from '../../storage/support/records.ts';
import { storedDigest } from './model.ts';

/**
 * Opens each directory that it is sent, as a start does, and reports the store's content. It is a process of its
 * own, because damage may end it.
 */
export type JudgeAnswer =
  | { readonly kind: 'opened'; readonly digest: string; readonly findings: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string };

const mapBytes = 2 ** 30;

process.on('message', (directory: string) => {
  judge(directory).then(
    (answer) => process.send?.(answer),
    (fault: Error) => process.send?.({ kind: 'refused', message: fault.message } satisfies JudgeAnswer),
  );
});

async function judge(directory: string): Promise<JudgeAnswer> {
  const store = openStore({ directory, mapBytes });
  const reader = openStoreReader({ directory, mapBytes });
  try {
    const digest = storedDigest(reader);
    const organisation = organisationOf();
    const project = projectOf(organisation.id);
    // The store works on: a write is kept, and the store stays consistent.
    store.write(({ apply }) =>
      apply([
        creationOf('organisation', organisation),
        creationOf('project', project),
        flagChangeOf(null, flagOf(project.id, { cohorts: ['x'.repeat(20_000)] })),
      ]),
    );
    reader.renew();
    if (reader.queries.project(project.id) === undefined)
      throw new Error('a write after the power loss is lost');
    const findings = Array.from(checkStore(directory), ({ where, what }) => `${where}: ${what}`);
    return { kind: 'opened', digest, findings };
  } finally {
    await reader.close();
    await store.close();
  }
}
