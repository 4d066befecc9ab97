import t from 'tap';
import { type CompiledFlag, compileFlag } from '../../../src/domain/evaluation/compiled-flag.ts';
import type { Flag } from '../../../src/domain/flag/flag.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import { FlagCache } from '../../../src/worker/evaluation/flag-cache.ts';
import { sizeOfProject } from '../../../src/worker/evaluation/project-size.ts';

const project: Project = {
  id: 'ProjectProjectProjec',
  name: 'shop',
  organisationId: null,
  ownerMemberId: null,
  isMultiEnvironment: false,
  environments: [],
  nextEnvironmentNumber: 1,
  environmentsRevision: 1,
  evaluationAccess: true,
  isProtected: false,
  slugs: [],
  isSlugPublic: false,
  createdAt: 1,
  revision: 1,
};

const projectBytes = sizeOfProject(project);

function compiled(name: string, cohorts: readonly string[] = []): CompiledFlag {
  const flag: Flag = {
    id: name.padEnd(20, '0'),
    projectId: project.id,
    name,
    nameSince: 1,
    aliases: [],
    description: '',
    tags: [],
    cohorts,
    states: new Map(),
    revision: 1,
    createdAt: 1,
    updatedAt: 1,
  };
  return compileFlag(flag, project, () => undefined);
}

function idOf(name: string): string {
  return name.padEnd(20, '0');
}

t.test('the least recently used flag goes first, and the bytes stay within the bound', async (t) => {
  const size = compiled('a').sizeBytes;
  let evicted = 0;
  const cache = new FlagCache(size * 3 + projectBytes, (flags) => {
    evicted += flags;
  });
  const cachedProject = cache.addProject(project);
  for (const name of ['a', 'b', 'c']) cache.add(compiled(name), cachedProject);
  t.ok(cache.find(idOf('a')), 'a is the newest now');
  cache.add(compiled('d'), cachedProject);
  t.equal(cache.find(idOf('b')), undefined);
  for (const name of ['a', 'c', 'd']) t.ok(cache.find(idOf(name)), name);
  t.equal(cache.bytes, size * 3 + projectBytes);
  t.equal(evicted, 1);
});

t.test('a random history agrees with a plain model', async (t) => {
  const size = compiled('a').sizeBytes;
  const cache = new FlagCache(size * 5 + projectBytes, () => undefined);
  const cachedProject = cache.addProject(project);
  let model: string[] = [];
  let state = 12_345;
  for (let step = 0; step < 20_000; step += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const name = String.fromCharCode(97 + ((state >>> 8) % 12));
    const isDrop = (state >>> 20) % 7 === 0;
    if (isDrop) cache.dropFlag(idOf(name));
    else if (cache.find(idOf(name)) === undefined) cache.add(compiled(name), cachedProject);
    model = model.filter((other) => other !== name);
    if (!isDrop) model = [...model, name].slice(-5);
    const bytes = model.length === 0 ? 0 : model.length * size + projectBytes;
    if (cache.bytes !== bytes) t.fail(`step ${step}: ${cache.bytes} bytes for ${model.join()}`);
  }
  for (const name of model) t.ok(cache.find(idOf(name)), name);
});

t.test('a flag larger than the bound is used, but not kept', async (t) => {
  const cache = new FlagCache(2000, () => undefined);
  const large = compiled(
    'large',
    Array.from({ length: 1000 }, (_unused, index) => `cohort-${index}`),
  );
  t.equal(cache.add(large, cache.addProject(project)).compiled, large);
  t.equal(cache.find(large.id), undefined);
  t.equal(cache.bytes, 0);
});

t.test('a changed project drops its flags', async (t) => {
  const cache = new FlagCache(1e6, () => undefined);
  const flag = compiled('a');
  cache.add(flag, cache.addProject(project));
  cache.dropProject(project.id);
  t.equal(cache.findProject(project.id), undefined);
  t.equal(cache.find(flag.id), undefined);
  t.equal(cache.bytes, 0, 'a stale flag is dropped when it is looked up');
  cache.add(flag, cache.addProject(project));
  t.ok(cache.find(flag.id));
  cache.clear();
  t.equal(cache.find(flag.id), undefined);
});

t.test('a flag that would displace half of the others is kept only in free space', async (t) => {
  const large = compiled(
    'large',
    Array.from({ length: 1000 }, (_unused, index) => `cohort-${index}`),
  );
  const cache = new FlagCache(large.sizeBytes * 1.5, () => undefined);
  const cachedProject = cache.addProject(project);
  cache.add(large, cachedProject);
  t.ok(cache.find(large.id));
  cache.dropFlag(large.id);
  let small = 0;
  for (; cache.bytes < large.sizeBytes; small += 1) cache.add(compiled(`s${small}`), cachedProject);
  cache.add(large, cachedProject);
  t.equal(cache.find(large.id), undefined);
  for (let index = 0; index < small; index += 1) t.ok(cache.find(idOf(`s${index}`)), `s${index}`);
});

const projectNamed = (id: string): Project => ({ ...project, id });

t.test(
  'projects without flags take an eighth of the memory at most, and the oldest goes first',
  async (t) => {
    const cache = new FlagCache(64 * 1024, () => t.fail('no flag goes for a project'));
    const used = cache.addProject(projectNamed('used'));
    cache.add(compiled('a'), used);
    const first = cache.addProject(projectNamed('first'));
    let count = 1;
    for (; cache.findProject('first') !== undefined && count < 1000; count += 1) {
      cache.addProject(projectNamed(`${count}`));
    }
    t.ok(count > 10 && count < 18, `${count} of some 512 bytes have 8 KiB`);
    t.ok(first.isStale);
    t.ok(cache.find(idOf('a')), 'a project with a flag stays');
    cache.dropFlag(idOf('a'));
    t.equal(cache.findProject('used'), used);
    for (let more = 0; more < 20; more += 1) cache.addProject(projectNamed(`more ${more}`));
    t.equal(cache.findProject('used'), undefined, 'without a flag it goes, too');
    t.equal(cache.bytes, 0);
  },
);

t.test('a project counts with its flags until the last of them has gone', async (t) => {
  const environments = Array.from({ length: 100 }, (_unused, number) => ({
    ...{ number, name: `environment ${number}`, isProtected: false },
  }));
  const cache = new FlagCache(1024 * 1024, () => undefined);
  const large = cache.addProject({ ...projectNamed('large'), isMultiEnvironment: true, environments });
  t.equal(cache.bytes, 0);
  for (const name of ['a', 'b']) cache.add(compiled(name), large);
  const flagBytes = compiled('a').sizeBytes;
  const withBoth = cache.bytes;
  t.ok(withBoth > 2 * flagBytes + 100 * 128);
  cache.dropProject('large');
  t.equal(cache.bytes, withBoth, 'its flags still refer to it');
  t.equal(cache.find(idOf('a')), undefined);
  t.equal(cache.bytes, withBoth - flagBytes);
  t.equal(cache.find(idOf('b')), undefined);
  t.equal(cache.bytes, 0);
});

t.test('a flag that is read again takes the place of its former state', async (t) => {
  const cache = new FlagCache(1024 * 1024, () => undefined);
  const cachedProject = cache.addProject(project);
  cache.add(compiled('a'), cachedProject);
  const { bytes } = cache;
  const newest = cache.add(compiled('a'), cachedProject);
  t.equal(cache.bytes, bytes);
  t.equal(cache.find(idOf('a')), newest);
  cache.dropFlag(idOf('a'));
  t.equal(cache.bytes, 0);
});
