// What the release workflow asks before it publishes: whether a tag is the version of package.json, has a section in
// CHANGELOG.md and a recording in test/fixtures, and whether the names may be used at all. It prints the names.
//
//   node scripts/check-release.mjs v0.1.0                  before you make a tag
//   node scripts/check-release.mjs v0.1.0 owner/name       ends with 1, too, while nothing may be published from there
//   node scripts/check-release.mjs --notes v0.1.0          prints the section of CHANGELOG.md
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sectionOf } from './lib/changelog.mjs';
import { releaseNames } from './lib/release-names.mjs';
import { root } from './lib/root.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** @returns why a tag is not the one of this checkout's release */
function tagProblems(tag) {
  const problems = [];
  if (tag !== `v${version}`)
    problems.push(`the tag is ${tag}, but package.json has ${version}: it would be v${version}`);
  if (sectionOf(version) === null)
    problems.push(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD"`);
  const recording = join('test', 'fixtures', version);
  if (!existsSync(join(root, recording)))
    problems.push(
      `${recording} is missing: WRITE_FIXTURE=1 npm test -- upgrade/protocols storage/store-fixture`,
    );
  return problems;
}

/** @returns why nothing may be published from a repository */
function nameProblems(repository) {
  if (!releaseNames.published) return ['scripts/lib/release-names.mjs says that the names are not published'];
  const expected = releaseNames.repository;
  return repository === expected ? [] : [`only ${expected} publishes, not ${repository}`];
}

const [first, second] = process.argv.slice(2);
const isForNotes = first === '--notes';
const problems = isForNotes
  ? tagProblems(second)
  : [...tagProblems(first), ...(second === undefined ? [] : nameProblems(second))];
if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  process.exitCode = 1;
} else if (isForNotes) {
  console.log(sectionOf(version));
} else {
  const { server, client, registry } = releaseNames;
  const image = `${registry}/${releaseNames.image}`;
  for (const [name, value] of Object.entries({ version, server, client, image }))
    console.log(`${name}=${value}`);
}
