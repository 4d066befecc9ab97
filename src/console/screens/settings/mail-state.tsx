import { useQuery } from '@tanstack/react-query';
import type { MailState as MailStateView } from '../../../contracts/console/organisation-views.ts';
import { mailStateQuery } from '../../client/queries.ts';
import { countOf } from '../../parts/count-words.ts';
import { Failure } from '../../parts/failure.tsx';
import { formatMoment } from '../../parts/format-time.ts';
import { Panel } from '../../parts/panel.tsx';
import { useSession } from '../../shell/use-session.ts';

function waitingWords({ waiting, waitingFault }: MailStateView, isMailConfigured: boolean): string {
  if (waiting === 0) return isMailConfigured ? 'No email waits to be sent.' : 'Mail is not configured.';
  const wait = waiting === 1 ? 'waits' : 'wait';
  const emails = `${countOf(waiting, 'email')} ${wait}`;
  if (!isMailConfigured) return `Mail is not configured: ${emails} until SMTP is set up.`;
  if (waitingFault === null) return `${emails} to be sent.`;
  return `${emails} to be sent again. What went wrong last: ${waitingFault}`;
}

function failedWords({ failed, lastFailure }: MailStateView): string | null {
  if (lastFailure === null) return null;
  const emails = countOf(failed, 'email');
  const last = `${formatMoment(lastFailure.at)}: ${lastFailure.fault}`;
  return `${emails} could not be sent, and will be tried once more when the service starts. The last failure, ${last}`;
}

/** What has become of the emails about refused tokens. */
export function MailState() {
  const { isMailConfigured } = useSession();
  const { data, error } = useQuery(mailStateQuery);
  const failed = data === undefined ? null : failedWords(data);
  return (
    <Panel title="Denial emails">
      {data !== undefined && waitingWords(data, isMailConfigured)}
      {failed !== null && <p role="status">{failed}</p>}
      <Failure error={error} />
    </Panel>
  );
}
