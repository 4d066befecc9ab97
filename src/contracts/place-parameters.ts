import type { OperationParameter } from './operation.ts';

export const projectInPath: OperationParameter = {
  name: 'project_id',
  in: 'path',
  required: true,
  description: 'The project: its id or its slug. Without a token a slug works if it is public.',
  example: 'Qm4ZtR9bNdk3VvX0aPq7',
};

export const environmentInPath: OperationParameter = {
  name: 'environment',
  in: 'path',
  required: true,
  description: 'Environment name.',
  example: 'production',
};
