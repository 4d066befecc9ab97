import {
  type CompiledAudience,
  type CompiledRule,
  compileAudience,
} from '../../domain/evaluation/compiled-audience.ts';
import {
  type CompiledFlag,
  type CompiledState,
  compileEvaluable,
} from '../../domain/evaluation/compiled-flag.ts';
import { type TextRule, textRuleOf } from '../../domain/evaluation/text-rules.ts';
import { soleEnvironment } from '../../domain/project/project.ts';
import type { SyncAudience, SyncDelta, SyncFlag, SyncSnapshot } from '../../domain/sync/configuration.ts';
import type { EvaluationTally } from '../../domain/usage/evaluation-count.ts';
import { messageOf } from '../../support/message-of.ts';
import { packList } from '../../support/packed-list.ts';
import { UnusableConfiguration } from './sync-shapes.ts';

/** A flag as the client evaluates it. */
export interface ClientFlag {
  readonly sent: SyncFlag;
  readonly compiled: CompiledFlag;
  readonly state: CompiledState;
  readonly tally: EvaluationTally;
  /** Those of its audience; null for everyone. */
  readonly rules: readonly TextRule[] | null;
  /** The same state for a context whose audience matches, and for one whose audience does not. */
  readonly matched: CompiledState;
  readonly mismatched: CompiledState;
  readonly audience: SyncAudience | null;
}

interface ClientAudience {
  readonly sent: SyncAudience;
  readonly compiled: CompiledAudience;
  readonly rules: readonly TextRule[];
}

/** A client has one environment, so it compiles its flags as a project without environments has them. */
const project = { isMultiEnvironment: false, environments: [] };
/** Of a context without attributes, no rule matches. */
const neverMatched: readonly CompiledRule[] = compileAudience({
  id: '',
  rules: [{ attribute: '', values: packList([]) }],
}).rules;
/** A rule that matches no value. */
const neverText: TextRule = { attribute: '', values: new Set(), hasReplacement: false };

/**
 * The flags of one environment, compiled, by id and by name. A change is prepared whole and then put in place without
 * any step that could fail, so that no evaluation ever sees half of it. Its cost depends on the size of the change, not
 * of the set.
 */
export class FlagSet {
  #flags = new Map<string, ClientFlag>();
  #byName = new Map<string, ClientFlag>();
  #audiences = new Map<string, ClientAudience>();
  /** A flag's name may have been another one's id: an id goes first. Without such names, which are rare, names do. */
  #hasNameLikeId = false;
  /** Ids of the flags that apply an audience. */
  #uses = new Map<string, Set<string>>();

  /** By id, else by name. */
  find(nameOrId: string): ClientFlag | undefined {
    const named = this.#byName.get(nameOrId);
    return named !== undefined && !this.#hasNameLikeId ? named : (this.#flags.get(nameOrId) ?? named);
  }

  get flags(): Iterable<ClientFlag> {
    return this.#flags.values();
  }

  /** As they were sent. */
  get content(): Pick<SyncSnapshot, 'flags' | 'audiences'> {
    return {
      flags: Array.from(this.#flags.values(), ({ sent }) => sent),
      audiences: Array.from(this.#audiences.values(), ({ sent }) => sent),
    };
  }

  /**
   * Takes a whole configuration in place of the present one. Flags that did not change stay as they are.
   * @returns names of the changed flags
   * @throws UnusableConfiguration, and nothing has changed
   */
  replace({ flags, audiences }: Pick<SyncSnapshot, 'flags' | 'audiences'>): readonly string[] {
    const ids = new Set(flags.map(({ id }) => id));
    const audienceIds = new Set(audiences.map(({ id }) => id));
    return this.change({
      flags,
      removed: [...this.#flags.keys()].filter((id) => !ids.has(id)),
      audiences,
      removedAudiences: [...this.#audiences.keys()].filter((id) => !audienceIds.has(id)),
    });
  }

  /**
   * Applies the present state of what changed.
   * @returns names of the flags whose answers may differ
   * @throws UnusableConfiguration, and nothing has changed
   */
  change(delta: Omit<SyncDelta, 'version'>): readonly string[] {
    const newAudiences = delta.audiences.filter(
      (audience) => !isSame(this.#audiences.get(audience.id)?.sent, audience),
    );
    const audiences = new Map(newAudiences.map((audience) => [audience.id, compiledAudienceOf(audience)]));
    const newFlags = delta.flags.filter((flag) => !isSame(this.#flags.get(flag.id)?.sent, flag));
    const sent = new Map(newFlags.map((flag) => [flag.id, flag]));
    for (const id of audiences.keys()) {
      for (const user of this.#uses.get(id) ?? []) {
        const flag = this.#flags.get(user);
        if (flag !== undefined && !sent.has(user)) sent.set(user, flag.sent);
      }
    }
    for (const id of delta.removed) sent.delete(id);
    const leaving = new Set(delta.removedAudiences.filter((id) => !audiences.has(id)));
    const find = (id: string): ClientAudience | undefined =>
      audiences.get(id) ?? (leaving.has(id) ? undefined : this.#audiences.get(id));
    const compiled = Array.from(sent.values(), (flag) => compiledFlagOf(flag, find));
    this.#refuseUsed(leaving, sent, delta.removed);
    // From here on nothing can fail.
    for (const [id, audience] of audiences) this.#audiences.set(id, audience);
    const names = new Set<string>();
    for (const id of delta.removed) this.#remove(id, names);
    for (const flag of compiled) this.#put(flag, names);
    for (const id of leaving) this.#audiences.delete(id);
    return [...names];
  }

  #refuseUsed(
    leaving: ReadonlySet<string>,
    sent: ReadonlyMap<string, SyncFlag>,
    removed: readonly string[],
  ): void {
    for (const id of leaving) {
      for (const user of this.#uses.get(id) ?? []) {
        if (sent.has(user) || removed.includes(user)) continue;
        throw new UnusableConfiguration(`audience ${id} is gone, and flag ${user} still applies it`);
      }
    }
  }

  #put(flag: ClientFlag, names: Set<string>): void {
    const { id, audienceId } = flag.sent;
    const former = this.#flags.get(id);
    if (former !== undefined) {
      // Counts that were not reported yet are kept.
      flag.tally.on += former.tally.on;
      flag.tally.off += former.tally.off;
      this.#forgetNames(former, names);
      this.#forgetUse(former);
    }
    this.#flags.set(id, flag);
    this.#hasNameLikeId ||= this.#byName.has(id);
    for (const name of flag.sent.names) {
      this.#hasNameLikeId ||= this.#flags.has(name);
      this.#byName.set(name, flag);
      names.add(name);
    }
    names.add(flag.sent.name);
    if (audienceId !== null) this.#uses.set(audienceId, (this.#uses.get(audienceId) ?? new Set()).add(id));
  }

  #remove(id: string, names: Set<string>): void {
    const flag = this.#flags.get(id);
    if (flag === undefined) return;
    this.#flags.delete(id);
    this.#forgetNames(flag, names);
    this.#forgetUse(flag);
  }

  /** A name that another flag has taken meanwhile stays with that flag. */
  #forgetNames(flag: ClientFlag, names: Set<string>): void {
    names.add(flag.sent.name);
    for (const name of flag.sent.names) {
      names.add(name);
      if (this.#byName.get(name) === flag) this.#byName.delete(name);
    }
  }

  #forgetUse({ sent: { id, audienceId } }: ClientFlag): void {
    if (audienceId === null) return;
    const users = this.#uses.get(audienceId);
    users?.delete(id);
    if (users?.size === 0) this.#uses.delete(audienceId);
  }
}

function isSame(present: unknown, sent: unknown): boolean {
  return present !== undefined && JSON.stringify(present) === JSON.stringify(sent);
}

function compiledAudienceOf(sent: SyncAudience): ClientAudience {
  const rules = sent.rules.map(({ attribute, values }) => ({ attribute, values: packList(values) }));
  return {
    sent,
    compiled: compileAudience({ id: sent.id, rules }),
    rules: sent.rules.map((rule) => textRuleOf(rule) ?? neverText),
  };
}

function compiledFlagOf(sent: SyncFlag, find: (id: string) => ClientAudience | undefined): ClientFlag {
  const { id, name, revision, enabled, trafficPercentage, cohorts, audienceId } = sent;
  const audience = audienceId === null ? undefined : find(audienceId);
  if (audienceId !== null && audience === undefined) {
    throw new UnusableConfiguration(`flag ${id} applies audience ${audienceId}, which is not there`);
  }
  const evaluable = {
    id,
    projectId: '',
    ...{ name, nameSince: null, aliases: [] },
    cohorts: packList(cohorts),
    states: new Map([[soleEnvironment, { enabled, trafficPercentage, cohortOverride: null, audienceId }]]),
    revision,
  };
  const compiled = compileOrRefuse(() => compileEvaluable(evaluable, project, () => audience?.compiled));
  if (compiled.sole === null) throw new Error('a flag of one environment has one state');
  return {
    sent,
    compiled,
    state: compiled.sole,
    tally: compiled.sole.tally,
    rules: audience?.rules ?? null,
    matched: compiled.sole.withRules(null),
    mismatched: compiled.sole.withRules(neverMatched),
    audience: audience?.sent ?? null,
  };
}

/** A flag that the service could not have stored, such as one with another form of id. */
function compileOrRefuse(compile: () => CompiledFlag): CompiledFlag {
  try {
    return compile();
  } catch (fault) {
    throw new UnusableConfiguration(messageOf(fault));
  }
}
