import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BinaryPeer, PeerLocation } from './binary-peer.ts';
import { askedFlag, rolloutPercentage, rule, ruleFlags } from './rule-question.ts';

const namespace = 'default';
const unmatched = 'unmatched';

/**
 * Flipt tries rollouts in order. The first one is a segment of the users that the rule does not match: they get false.
 */
const features = {
  version: '1.4',
  namespace: { key: namespace, name: namespace },
  flags: ruleFlags.map((key) => ({
    key,
    name: key,
    type: 'BOOLEAN_FLAG_TYPE',
    enabled: false,
    rollouts: [
      { segment: { keys: [unmatched], value: false } },
      { threshold: { percentage: rolloutPercentage, value: true } },
    ],
  })),
  segments: [
    {
      key: unmatched,
      name: unmatched,
      match_type: 'ALL_MATCH_TYPE',
      constraints: [
        { type: 'STRING_COMPARISON_TYPE', property: rule.attribute, operator: 'neq', value: rule.value },
      ],
    },
  ],
};

/** Flipt reads its flags from the repository's latest commit. */
function commitFeatures(repository: string): void {
  mkdirSync(join(repository, namespace), { recursive: true });
  // A YAML file: JSON is a subset of YAML.
  writeFileSync(join(repository, namespace, 'features.yaml'), JSON.stringify(features));
  const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'commit.gpgSign=false'];
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '.'],
    [...author, 'commit', '--quiet', '--message=flags'],
  ])
    execFileSync('git', args, { cwd: repository, stdio: ['ignore', 'ignore', 'pipe'] });
}

function writeSettings({ folder, port, otherPorts: [grpcPort] }: PeerLocation, repository: string): string {
  const file = join(folder, 'flipt.yaml');
  const settings = {
    log: { level: 'error' },
    server: { host: '127.0.0.1', http_port: port, grpc_port: grpcPort },
    storage: { default: { backend: { type: 'local', path: repository } } },
    meta: { check_for_updates: false, telemetry_enabled: false },
  };
  writeFileSync(file, JSON.stringify(settings));
  return file;
}

export const fliptPeer: BinaryPeer = {
  name: 'flipt',
  how: 'flipt server --config flipt.yaml, its flags from a local git repository; POST /evaluate/v1/boolean',
  otherPorts: 1,
  version: { args: ['--version'], pattern: /(\d+\.\d+\.\d+\S*)/ },
  configure: (location) => {
    const repository = join(location.folder, 'repository');
    commitFeatures(repository);
    return { args: ['server', '--config', writeSettings(location, repository)] };
  },
  requestFor: (user, attribute) => ({
    method: 'POST',
    path: '/evaluate/v1/boolean',
    body: JSON.stringify({
      namespaceKey: namespace,
      flagKey: askedFlag,
      entityId: user,
      context: { [rule.attribute]: attribute },
    }),
    status: 200,
  }),
  isOn: (body) => (JSON.parse(body) as { readonly enabled: unknown }).enabled === true,
};
