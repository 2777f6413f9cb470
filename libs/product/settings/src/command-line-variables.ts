import { httpUrl } from '@app/runtime';
import { str } from 'envalid';

/** The variables with which `parley` calls the operator API of a remote service; the service itself reads neither. */
export const commandLineVariables = {
  PARLEY_URL: httpUrl({
    default: undefined,
    desc: 'Where `parley` reaches the service, with PARLEY_OPERATOR_TOKEN; one without the other is refused',
  }),
  PARLEY_OPERATOR_TOKEN: str({
    default: undefined,
    desc: 'Secret, the access token of an operator that `parley` calls the service at PARLEY_URL with; neither: it works on the stores themselves',
  }),
};
