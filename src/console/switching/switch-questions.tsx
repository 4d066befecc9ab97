import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { audiencesQuery } from '../client/queries.ts';
import { stateKey } from '../draft/flag-fields.ts';
import { Callout } from '../parts/callout.tsx';
import { ConfirmDialog, Dialog } from '../parts/dialog.tsx';
import { percentageOf, percentageRule } from '../parts/field-rules.ts';
import { SafeName } from '../parts/safe-name.tsx';
import { useSharedValue } from '../parts/shared-value.ts';
import { TextField } from '../parts/text-field.tsx';
import { countOf } from '../parts/words.ts';
import { effectOf, placeWords } from './effect-words.ts';
import { type AskedWish, askedWish, sendSwitch } from './switch-flow.ts';
import { afterSwitch, type SwitchTarget, type SwitchWish, stateNumber } from './switch-rules.ts';
import classes from './switching.module.css';

/** @returns a function that says who would get "on" then */
function useEffectWords({ projectId }: SwitchTarget): (wish: SwitchWish) => string {
  const audiences = useQuery(audiencesQuery(projectId)).data?.audiences ?? [];
  return (wish) => {
    const { state, cohortCount } = afterSwitch(wish);
    const audienceName = audiences.find(({ id }) => id === state.audienceId)?.name ?? null;
    // The title names the environment.
    return effectOf(state, { cohortCount, environmentName: null, audienceName });
  };
}

function titleOf({ target, next, isUndo }: SwitchWish): string {
  const act = `${isUndo ? 'Undo: switch' : 'Switch'} ${next ? 'on' : 'off'}`;
  return `${act}${placeWords(target.environment?.name ?? null)}?`;
}

/** The reasons for any question: a protected environment, or a change by another member. */
function Reasons({ wish }: { readonly wish: SwitchWish }) {
  const { environment, isProtected } = wish.target;
  return (
    <>
      {wish.isChanged && (
        <Callout tone="warn">Another member changed this flag meanwhile. This is the effect now.</Callout>
      )}
      {isProtected && (
        <Text size="sm">
          {environment === null ? (
            'This project'
          ) : (
            <strong>
              <SafeName name={environment.name} />
            </strong>
          )}{' '}
          is protected.
        </Text>
      )}
    </>
  );
}

function FlagName({ target }: { readonly target: SwitchTarget }) {
  return (
    <strong>
      <SafeName name={target.flagName} />
    </strong>
  );
}

interface QuestionProps {
  readonly wish: SwitchWish;
  /** Sends what the person has decided. */
  readonly onSend: (wish: SwitchWish) => void;
  readonly onClose: () => void;
}

/** Only whether it is meant. */
function ProtectedQuestion({ wish, onSend, onClose }: QuestionProps) {
  const { target, next } = wish;
  const effectWords = useEffectWords(target);
  const act = `Switch ${next ? 'on' : 'off'}`;
  return (
    <ConfirmDialog
      isAside
      title={titleOf(wish)}
      confirm={act}
      onConfirm={() => onSend(wish)}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Reasons wish={wish} />
        <Text size="sm">
          You are about to switch <FlagName target={target} /> {next ? 'on' : 'off'}
          {target.environment === null ? '' : ' there'}. {effectWords(wish)}
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}

const steps = [1, 10, 50, 100] as const;

/** Asks for the rollout of a flag that would be on for no caller. None is preselected, so Enter alone sends nothing. */
function NobodyQuestion({ wish, onSend, onClose }: QuestionProps) {
  const { target } = wish;
  const [typed, setTyped] = useState('');
  const percentage = percentageOf(typed);
  const effectWords = useEffectWords(target);
  const key = stateKey(stateNumber(target), 'trafficPercentage');
  const wishAt = (share: number): SwitchWish =>
    share === 0 ? wish : { ...wish, edits: { [key]: share }, before: { [key]: 0 } };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (percentage !== null) onSend(wishAt(percentage));
  };
  return (
    <Dialog isAside title={titleOf(wish)} size="lg" onClose={onClose}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Reasons wish={wish} />
          <Callout tone="warn">
            <strong>On, but reaches nobody.</strong> The rollout of <SafeName name={target.flagName} />
            {placeWords(target.environment?.name ?? null)} is at 0%, and no cohorts are listed.
          </Callout>
          <div className={classes.share}>
            <TextField
              label="Rollout in percent"
              w={150}
              inputMode="numeric"
              autoComplete="off"
              data-autofocus
              rule={percentageRule}
              value={typed}
              onText={setTyped}
            />
            <Group gap={6}>
              {steps.map((step) => (
                <Button
                  key={step}
                  size="compact-sm"
                  variant={step === percentage ? 'light' : 'default'}
                  aria-pressed={step === percentage}
                  onClick={() => setTyped(String(step))}
                >
                  {step}%
                </Button>
              ))}
            </Group>
          </div>
          <Text size="sm" role="status">
            {percentage === null
              ? 'Choose the share of callers that get “on”.'
              : effectWords(wishAt(percentage))}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            {percentage !== 0 && (
              <Button variant="default" onClick={() => onSend(wish)}>
                Switch on at 0%
              </Button>
            )}
            <Button type="submit" disabled={percentage === null}>
              Switch on{percentage === null ? '' : ` at ${percentage}%`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Asks whether to save the card's unsaved changes with the switch. Shows both effects; neither is the default. */
function DraftQuestion({ wish, onSend, onClose }: QuestionProps) {
  const { target, draft } = wish;
  const effectWords = useEffectWords(target);
  if (draft === null) return null;
  const count = Object.keys(draft.edits).length;
  const saving = { ...wish, edits: draft.edits, before: draft.before };
  return (
    <Dialog isAside title={titleOf(wish)} size="lg" onClose={onClose}>
      <Stack gap="md">
        <Reasons wish={wish} />
        <Text size="sm">
          <FlagName target={target} /> has {countOf(count, 'unsaved change')} here.
        </Text>
        <dl className={classes.ways}>
          <div className={classes.way}>
            <dt>With your {count === 1 ? 'change' : 'changes'}</dt>
            <dd>{effectWords(saving)}</dd>
          </div>
          <div className={classes.way}>
            <dt>As stored</dt>
            <dd>{effectWords(wish)}</dd>
          </div>
        </dl>
        {target.environment !== null && Object.hasOwn(draft.edits, 'cohorts') && (
          <Text size="sm">Flag-wide cohorts are saved for every environment that inherits them.</Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button variant="light" onClick={() => onSend({ ...wish, draft: null })}>
            Switch on as stored
          </Button>
          <Button onClick={() => onSend(saving)}>Save and switch on</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

const questions = { draft: DraftQuestion, nobody: NobodyQuestion, protected: ProtectedQuestion };

function Question({ wish, question }: AskedWish) {
  const client = useQueryClient();
  const close = () => askedWish.set(null);
  const Asked = questions[question];
  const send = (decided: SwitchWish) => {
    close();
    void sendSwitch(client, decided);
  };
  return <Asked wish={wish} onSend={send} onClose={close} />;
}

/** The question about a switch, if there is one. It stands once on the page, above everything else. */
export function SwitchQuestions() {
  const asked = useSharedValue(askedWish, (present) => present);
  return asked === null ? null : <Question {...asked} />;
}
