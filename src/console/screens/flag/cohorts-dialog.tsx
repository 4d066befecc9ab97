import { Button, CloseButton, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { cohortCodePointsMax } from '../../../domain/flag/state-fields.ts';
import { countOf } from '../../parts/count-words.ts';
import { parseCohorts, tooLongCohort, withCohorts } from './cohort-text.ts';
import classes from './cohorts-dialog.module.css';

const listedMax = 200;

interface CohortsDialogProps {
  readonly title: string;
  readonly cohorts: readonly string[];
  /** What an empty list means here. */
  readonly emptyNote: string;
  readonly onApply: (cohorts: string[]) => void;
  readonly onClose: () => void;
}

interface ListedProps {
  readonly cohorts: readonly string[];
  readonly onRemove: (cohort: string) => void;
}

function Listed({ cohorts, onRemove }: ListedProps) {
  const [wanted, setWanted] = useState('');
  const found = wanted === '' ? cohorts : cohorts.filter((cohort) => cohort.includes(wanted));
  return (
    <div>
      {cohorts.length > 10 && (
        <TextInput
          mb="xs"
          aria-label="Find in the list"
          placeholder="Find in the list"
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
        />
      )}
      <ul className={classes.list} aria-label="Cohorts">
        {found.slice(0, listedMax).map((cohort) => (
          <li key={cohort} className={classes.item}>
            <span>{cohort}</span>
            <CloseButton size="xs" aria-label={`Remove ${cohort}`} onClick={() => onRemove(cohort)} />
          </li>
        ))}
      </ul>
      {found.length > listedMax && (
        <Text size="sm" c="dimmed">
          and {countOf(found.length - listedMax, 'more', 'more')}: find them by name
        </Text>
      )}
    </div>
  );
}

/** Edits a list of cohorts: take off one by one, or paste many at once. */
export function CohortsDialog({ title, cohorts, emptyNote, onApply, onClose }: CohortsDialogProps) {
  const [list, setList] = useState<readonly string[]>(cohorts);
  const [pasted, setPasted] = useState('');
  const added = parseCohorts(pasted);
  const tooLong = tooLongCohort(added);
  const result = withCohorts(list, added);
  return (
    <Modal opened onClose={onClose} size="lg" title={title}>
      <Stack gap="md">
        <Textarea
          label="Add"
          description="One a line, or separated by commas; paste as many as you like."
          autosize
          minRows={3}
          maxRows={8}
          data-autofocus
          spellCheck={false}
          value={pasted}
          error={
            tooLong && `A cohort has at most ${cohortCodePointsMax} characters: ${tooLong.slice(0, 40)}…`
          }
          onChange={(event) => setPasted(event.currentTarget.value)}
        />
        {list.length > 0 && (
          <Listed cohorts={list} onRemove={(cohort) => setList(list.filter((other) => other !== cohort))} />
        )}
        <Text size="sm" c="dimmed" role="status">
          {result.length === 0 ? emptyNote : `${countOf(result.length, 'cohort')} when applied.`}
        </Text>
        <Group justify="space-between">
          <Button variant="default" disabled={list.length === 0} onClick={() => setList([])}>
            Take all off
          </Button>
          <Group>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              disabled={tooLong !== undefined}
              onClick={() => {
                onApply(result);
                onClose();
              }}
            >
              Add to the draft
            </Button>
          </Group>
        </Group>
      </Stack>
    </Modal>
  );
}
