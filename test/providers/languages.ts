import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository-root.ts';
import type { Cause, Language, Provider, Way } from './language.ts';
import { bucketingKeyOf, type Question } from './questions.ts';

/*
 * The providers that are tried, in the versions that README.md beside this file gives reasons for. A cause is written
 * down only where the provider's source or its protocol shows it; one that no question shows any more fails the run.
 */

const isNamedAs = (pattern: RegExp) => (question: Question) =>
  !question.isAskedById && pattern.test(question.flag);

const unencodedName: Cause = {
  name: 'a name with % ? or # goes into the path as it is',
  error: /FLAG_?NOT_?FOUND/i,
  applies: isNamedAs(/[%?#]/),
};
const unsentPercent: Cause = {
  name: 'a name with % is not sent',
  error: /invalid URL escape/,
  applies: isNamedAs(/%/),
};
const unsentSpace: Cause = {
  name: 'a name with a space is not sent',
  error: /Illegal character in path/,
  applies: isNamedAs(/ /),
};
const unsentNull: Cause = {
  name: 'a context with null is not sent',
  error: /null value in entry/,
  applies: ({ context }) => Object.values(context).includes(null),
};
const noLists: Cause = {
  name: 'its contexts hold no lists',
  error: null,
  applies: ({ context }) => Object.values(context).some((value) => Array.isArray(value)),
};

const otherUnicodeBuckets: Cause = {
  name: 'half of the keys outside ASCII are in other buckets',
  error: null,
  applies: (question) => /[^\0-\x7f]/.test(bucketingKeyOf(question) ?? ''),
};
const otherBuckets: Cause = {
  name: 'it hashes the CBOR of a key, so that partial rollouts have other buckets',
  error: null,
  applies: (question) => bucketingKeyOf(question) !== null,
};
const signedBuckets: Cause = {
  name: 'it takes the hash for a signed number, so that partial rollouts have other buckets',
  error: null,
  applies: (question) => bucketingKeyOf(question) !== null,
};

const provider = (
  way: Way,
  name: string,
  version: string,
  run: Provider['run'],
  causes: readonly Cause[] = [],
): Provider => ({ way, package: name, version, run, causes });

/** Of Burgee and of its client, which is packed from this checkout. */
const { version: ownVersion } = JSON.parse(readFileSync(join(repositoryRoot(), 'package.json'), 'utf8')) as {
  readonly version: string;
};

const node: Language = {
  name: 'node',
  tools: [[process.execPath, '--version']],
  // The packages of OpenFeature are those of this repository, in whose folder `.providers` is.
  steps: [
    [process.execPath, '../../scripts/pack-client.mjs'],
    ['npm', 'install', '--no-save', `../../dist/burgee-client-${ownVersion}.tgz`],
  ],
  inputs: ['src/sdk', 'src/domain', 'src/support', 'scripts/lib/client-package.mjs', 'package.json'],
  providers: [
    provider(
      'ofrep',
      '@openfeature/ofrep-provider',
      '0.1.3',
      [process.execPath, 'ofrep.mjs'],
      [unencodedName],
    ),
    provider(
      'flagd',
      '@openfeature/flagd-provider',
      '0.16.1',
      [process.execPath, 'flagd.mjs'],
      [otherUnicodeBuckets],
    ),
    provider('burgee', 'burgee-client', ownVersion, [process.execPath, 'burgee.mjs']),
  ],
};

const python: Language = {
  name: 'python',
  tools: [
    ['python3', '--version'],
    ['python3', '-c', 'import venv, ensurepip, sys; sys.exit(sys.version_info < (3, 10))'],
  ],
  steps: [
    ['python3', '-m', 'venv', 'venv'],
    [
      'venv/bin/pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--no-compile',
      '--no-deps',
      '-r',
      'requirements.txt',
    ],
  ],
  providers: [
    provider(
      'ofrep',
      'openfeature-provider-ofrep',
      '0.3.0',
      ['venv/bin/python', 'ask_provider.py', 'ofrep'],
      [unencodedName],
    ),
    provider(
      'flagd',
      'openfeature-provider-flagd',
      '0.6.1',
      ['venv/bin/python', 'ask_provider.py', 'flagd'],
      [otherBuckets],
    ),
  ],
};

const classPath = 'classes:lib/*';
/** A program that ends after seconds is compiled quickly instead of well. */
const quickCompilation = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const runJava = (way: Way): Provider['run'] => [
  'java',
  ...quickCompilation,
  '-cp',
  classPath,
  'AskProvider',
  way,
];

const java: Language = {
  name: 'java',
  tools: [
    ['javac', '-version'],
    ['mvn', '--version'],
  ],
  steps: [
    [
      'env',
      `MAVEN_OPTS=${quickCompilation.join(' ')}`,
      'mvn',
      '--quiet',
      '--batch-mode',
      '-Dmaven.repo.local=repository',
      'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies',
      '-DoutputDirectory=lib',
    ],
    [
      'javac',
      ...quickCompilation.map((option) => `-J${option}`),
      '-cp',
      classPath,
      '-d',
      'classes',
      'AskProvider.java',
    ],
  ],
  caches: ['repository'],
  providers: [
    provider('ofrep', 'dev.openfeature.contrib.providers:ofrep', '0.0.2', runJava('ofrep'), [
      unsentSpace,
      unsentNull,
    ]),
    provider('flagd', 'dev.openfeature.contrib.providers:flagd', '0.11.15', runJava('flagd'), [
      signedBuckets,
    ]),
  ],
};

const go: Language = {
  name: 'go',
  tools: [['go', 'version']],
  // Without optimisation and debug information: it asks some questions, and most of the time goes into its compilation.
  steps: [['go', 'build', '-gcflags=all=-N -l', '-ldflags=-w', '-o', 'ask-provider', '.']],
  providers: [
    provider(
      'ofrep',
      'github.com/open-feature/go-sdk-contrib/providers/ofrep',
      '0.1.7',
      ['./ask-provider', 'ofrep'],
      [unsentPercent],
    ),
    provider('flagd', 'github.com/open-feature/go-sdk-contrib/providers/flagd', '0.6.0', [
      './ask-provider',
      'flagd',
    ]),
  ],
};

const rust: Language = {
  name: 'rust',
  tools: [['cargo', '--version']],
  steps: [['cargo', 'build', '--locked', '--quiet']],
  caches: ['target'],
  providers: [
    provider(
      'ofrep',
      'open-feature-ofrep',
      '0.1.2',
      ['target/debug/burgee-test-providers'],
      [unencodedName, noLists],
    ),
  ],
};

/** The quickest to install first. */
export const languages: readonly Language[] = [node, python, go, java, rust];
