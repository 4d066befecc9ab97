import t from 'tap';
import type { BenchRequest } from '../../../bench/load/request-list.ts';
import type { Provisioned, ProvisionedProject } from '../../../bench/servers/bench-directory.ts';
import { mixedProvision, placeMixedFlag } from '../../../bench/servers/flag-fixtures.ts';
import { findMixedFlag, mixedRequests } from '../../../bench/servers/mixed-requests.ts';
import { provisionDocuments } from '../../../bench/servers/provision-file.ts';
import { SeededRandom } from '../../../bench/servers/seeded-random.ts';
import { Zipf } from '../../../bench/servers/zipf.ts';
import type { DeclaredFlag } from '../../../src/contracts/provision/declared-flag.ts';
import type { ProvisionDocument } from '../../../src/contracts/provision/provision-document.ts';

/** Ids in the form in which `apply` prints them, made from the names. */
function provisionedFrom(count: number): Provisioned {
  const projects: Record<string, ProvisionedProject> = {};
  for (const { name, flags } of mixedProvision(count)) {
    const ids = [...flags].map((flag) => [flag.name, `${name}.${flag.name}`] as const);
    const tokens = { 'bench-write': { id: 'token', secret: `secret of ${name}` } };
    projects[name] = { id: name, flags: Object.fromEntries(ids), audiences: {}, tokens };
  }
  return { projects };
}

t.test('every flag of the mix is provisioned once, and is found in its project', async (t) => {
  for (const count of [7, 1000, 120_000]) {
    const provisioned = provisionedFrom(count);
    const ids = new Set<string>();
    for (let index = 0; index < count; index += 1) ids.add(findMixedFlag(index, count, provisioned).id);
    t.equal(ids.size, count);
    const flagsOf = Object.values(provisioned.projects).map(({ flags }) => Object.keys(flags).length);
    t.equal(Math.max(...flagsOf) <= 10_000, true);
  }
});

t.test('a flag is the same for every number of flags', async (t) => {
  const flagAt = (index: number, count: number): DeclaredFlag | undefined => {
    const { project, flag } = placeMixedFlag(index, count);
    for (const part of mixedProvision(count)) {
      if (part.name !== project) continue;
      for (const declared of part.flags) if (declared.name === flag) return declared;
    }
    return undefined;
  };
  for (const index of [0, 7, 13, 88]) {
    t.ok(flagAt(index, 100));
    t.strictSame(flagAt(index, 100), flagAt(index, 200_000));
  }
});

t.test('the load has its documented shares, and is the same for the same seed', async (t) => {
  const provisioned = provisionedFrom(1000);
  const requests = mixedRequests(1000, provisioned, 1, 20_000);
  t.strictSame(mixedRequests(1000, provisioned, 1, 100), requests.slice(0, 100));
  t.strictNotSame(mixedRequests(1000, provisioned, 2, 100), requests.slice(0, 100));
  const share = (passes: (request: BenchRequest) => boolean): number =>
    requests.filter(passes).length / requests.length;
  const near = (wanted: number, found: number): boolean => Math.abs(found - wanted) < 0.015;
  const isKnown = ({ status }: BenchRequest): boolean => status === 200;
  t.ok(
    near(
      0.05,
      share((request) => request.status === 404),
    ),
  );
  t.ok(
    near(
      0.2,
      share((request) => isKnown(request) && request.path.includes('cohort=')),
    ),
  );
  t.ok(
    near(
      0.15,
      share((request) => isKnown(request) && request.path.includes('plan=')),
    ),
  );
  t.ok(
    near(
      0.6,
      share((request) => isKnown(request) && !/cohort=|plan=/.test(request.path)),
    ),
  );
});

t.test('a flag with environments is always evaluated in one', async (t) => {
  const provisioned = provisionedFrom(1000);
  const wrong = mixedRequests(1000, provisioned, 1, 2000).filter(
    ({ path, status }) =>
      status === 200 && path.includes('env=production') !== path.startsWith('/v1/flags/platform.'),
  );
  t.same(wrong, []);
});

t.test('the most popular flag is requested twice as often as the next', async (t) => {
  const random = new SeededRandom(5);
  const zipf = new Zipf(1000);
  const counts = new Array<number>(1000).fill(0);
  for (let draw = 0; draw < 100_000; draw += 1) {
    const rank = zipf.draw(random);
    counts[rank] = (counts[rank] ?? 0) + 1;
  }
  const [first = 0, second = 1] = counts;
  t.ok(first / second > 1.8 && first / second < 2.2, `${first} and ${second}`);
});

t.test('documents for apply declare all projects, none too large', async (t) => {
  const documents = [...provisionDocuments(mixedProvision(120_000))];
  t.ok(documents.length > 1 && documents.every(({ length }) => length < 32 * 2 ** 20));
  const written = documents.flatMap((text) => (JSON.parse(text) as ProvisionDocument).organisations ?? []);
  const declared = [...mixedProvision(120_000)].map((part) => ({ ...part, flags: [...part.flags] }));
  // As texts: comparing 120,000 objects takes half a minute.
  t.ok(JSON.stringify(written.flatMap(({ projects }) => projects)) === JSON.stringify(declared));
});
