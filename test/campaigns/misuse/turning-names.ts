import { bootServer, unlimited } from '../../support/booted-server.ts';
import { expect } from '../../support/expectations.ts';
import { provisionProject } from '../campaign-project.ts';
import { getRequest, patchRequest, postRequest, WireConnection } from '../wire-connection.ts';
import type { Misuse } from './misuse.ts';

const attempts = 120;
const allowed = [
  'checkout',
  'Größe',
  '漢字',
  'תשלום',
  'دفع',
  '👩‍💻',
  '🇩🇪',
  'e\u0301',
  '=?utf-8?Q?x?=',
  '\u200d',
  '%0A',
  '&amp;',
];
/** Line and paragraph separators, and all controls of the direction of text (Unicode Standard Annex 9, 2). */
const refused = [
  ...['\u2028', '\u2029', '\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e'],
  ...['\u2066', '\u2067', '\u2068', '\u2069', '\n', '\r', '\0', '\u0085', '\u001b'],
];

/** A name that breaks its line or turns text is refused, also in a change; every other one is stored as it was sent. */
export const turningNames: Misuse = async (t, random) => {
  const { dataDir, secret } = await provisionProject(t, { flags: 1 });
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const connection = await WireConnection.open(server.port);
  t.teardown(() => connection.destroy());
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const isBad = random.chance(0.5);
    const parts = [
      `${attempt} `,
      ...Array.from({ length: random.integer(1, 4) }, () => random.pick(allowed)),
      'z',
    ];
    if (isBad) parts.splice(random.integer(1, parts.length - 1), 0, random.pick(refused));
    const name = parts.join('');
    const { status, body } = await connection.ask(postRequest('/api/v1/flags', { name }, secret));
    expect(status === (isBad ? 400 : 201), `${JSON.stringify(name)}: ${status} ${body}`);
    if (isBad) continue;
    const { id } = JSON.parse(body) as { readonly id: string };
    const read = await connection.ask(getRequest(`/api/v1/flags/${id}`, secret));
    const shown = JSON.parse(Buffer.from(read.body, 'latin1').toString()) as { readonly name: string };
    expect(shown.name === name, `${JSON.stringify(name)} is stored as ${JSON.stringify(shown.name)}`);
    const patched = await connection.ask(patchRequest(`/api/v1/flags/${id}`, secret, { enabled: true }));
    expect(
      patched.status === 200,
      `${JSON.stringify(name)} cannot be patched: ${patched.status} ${patched.body}`,
    );
  }
  await server.stop();
  return attempts;
};
