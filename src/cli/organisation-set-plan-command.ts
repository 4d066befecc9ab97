import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Organisation, plans, subscriptions } from '../domain/organisation/organisation.ts';
import type { PlanFields } from '../writer/thread/commands/set-plan.ts';
import type { Action } from './command-action.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { printJson, printResult } from './command-output.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  burgee organisation set-plan Acme --plan teams
  burgee organisation set-plan Acme --trial-ends-at 2030-01-31T00:00:00Z
  burgee organisation set-plan Acme --trial-ends-at none --subscription lapsed
`;

const noTrial = 'none';

/** An ISO date, or a date and time with offset; a date alone is midnight UTC. */
const isoTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

export function defineSetPlan(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('set-plan').argument('<organisation>', 'name or id');
  command
    .description("Change an organisation's plan, trial or subscription.")
    .addOption(new Option('--plan <plan>', 'the new plan').choices(plans))
    .addOption(
      new Option('--trial-ends-at <time>', 'end of the Teams trial: an ISO time, or "none"').argParser(
        parseTrialEnd,
      ),
    )
    .addOption(new Option('--subscription <state>', 'state of the subscription').choices(subscriptions));
  addSettingOptions(command, ['dataDir', 'mapBytes']).addHelpText('before', examples);
  command.hook('preAction', (_command, actionCommand) => {
    if (Object.keys(fieldsOf(actionCommand)).length > 0) return;
    actionCommand.error('error: nothing to change: give --plan, --trial-ends-at or --subscription');
  });
  const run: Action['run'] = async (options, [organisation = '']) => {
    const config = configFrom(options);
    const { withOperator } = await import('./operator-session.ts');
    const args = { organisation, fields: fieldsOf(command) };
    const outcome = await withOperator(config, { mayCreate: false }, (operator) =>
      operator('set-plan', args),
    );
    if (!outcome.ok) throw new CommandFailure(outcome.problem.detail);
    const { changed, organisation: after } = outcome.value;
    if (options['json'] === true) await printJson({ changed, organisation: summary(after) });
    else await printResult(`${describe(after)}${changed ? '' : ' (as before)'}\n`);
    return exitCodes.done;
  };
  return { command, action: { run } };
}

/** The values, as the options' choices and parsers return them. */
interface PlanOptions extends Omit<PlanFields, 'trialEndsAt'> {
  readonly trialEndsAt?: number | typeof noTrial;
}

function fieldsOf(command: Command): PlanFields {
  const { plan, trialEndsAt, subscription } = command.opts<PlanOptions>();
  return {
    ...(plan === undefined ? {} : { plan }),
    ...(trialEndsAt === undefined ? {} : { trialEndsAt: trialEndsAt === noTrial ? null : trialEndsAt }),
    ...(subscription === undefined ? {} : { subscription }),
  };
}

/** Commander turns a parsed null into an empty string, so `none` stays a word until `fieldsOf`. */
function parseTrialEnd(text: string): number | typeof noTrial {
  if (text === noTrial) return noTrial;
  const time = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError('Give an ISO time such as 2030-01-31T00:00:00Z, or "none".');
  return time;
}

function summary({ id, name, plan, trialEndsAt, subscription }: Organisation) {
  return { id, name, plan, trialEndsAt, subscription };
}

function describe({ name, plan, trialEndsAt, subscription }: Organisation): string {
  const trial = trialEndsAt === null ? 'no trial' : `trial until ${new Date(trialEndsAt).toISOString()}`;
  return `${name}: plan ${plan}, ${trial}, subscription ${subscription}`;
}
