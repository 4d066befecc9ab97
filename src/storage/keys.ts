/**
 * What lies where on disk: every named LMDB database with its key and value. A record is a checksum
 * and msgpack (`records/record-codec.ts`); "empty" is a value of no bytes. An id is 20 characters of latin1; a
 * sequence is 8 bytes, big-endian, counting from 1, and Unix milliseconds are stored alike; names are UTF-8, idempotency
 * keys 1 to 255 visible ASCII characters. Keys sort as bytes.
 *
 * | database                 | key                                   | value                                     |
 * |--------------------------|---------------------------------------|-------------------------------------------|
 * | `meta`                   | `store`                               | identity record: store id, store format   |
 * |                          | `change-log`, `outbox`                | counter record: the last sequence given   |
 * |                          | `history`                             | history record: of the numbers of changes |
 * |                          | `changes`                             | counter record: the last change's number  |
 * |                          | `replica`                             | replica-place record: of a cluster's node |
 * |                          | `usage`                               | usage-id record: of a cluster's node      |
 * |                          | `written/`, holder id                 | written-bytes record: of one day          |
 * |                          | `project-records/`, project id        | project-records record: flags and bytes   |
 * |                          | `audit-anchor/`, ledger id            | audit-anchor record: the last one dropped |
 * | `organisations`          | organisation id                       | organisation record                       |
 * | `members`                | member id                             | member record                             |
 * | `projects`               | project id                            | project record                            |
 * | `slugs`                  | slug, current or former               | id of the project that answers to it      |
 * | `flags`                  | flag id                               | flag record                               |
 * | `flags-by-name`          | project id, name, 0x00, flag id       | empty                                     |
 * | `names`                  | project id, name or alias, 0x00       | id of the flag that answers to it         |
 * | `audiences`              | audience id                           | audience record                           |
 * | `audiences-by-project`   | project id, audience id               | empty                                     |
 * | `tokens`                 | token id                              | token record                              |
 * | `tokens-by-project`      | project id, token id                  | empty                                     |
 * | `tokens-by-secret-hash`  | SHA-256 of the secret, 32 bytes       | token id                                  |
 * | `audit`                  | ledger id, sequence within the ledger | audit record: entry and its chain hashes  |
 * | `audit-by-subject`       | ledger id, subject id, sequence       | empty                                     |
 * | `change-log`             | sequence                              | change-log record                         |
 * | `activity`               | token id, sequence within the token   | activity record: a denial                 |
 * | `token-uses`             | token id, sequence within the token   | token-use record                          |
 * | `outbox`                 | sequence                              | outbox record                             |
 * | `members-by-email`       | email in lower case, 0x00, member id  | empty                                     |
 * | `sessions`               | session id                            | session record                            |
 * | `sessions-by-secret`     | SHA-256 of the secret, 32 bytes       | session id                                |
 * | `sessions-by-member`     | member id, session id                 | empty                                     |
 * | `links`                  | one-time link id                      | one-time link record                      |
 * | `links-by-secret`        | SHA-256 of the secret, 32 bytes       | one-time link id                          |
 * | `links-by-organisation`  | organisation id, one-time link id     | empty                                     |
 * | `identities`             | hex of SHA-256(issuer, 0x00, subject) | identity record                           |
 * | `identities-by-member`   | member id, the identity's key         | empty                                     |
 * | `evaluation-counts`      | ms of the hour's beginning, flag id   | evaluation-counts record                  |
 * |                          | one ms later, flag id                 | the same of a cluster's node: its share   |
 * | `outbox-deliveries`      | sequence of the outbox entry          | outbox-delivery record: what was tried    |
 * | `kept-answers`           | token id, idempotency key             | kept-answer record                        |
 * | `kept-answers-by-age`    | project id, ms, token id, its key     | its bytes toward the limit, as a sequence |
 * | `kept-answers-usage`     | project id                            | kept-answers usage record                 |
 * | `environment-versions`   | project id, environment as a sequence | number record: of its last change         |
 *
 * The longest key is `flags-by-name`: 20 + 800 + 1 + 20 bytes (a name has at most 200 code points); lmdb takes 1978.
 * `members-by-email` comes close: 762 + 1 + 20 (an email has at most 254 UTF-16 code units, each 3 bytes at most).
 */
export const databaseNames = [
  'meta',
  'organisations',
  'members',
  'projects',
  'slugs',
  'flags',
  'flags-by-name',
  'names',
  'audiences',
  'audiences-by-project',
  'tokens',
  'tokens-by-project',
  'tokens-by-secret-hash',
  'audit',
  'audit-by-subject',
  'change-log',
  'activity',
  'outbox',
  'members-by-email',
  'sessions',
  'sessions-by-secret',
  'sessions-by-member',
  'links',
  'links-by-secret',
  'links-by-organisation',
  'identities',
  'identities-by-member',
  'kept-answers',
  'kept-answers-by-age',
  'kept-answers-usage',
  'token-uses',
  'outbox-deliveries',
  'evaluation-counts',
  'environment-versions',
] as const;
export type DatabaseName = (typeof databaseNames)[number];
