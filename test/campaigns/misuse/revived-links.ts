import { ConsoleClient } from '../../console/console-client.ts';
import { secretIn } from '../../console/console-fixture.ts';
import { PreparedStore } from '../../console/prepared-store.ts';
import { bootServer } from '../../support/booted-server.ts';
import { expect } from '../../support/expectations.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { Misuse } from './misuse.ts';

const makers = 3;
const turns = 30;

interface Invitation {
  readonly secret: string;
  readonly maker: number;
  /** Until the maker was no Admin for a moment. */
  isValid: boolean;
}

/** An invitation works as long as its maker has been an Admin without a break: a later promotion revives none. */
export const revivedLinks: Misuse = async (t, random) => {
  const prepared = new PreparedStore();
  const ownerId = prepared.addMember('owner');
  const admins = Array.from({ length: makers }, () => ({
    id: prepared.addMember('admin'),
    role: 'admin',
    revision: 1,
  }));
  const dataDir = temporaryDirectory(t);
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir });
  const owner = prepared.client(t, server.port, ownerId);
  const invitations: Invitation[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const maker = random.integer(0, makers - 1);
    const admin = admins[maker];
    if (admin === undefined) continue;
    if (random.chance(0.5)) {
      const asked = { email: `guest-${turn}@example.test`, role: 'viewer' };
      const made = await prepared.client(t, server.port, admin.id).send('POST', '/invitations', asked);
      expect(made.status === (admin.role === 'admin' ? 201 : 403), `${admin.role} invites: ${made.text}`);
      if (made.status === 201) invitations.push({ secret: secretIn(made.json.url), maker, isValid: true });
    } else {
      admin.role = random.pick(['admin', 'editor', 'viewer'].filter((role) => role !== admin.role));
      const change = { revision: admin.revision, role: admin.role };
      const edited = await owner.send('PATCH', `/members/${admin.id}`, change);
      expect(edited.status === 200, `the role is changed: ${edited.text}`);
      admin.revision += 1;
      if (admin.role === 'admin') continue;
      for (const invitation of invitations) if (invitation.maker === maker) invitation.isValid = false;
    }
  }
  for (const [index, { secret, isValid }] of random.shuffle(invitations).entries()) {
    const client = new ConsoleClient(t, { port: server.port });
    const seen = await client.send('POST', '/link', { secret });
    expect(
      seen.status === (isValid ? 200 : 410),
      `invitation ${index}, ${isValid ? 'valid' : 'ended'}: ${seen.text}`,
    );
  }
  await server.stop();
  return invitations.length;
};
