import { type OpenIdRefusal, openIdRefusals } from '../../domain/session/open-id-refusal.ts';

/** What the addresses of pages carry behind the `?`; what is not understood is left out. */

type Search = Readonly<Record<string, unknown>>;

function textOf(search: Search, name: string): string | undefined {
  const value = search[name];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function oneOf<const Choice extends string>(
  search: Search,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === search[name]);
}

/** Absent members are left out: an address shows only what was chosen. */
function present<Value extends object>(
  value: { [Key in keyof Value]: Value[Key] | undefined },
): Partial<Value> {
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries) as Partial<Value>;
}

export interface SignInSearch {
  /** The page to go to then. */
  readonly back: string;
  /** Why the way back from the OpenID provider ended here. */
  readonly openid: OpenIdRefusal;
}

export function signInSearch(search: Search): Partial<SignInSearch> {
  return present<SignInSearch>({
    back: textOf(search, 'back'),
    openid: oneOf(search, 'openid', openIdRefusals),
  });
}

export interface FlagsSearch {
  readonly q: string;
  readonly tag: string;
  readonly state: 'on' | 'off';
  /** An environment's number. */
  readonly environment: string;
  /** The dialog for a new flag is open. */
  readonly create: 'yes';
}

export function flagsSearch(search: Search): Partial<FlagsSearch> {
  return present<FlagsSearch>({
    q: textOf(search, 'q'),
    tag: textOf(search, 'tag'),
    state: oneOf(search, 'state', ['on', 'off']),
    environment: textOf(search, 'environment'),
    create: oneOf(search, 'create', ['yes']),
  });
}

export const flagTabs = ['history', 'evaluations', 'try', 'code'] as const;

export function flagSearch(search: Search): { tab?: (typeof flagTabs)[number] } {
  return present<{ tab: (typeof flagTabs)[number] }>({ tab: oneOf(search, 'tab', flagTabs) });
}

export interface AuditSearch {
  readonly scope: 'organisation';
  readonly actor: string;
  readonly flag: string;
  readonly environment: string;
  readonly action: string;
  /** Days as `2026-01-31`, in the reader's time zone. */
  readonly from: string;
  readonly to: string;
}

export function auditSearch(search: Search): Partial<AuditSearch> {
  return present<AuditSearch>({
    scope: oneOf(search, 'scope', ['organisation']),
    actor: textOf(search, 'actor'),
    flag: textOf(search, 'flag'),
    environment: textOf(search, 'environment'),
    action: textOf(search, 'action'),
    from: textOf(search, 'from'),
    to: textOf(search, 'to'),
  });
}

/** The whole organisation's: there is nothing else to choose. */
export function organisationAuditSearch(search: Search): Partial<Omit<AuditSearch, 'scope'>> {
  const { scope: _, ...chosen } = auditSearch(search);
  return chosen;
}

export function settingsSearch(search: Search): { tab?: 'organisation' | 'you' } {
  return present<{ tab: 'organisation' | 'you' }>({ tab: oneOf(search, 'tab', ['organisation', 'you']) });
}
