import { leaseMsMax } from '../support/lease-cell.ts';
import type { Setting } from './setting.ts';
import {
  choiceSetting,
  integerSetting,
  optionalPathSetting,
  postgresUrlSetting,
  textSetting,
} from './setting-kinds.ts';

/** What makes a service a node of a cluster: none of them has an effect without the first. */
export const clusterSettings = {
  clusterUrl: postgresUrlSetting({
    fallback: { value: null },
    description:
      'PostgreSQL database whose history this service serves as a node of a cluster, each node from a copy in its own `data-dir`: `postgres://user@host:port,host:port/database?sslmode=verify-full&sslrootcert=FILE`. Give it as a variable or in the file if it holds a password: flags are seen by every user of the machine. Without `sslmode`, plain text is accepted. Without a URL the service is alone.',
  }),
  clusterPasswordFile: optionalPathSetting({
    fallback: { value: null },
    description: 'File whose first line is the password for `cluster-url`.',
  }),
  clusterSchema: textSetting(
    {
      pattern: '^(?!pg_)[a-z_][a-z0-9_]{0,29}$',
      expected:
        '1 to 30 lowercase letters, digits or underscores that begin with no digit and not with pg_, which PostgreSQL keeps for itself',
      placeholder: 'name',
    },
    {
      fallback: { value: 'burgee' },
      description: 'Schema of the database that holds the history. Several clusters can share a database.',
    },
  ),
  clusterLeaseMs: integerSetting(
    { minimum: 1000, maximum: leaseMsMax },
    {
      fallback: { value: 3000 },
      description:
        'Milliseconds for which a node that was cut off may take its state for current. A node that dies delays changes by a little more, once. Nodes may have different values while it is changed, one after the other.',
    },
  ),
  clusterWaitMs: integerSetting(
    { minimum: 1000, maximum: 60_000 },
    {
      fallback: { value: 5000 },
      description:
        'Milliseconds in which a change that was begun is stored, and has waited for the other nodes; then it is answered 503, with whether it is stored and not confirmed everywhere, or may be applied. With less than one and a half times `cluster-lease-ms`, each node that dies causes such answers.',
    },
  ),
  clusterWait: choiceSetting(['all', 'none'], {
    fallback: { value: 'all' },
    description:
      'Which nodes a change waits for before it is acknowledged: `all` nodes that may take their state for current, or `none`. With `none` other nodes may answer from before the change for as long as a lease, and one node with `none` breaks that promise for all who rely on its answers.',
  }),
} satisfies Record<string, Setting>;
