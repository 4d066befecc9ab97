import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AudienceView } from '../../../contracts/console/audience-views.ts';
import type { AudienceRule } from '../../../domain/evaluation/audience.ts';
import { call } from '../../client/call.ts';
import { audiencesQuery } from '../../client/queries.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import { Callout } from '../../parts/callout.tsx';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { nameRule, uniqueNameRule } from '../../parts/field-rules.ts';
import { showDone } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageEmpty, PageUnread } from '../../parts/page-states.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { writtenValue } from '../../parts/value-text.ts';
import { visibleName } from '../../parts/visible-name.ts';
import { countOf } from '../../parts/words.ts';
import { useAudiencesAvailable, useCanEdit, useProject } from '../../shell/project-context.ts';
import classes from './audiences.module.css';
import { type EditedRule, RulesEditor } from './rules-editor.tsx';

const valuesShownMax = 4;

/** `plan is pro or team`. */
function ruleLine({ attribute, values }: AudienceRule): string {
  const shown = values.slice(0, valuesShownMax).map(writtenValue).map(visibleName).join(' or ');
  const rest = values.length - valuesShownMax;
  return `${visibleName(attribute)} is ${shown}${rest > 0 ? ` or ${rest} more` : ''}`;
}

function CreateAudience({ onClose }: { readonly onClose: () => void }) {
  const { id: projectId } = useProject();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [rules, setRules] = useState<EditedRule[]>([{ attribute: '', values: [] }]);
  const create = useMutation({
    mutationFn: () => call('create-audience', { projectId }, { name, rules }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: audiencesQuery(projectId).queryKey });
      showDone(`Created ${visibleName(name)}.`);
      onClose();
    },
  });
  const others = (useQuery(audiencesQuery(projectId)).data?.audiences ?? []).map((each) => each.name);
  const hasRules = rules.some(({ attribute, values }) => attribute !== '' || values.length > 0);
  return (
    <FormDialog
      title="Create audience"
      size="lg"
      submit="Create audience"
      isDirty={name !== '' || hasRules}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={create.mutate}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        data-autofocus
        rule={uniqueNameRule(nameRule, others, 'in this project')}
        value={name}
        onText={setName}
      />
      <RulesEditor rules={rules} onChange={setRules} />
    </FormDialog>
  );
}

const rulesShownMax = 3;

const columns: readonly Column<AudienceView>[] = [
  {
    header: 'Audience',
    cell: ({ id, name, projectId }) => (
      <Link to="/projects/$projectId/audiences/$audienceId" params={{ projectId, audienceId: id }}>
        <SafeName name={name} />
      </Link>
    ),
  },
  {
    header: 'Callers whose',
    cell: ({ rules }) => (
      <>
        {rules.slice(0, rulesShownMax).map((rule, index) => (
          <div key={rule.attribute}>
            {index > 0 && <span className={classes.quiet}>and </span>}
            {ruleLine(rule)}
          </div>
        ))}
        {rules.length > rulesShownMax && (
          <div className={classes.quiet}>and {countOf(rules.length - rulesShownMax, 'more rule')}</div>
        )}
      </>
    ),
  },
  { header: 'Used by', cell: ({ useCount }) => (useCount === 0 ? 'no flags' : countOf(useCount, 'flag')) },
  { header: 'Changed', cell: ({ updatedAt }) => <TimeAgo at={updatedAt} /> },
];

export function AudiencesScreen() {
  const audiences = useQuery(audiencesQuery(useProject().id));
  const canEdit = useCanEdit();
  const isAvailable = useAudiencesAvailable();
  const [isCreating, create] = useDisclosure(false);
  const rows = audiences.data?.audiences ?? [];
  const button = canEdit && isAvailable ? <Button onClick={create.open}>Create audience</Button> : null;
  return (
    <>
      <PageHead title="Audiences" actions={rows.length > 0 ? button : null}>
        Named groups of callers, identified by the attributes they send. Attach one to limit a flag to it.
      </PageHead>
      {!isAvailable && (
        <div className={classes.notice}>
          <Callout tone="warn">
            Audiences need an organisation with the Teams plan. Attached audiences keep working, but none can
            be created or attached.
          </Callout>
        </div>
      )}
      <PageUnread of={audiences} what="audiences" />
      {audiences.data !== undefined && rows.length === 0 && (
        <PageEmpty title="No audience yet" action={button}>
          For example “Pro”: callers whose plan is pro or team. A flag limited to it is off for everybody
          else.
        </PageEmpty>
      )}
      {rows.length > 0 && (
        <DataList label="Audiences" rows={rows} rowKey={({ id }) => id} columns={columns} />
      )}
      {isCreating && <CreateAudience onClose={create.close} />}
    </>
  );
}
