import { cleanEnv, EnvMissingError, type CleanedEnv, type ValidatorSpec } from 'envalid';
import { libraryForm, Rule } from './variable-rules';

/** All problems of the environment, in one message that contains names and rules but no values. */
export class ConfigurationError extends Error {}

type Variables = Readonly<Record<string, ValidatorSpec<unknown>>>;

/**
 * Validates an environment. Throws all problems at once. An empty value, which compose files pass, is unset.
 * @param problemsOf the conflicts between variables, as `NAME: rule`; of the valid values, those that broke their own rules are absent
 * @throws ConfigurationError
 */
export function readEnvironment<Table extends Variables>(
  environment: NodeJS.ProcessEnv,
  variables: Table,
  problemsOf: (given: NodeJS.ProcessEnv, valid: Partial<CleanedEnv<Table>>) => readonly string[],
): CleanedEnv<Table> {
  const given: NodeJS.ProcessEnv = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  return cleanEnv(given, variables, {
    reporter: ({ errors, env }) => {
      const broken = Object.entries(errors).flatMap(([name, error]) =>
        error instanceof Error ? [`${name}: ${describe(error, variables[name])}`] : [],
      );
      // Reason for the assertion: envalid passes the valid values, and types them unknown.
      broken.push(...problemsOf(given, env as Partial<CleanedEnv<Table>>));
      if (broken.length > 0)
        throw new ConfigurationError(`The environment is not valid:\n${broken.map((line) => `  ${line}`).join('\n')}`);
    },
  });
}

function describe(error: Error, variable: ValidatorSpec<unknown> | undefined): string {
  if (error instanceof EnvMissingError) return 'must be set';
  if (error instanceof Rule) return error.message;
  if (variable?.choices !== undefined) return `must be one of ${variable.choices.join(', ')}`;
  return libraryForm(error) ?? `is not understood (${variable?.desc ?? 'unknown'})`;
}
