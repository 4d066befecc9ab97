/** The detail of a change's 503 where the disk has less free than the reserve. */
export const storageFull =
  'The disk of the service is almost full, so changes are refused. Nothing was applied. Free some space and retry.';
/** The detail of a change's 503 while the data file is not where the service has opened it. */
export const storageMoved =
  'The data file of the service was moved, removed or replaced, so changes are refused. Nothing was applied. Put it back and retry.';
