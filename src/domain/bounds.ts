/*
 * The bounds of what Burgee stores. Decisions refuse what is beyond them, so that every record can be read, shown and
 * sent in one step. `docs/limits.md` lists them for clients.
 */

const [kibibyte, mebibyte] = [2 ** 10, 2 ** 20];

/** A name is one line on a screen. With 4 bytes per character it fits into an index key. */
export const nameCodePointsMax = 200;
/** Former names to which a flag still answers. */
export const aliasesMax = 10;
/** A paragraph. */
export const descriptionCodePointsMax = 2000;
/** Tags are for filters and short labels. */
export const tagsMax = 50;
export const tagCodePointsMax = 64;
/** An environment is a column on screens, and part of a URL. */
export const environmentNameCharsMax = 64;
/** The present slug of a project and its former ones, which it keeps for good. */
export const slugsMax = 10;
export const tokenNameCodePointsMax = 100;
/** The longest address that mail can be sent to (RFC 5321). */
export const emailCharsMax = 254;
/** People must remember a password. Hashing takes the same time for any length. */
export const passwordCharsMin = 12;
export const passwordCharsMax = 1024;

/** A cohort is an identifier, such as a user id. */
export const cohortCodePointsMax = 256;
/**
 * All lists of cohorts stored for one flag, in UTF-8. It narrows the 1 MiB body of the specification: the lists of
 * several environments count together. A worker compiles a flag of this size in about 20 ms, in one step.
 */
export const flagCohortBytesMax = mebibyte;
/**
 * A flag with all its environments as JSON, where each environment repeats the flag-wide list that it inherits. A
 * response is built in memory, and this is the largest part of one that cannot be divided.
 */
export const flagViewBytesMax = 8 * mebibyte;

/** The rules of an audience are joined by "and": few people write five. */
export const rulesMax = 50;
export const attributeCodePointsMax = 256;
export const ruleValuesMax = 100_000;
export const valueCodePointsMax = 1024;
/** An audience's attributes and values in UTF-8. Every worker keeps the audiences of the flags that it has compiled. */
export const audienceBytesMax = 256 * kibibyte;

/** A list answers with all flags of a project, and the console shows them on one page. */
export const flagsMax = 10_000;
/** Each environment is a column on screens, and a state of every flag. */
export const environmentsMax = 100;
/** A project's audiences are chosen from one menu. */
export const audiencesMax = 1000;
/** Stored records of a project's flags and audiences: a list, an export or a snapshot reads all of them. */
export const projectRecordBytesMax = 64 * mebibyte;
/** The specification's number. An expired token counts until it is revoked. */
export const activeTokensMax = 50;
/** The specification's longest lifetime of a token. */
export const tokenLifetimeMaxMs = 365 * 24 * 60 * 60 * 1000;
/** A page shows this many revoked tokens; older ones are deleted. */
export const revokedTokensKeptMax = 200;

/** Projects of one organisation: menus and search read all of them. */
export const projectsMax = 1000;
/** Personal projects of one member. */
export const personalProjectsMax = 100;
/** Members of one organisation, with open invitations: pages and the rule of the last Owner read all of them. */
export const membersMax = 1000;
/** Sessions of one member; a new one ends the one unused for longest. */
export const sessionsMax = 50;
/** Identities of one member, one for each issuer; a new one replaces the oldest. */
export const identitiesMax = 10;

/** An idempotency key is part of a database key. */
export const idempotencyKeyLengthMax = 255;
/** Kept answers of one project. Beyond it the oldest are forgotten. */
export const keptAnswersMax = { entries: 10_000, bytes: 64 * mebibyte };
/** The newest denials and uses of a token that are kept. */
export const activityRowsMax = 1000;
/** Entries of the outbox that are kept, sent or not; the oldest is dropped. */
export const outboxEntriesMax = 10_000;
