import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { DeclaredFlag } from '../../src/contracts/provision/declared-flag.ts';
import type { DeclaredProject } from '../../src/contracts/provision/declared-project.ts';

/** A project to provision. Its flags are generated one at a time, because there may be a million. */
export type ProvisionedPart = Omit<DeclaredProject, 'flags'> & {
  /** The usual one unless given. Those of one organisation follow each other. */
  readonly organisation?: string;
  /** Of the organisation, where this project is its first. */
  readonly members?: readonly object[];
  readonly flags: Iterable<DeclaredFlag>;
};

const usualOrganisation = 'Bench';
/** For a tenant whose project belongs to nobody else. */
export const quietOrganisation = 'Quiet';

/** How many characters are collected for one write. */
const pieceChars = 256 * 1024;

/** Writes a file for `apply` with these projects, and holds only a piece of it in memory. */
export async function writeProvisionFile(path: string, projects: Iterable<ProvisionedPart>): Promise<void> {
  const stream = createWriteStream(path, { mode: 0o600 });
  // Without a listener, a full disk's error event would end the process before the promise is awaited.
  const done = finished(stream);
  done.catch(() => undefined);
  let piece = '';
  for (const text of provisionTexts(projects)) {
    piece += text;
    if (piece.length < pieceChars) continue;
    if (!stream.write(piece)) await Promise.race([once(stream, 'drain'), done]);
    piece = '';
  }
  stream.end(piece);
  await done;
}

function* provisionTexts(projects: Iterable<ProvisionedPart>): Generator<string> {
  let present: string | null = null;
  yield '{"organisations":[';
  for (const { organisation = usualOrganisation, members = [], ...project } of projects) {
    if (organisation === present) yield ',';
    else {
      if (present !== null) yield ']},';
      const declared = JSON.stringify({ name: organisation, plan: 'enterprise', members });
      yield `${declared.slice(0, -1)},"projects":[`;
    }
    present = organisation;
    yield* projectTexts(project);
  }
  yield present === null ? ']}' : ']}]}';
}

function* projectTexts({
  flags,
  ...project
}: Omit<ProvisionedPart, 'organisation' | 'members'>): Generator<string> {
  yield `${JSON.stringify(project).slice(0, -1)},"flags":[`;
  let isFirst = true;
  for (const flag of flags) {
    yield `${isFirst ? '' : ','}${JSON.stringify(flag)}`;
    isFirst = false;
  }
  yield ']}';
}
