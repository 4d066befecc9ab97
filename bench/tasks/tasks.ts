import type { Hand } from './hand.ts';
import type { TaskStage } from './task-stage.ts';
import { elsewhere, here, owner, taggedAndOn } from './task-world.ts';

/** Where a person is when the task begins, and whether the task was really done. How it is done is in `steps.ts`. */
export interface Task {
  readonly id: string;
  /** In the words of the person who has it to do. */
  readonly title: string;
  /** Where it begins: a path of the console. */
  readonly start: (stage: TaskStage) => string;
  /** Puts everything into the state before the task; it may be done many times. */
  readonly prepare?: (stage: TaskStage) => Promise<void>;
  /** @param found what the steps have read on the page */
  readonly isDone: (stage: TaskStage, hand: Hand, found: string) => Promise<boolean>;
}

/** Begins on a page that has nothing to do with flags. */
const members = () => '/console/members';
const flags = (stage: TaskStage) => `/console/projects/${stage.project(here).id}/flags`;
const flagPage = (name: string) => (stage: TaskStage) => stage.flagPath(here, name);

/** @returns whether a flag is then switched on, or off, there */
function isSwitched(project: string, flag: string, environment: string, enabled: boolean): Task['isDone'] {
  return async (stage) =>
    (await stage.stateOf(project, stage.flagId(project, flag), environment))?.enabled === enabled;
}

function copied({ page }: Hand): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()');
}

interface TokenRows {
  readonly tokens: readonly { readonly id: string; readonly name: string; readonly status: string }[];
}

async function tokensOf(stage: TaskStage): Promise<TokenRows['tokens']> {
  return (await stage.call<TokenRows>('GET', `/projects/${stage.project(here).id}/tokens`)).tokens;
}

/** The invited member, and the names of tokens and flags that tasks make. */
export const invited = 'ines@example.test';
export const madeToken = 'deploy';
export const revokedToken = 'nightly';
export const createdFlag = 'new-receipt';

async function makeToken(stage: TaskStage): Promise<void> {
  const body = { name: revokedToken, permission: 'read', environments: null, expiryDays: 90 };
  await stage.call('POST', `/projects/${stage.project(here).id}/tokens`, body);
}

async function revokeAll(stage: TaskStage, name: string): Promise<void> {
  const path = `/projects/${stage.project(here).id}/tokens`;
  for (const token of await tokensOf(stage)) {
    if (token.name === name && token.status === 'active')
      await stage.call('POST', `${path}/${token.id}/revoke`);
  }
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
}

async function deleteCreatedFlags(stage: TaskStage): Promise<void> {
  const path = `/projects/${stage.project(here).id}/flags`;
  const { flags: rows } = await stage.call<{ readonly flags: readonly Named[] }>('GET', path);
  for (const { id, name, revision } of rows)
    if (name === createdFlag) await stage.call('DELETE', `${path}/${id}`, { revision, name });
}

async function withdrawInvitations(stage: TaskStage): Promise<void> {
  const { invitations } = await stage.call<{ readonly invitations: readonly { readonly id: string }[] }>(
    'GET',
    '/invitations',
  );
  for (const { id } of invitations) await stage.call('DELETE', `/invitations/${id}`);
}

/** The flag whose page is open. */
function openFlagId({ page }: Hand): string {
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

const switched: readonly Task[] = [
  {
    id: 'switch-elsewhere',
    title: 'Switch a flag of another project off in production',
    start: members,
    prepare: (stage) => stage.putState(elsewhere, 'card-authorisation', 'production', { enabled: true }),
    isDone: isSwitched(elsewhere, 'card-authorisation', 'production', false),
  },
  {
    id: 'switch-here',
    title: 'Find a flag by a part of its name and switch it off in production',
    start: flags,
    prepare: (stage) => stage.putState(here, 'express-checkout', 'production', { enabled: true }),
    isDone: isSwitched(here, 'express-checkout', 'production', false),
  },
  {
    id: 'undo',
    title: 'Undo a wrong switch in staging',
    start: flagPage('stock-alerts'),
    prepare: (stage) => stage.putState(here, 'stock-alerts', 'staging', { enabled: true }),
    isDone: isSwitched(here, 'stock-alerts', 'staging', true),
  },
];

const changed: readonly Task[] = [
  {
    id: 'rollout',
    title: 'Change a rollout from 10 to 50% in production and save',
    start: flagPage('gift-cards'),
    prepare: (stage) => stage.putState(here, 'gift-cards', 'production', { trafficPercentage: 10 }),
    isDone: async (stage) =>
      (await stage.stateOf(here, stage.flagId(here, 'gift-cards'), 'production'))?.trafficPercentage === 50,
  },
  {
    id: 'create',
    title: 'Create a flag and switch it on for every caller in development',
    start: flags,
    prepare: deleteCreatedFlags,
    isDone: async (stage, hand) => {
      const state = await stage.stateOf(here, openFlagId(hand), 'development');
      return state?.enabled === true && state.trafficPercentage === 100;
    },
  },
  {
    id: 'limit-to-audience',
    title: 'Limit a flag to an audience in production',
    start: flagPage('beta-search'),
    prepare: (stage) => stage.putState(here, 'beta-search', 'production', { audienceId: null }),
    isDone: async (stage) =>
      (await stage.stateOf(here, stage.flagId(here, 'beta-search'), 'production'))?.audienceId !== null,
  },
  {
    id: 'copy-state',
    title: 'Copy the state of staging to production',
    start: flagPage('new-prices'),
    prepare: (stage) =>
      stage.putState(here, 'new-prices', 'production', { enabled: false, trafficPercentage: 0 }),
    isDone: isSwitched(here, 'new-prices', 'production', true),
  },
];

const read: readonly Task[] = [
  {
    id: 'who-changed',
    title: 'Find out who changed a flag last, and what',
    start: flags,
    prepare: async (stage) => {
      await stage.putState(here, 'price-rounding', 'production', { trafficPercentage: 25 });
      await stage.putState(here, 'price-rounding', 'production', { trafficPercentage: 30 });
    },
    isDone: async (_stage, _hand, found) => found.includes(owner.name) && /25.*30/s.test(found),
  },
  {
    id: 'try',
    title: 'Try a flag for a caller in production',
    start: flagPage('fast-lane'),
    isDone: async (_stage, _hand, found) => /^(Answer)?\s*(On|Off)/.test(found),
  },
  {
    id: 'snippet',
    title: 'Copy the code that asks for a flag in production from Go',
    start: flagPage('fast-lane'),
    isDone: async (_stage, hand) => /package main|func |openfeature/.test(await copied(hand)),
  },
  {
    id: 'find-tag',
    title: `Find every flag with a tag that is on in production`,
    start: flags,
    isDone: async (_stage, _hand, found) => new RegExp(`\\b${taggedAndOn}\\b`).test(found),
  },
];

const administered: readonly Task[] = [
  {
    id: 'make-token',
    title: 'Make a token and copy it',
    start: flags,
    prepare: (stage) => revokeAll(stage, madeToken),
    isDone: async (stage, hand) =>
      (await tokensOf(stage)).some(({ name, status }) => name === madeToken && status === 'active') &&
      /^\S{20,}$/.test(await copied(hand)),
  },
  {
    id: 'revoke-token',
    title: 'Revoke a token',
    start: flags,
    prepare: async (stage) => {
      await revokeAll(stage, revokedToken);
      await makeToken(stage);
    },
    isDone: async (stage) =>
      (await tokensOf(stage)).every(({ name, status }) => name !== revokedToken || status === 'revoked'),
  },
  {
    id: 'invite',
    title: 'Invite a member and copy the link',
    start: flags,
    prepare: withdrawInvitations,
    isDone: async (_stage, hand) => /\/console\/link#/.test(await copied(hand)),
  },
];

/** What people do in the console, from the most urgent on. */
export const tasks: readonly Task[] = [...switched, ...changed, ...read, ...administered];
