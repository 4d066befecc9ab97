import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import t from 'tap';
import { ClusterUrlError, parseClusterUrl } from '../../../src/config/cluster-url.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const parse = (text: string): object => {
  const { hosts, user, database, tls } = parseClusterUrl(text, null);
  return { hosts, user, database, tls };
};

t.test('a URL has a user, hosts with ports, and a database', async (t) => {
  const tls = { mode: 'prefer', rootCertificateFile: null, certificate: null };
  t.same(parse('postgres://flags@db/burgee'), {
    hosts: [{ host: 'db', port: 5432 }],
    user: 'flags',
    database: 'burgee',
    tls,
  });
  t.same(parse('postgresql://fl%40gs:x@a:1,[::1]:2,[fe80::1],b/d%2Fb'), {
    hosts: [
      { host: 'a', port: 1 },
      { host: '::1', port: 2 },
      { host: 'fe80::1', port: 5432 },
      { host: 'b', port: 5432 },
    ],
    user: 'fl@gs',
    database: 'd/b',
    tls,
  });
});

t.test('sslmode and the files say how it is encrypted', async (t) => {
  const tlsOf = (query: string) => parseClusterUrl(`postgres://u@h/d?${query}`, null).tls;
  for (const mode of ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'])
    t.equal(tlsOf(`sslmode=${mode}`).mode, mode);
  t.same(tlsOf('sslmode=verify-full&sslrootcert=%2Fca.pem&sslcert=c&sslkey=k'), {
    mode: 'verify-full',
    rootCertificateFile: '/ca.pem',
    certificate: { certificateFile: 'c', keyFile: 'k' },
  });
  t.equal(tlsOf('sslmode=require&sslrootcert=ca.pem').mode, 'verify-ca', 'as libpq does');
  t.equal(tlsOf('sslmode=verify-full&sslrootcert=system').rootCertificateFile, null);
});

const secret = 'h0rse';
const refused: readonly (readonly [text: string, message: RegExp])[] = [
  ['', /must be postgres:/],
  [`mysql://u:${secret}@h/d`, /must be postgres:/],
  [`postgres://u:${secret}@h`, /must be postgres:/],
  [`postgres://u:${secret}@h/`, /must be postgres:/],
  ['postgres://h/d', /must be postgres:/],
  [`postgres://u:a/${secret}@h/d`, /%2F/],
  [`postgres://:${secret}@h/d`, /no user/],
  [`postgres://u:${secret}%@h/d`, /% in the password must be written as %25/],
  [`postgres://u:${secret}@h:0/d`, /"h:0" is not a host/],
  [`postgres://u:${secret}@h:65536/d`, /"h:65536" is not a host/],
  [`postgres://u:${secret}@a,,b/d`, /"" is not a host/],
  [`postgres://u:${secret}@::1/d`, /\[IPv6 ADDRESS\]/],
  [`postgres://u:${secret}@${Array(17).fill('h').join(',')}/d`, /more than 16 hosts/],
  [`postgres://u:${secret}@h/d?sslmode=allow`, /sslmode must be one of disable, prefer/],
  [`postgres://u:${secret}@h/d?sslmode=prefer&sslmode=disable`, /more than once/],
  [`postgres://u:${secret}@h/d?connect_timeout=3`, /connect_timeout is not known/],
  [`postgres://u:${secret}@h/d?sslcert=a`, /belong together/],
  [`postgres://u:${secret}@h/d?sslrootcert=a`, /write sslmode=verify-full/],
];

t.test('what is wrong is refused with what to write, and without the password', async (t) => {
  for (const [text, message] of refused) {
    try {
      parseClusterUrl(text, null);
      t.fail(text);
    } catch (fault) {
      t.ok(fault instanceof ClusterUrlError, text);
      t.match((fault as Error).message, message);
      t.notMatch((fault as Error).message, secret);
    }
  }
});

t.test('what can be printed of it has no password', async (t) => {
  const url = parseClusterUrl(`postgres://u:${secret}@a,b:1/d?sslmode=require`, null);
  t.equal(url.describe(), 'postgres://u@a:5432,b:1/d?sslmode=require');
  t.notMatch(inspect(url, { showHidden: true, depth: 9 }), secret);
  t.notMatch(JSON.stringify(url), secret);
  t.equal(await url.readPassword(), secret);
});

t.test('the password may be the first line of a file, which is read each time', async (t) => {
  const file = join(temporaryDirectory(t), 'password');
  const url = parseClusterUrl('postgres://u@h/d', file);
  await t.rejects(url.readPassword(), /BURGEE_CLUSTER_PASSWORD_FILE cannot be read: ENOENT/);
  writeFileSync(file, `${secret}\r\nanother line\n`);
  t.equal(await url.readPassword(), secret);
  writeFileSync(file, 'renewed');
  t.equal(await url.readPassword(), 'renewed');
  writeFileSync(file, '\n');
  await t.rejects(url.readPassword(), /first line .* is empty/);
  t.throws(() => parseClusterUrl('postgres://u:p@h/d', file), /give one of them/);
  t.equal(await parseClusterUrl('postgres://u@h/d', null).readPassword(), null);
});
