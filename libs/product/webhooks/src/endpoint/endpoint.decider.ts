import { accept, codePointLength, epochMsOf, invalid, notFound, reject, unreachable } from '@app/kernel';
import type { Decider, Decision, Instant } from '@app/kernel';
import type { DisabledBecause, EndpointEvent, EndpointSettings } from './endpoint.events';
import { evolveEndpoint, isPresent, keysAt, type EndpointState, type PresentEndpoint } from './endpoint.state';

export type EndpointCommand = CreateEndpoint | ChangeEndpoint | RotateSecret | DisableEndpoint | DeleteEndpoint;

export interface CreateEndpoint {
  readonly type: 'CreateEndpoint';
  readonly at: Instant;
  readonly settings: EndpointSettings;
  readonly keyId: string;
  readonly reason: string;
}

export interface ChangeEndpoint {
  readonly type: 'ChangeEndpoint';
  readonly at: Instant;
  /** Settings that are left out stay unchanged. */
  readonly settings: Partial<EndpointSettings>;
  readonly enabled?: boolean;
  readonly reason: string;
}

interface RotateSecret {
  readonly type: 'RotateSecret';
  readonly at: Instant;
  readonly keyId: string;
  readonly reason: string;
}

export interface DisableEndpoint {
  readonly type: 'DisableEndpoint';
  readonly at: Instant;
  readonly because: DisabledBecause;
}

interface DeleteEndpoint {
  readonly type: 'DeleteEndpoint';
  readonly at: Instant;
  readonly reason: string;
}

export const urlLengthMax = 2_048;
export const descriptionLengthMax = 200;
/** Maximum number of signing keys that rotations leave, because each signs every delivery. */
const signingKeysMax = 5;

/** The rules of one endpoint (docs/decisions/telling-partners.md, "Endpoints"). */
export const endpointDecider: Decider<EndpointState, EndpointCommand, EndpointEvent> = {
  initialState: { status: 'absent' },

  decide: (command, state) => {
    if (command.type === 'CreateEndpoint') return create(command, state);
    if (command.type === 'DeleteEndpoint' && state.status === 'deleted') return accept();
    return isPresent(state) ? decidePresent(command, state) : reject(notFound);
  },

  evolve: evolveEndpoint,
};

function decidePresent(
  command: Exclude<EndpointCommand, CreateEndpoint>,
  state: PresentEndpoint,
): Decision<EndpointEvent> {
  switch (command.type) {
    case 'ChangeEndpoint':
      return change(command, state);
    case 'RotateSecret':
      return rotate(command, state);
    case 'DisableEndpoint': {
      const { at, because } = command;
      return state.status === 'disabled' ? accept() : accept({ type: 'endpoint.disabled', at, because, reason: null });
    }
    case 'DeleteEndpoint':
      return accept({ type: 'endpoint.deleted', at: command.at, reason: command.reason });
    default:
      return unreachable(command);
  }
}

/** Creating the same endpoint again, recognized by its key, does nothing; a deleted one cannot be created again. */
function create({ at, settings, keyId, reason }: CreateEndpoint, state: EndpointState): Decision<EndpointEvent> {
  if (state.status === 'deleted') return reject(notFound);
  if (isPresent(state))
    return state.keys.some((key) => key.keyId === keyId)
      ? accept()
      : reject(invalid('/endpointId', 'must name no endpoint that is there'));
  const issue = issueIn(settings);
  return issue === null ? accept({ type: 'endpoint.created', at, ...settings, keyId, reason }) : reject(issue);
}

function change(command: ChangeEndpoint, { status, settings: before }: PresentEndpoint): Decision<EndpointEvent> {
  const { at, enabled, reason } = command;
  const settings = { ...before, ...command.settings };
  const issue = issueIn(settings);
  if (issue !== null) return reject(issue);
  const events: EndpointEvent[] = [];
  if (!isSame(before, settings)) events.push({ type: 'endpoint.changed', at, ...settings, reason });
  if (enabled === true && status === 'disabled') events.push({ type: 'endpoint.enabled', at, reason });
  if (enabled === false && status === 'enabled')
    events.push({ type: 'endpoint.disabled', at, because: 'operator', reason });
  return accept(...events);
}

function rotate({ at, keyId, reason }: RotateSecret, { keys }: PresentEndpoint): Decision<EndpointEvent> {
  if (keys.some((key) => key.keyId === keyId)) return accept();
  const signing = keysAt(keys, at);
  const oldest = signing.at(-1)?.until;
  if (signing.length < signingKeysMax || oldest == null)
    return accept({ type: 'endpoint.secret_rotated', at, keyId, reason });
  const retryAfterSeconds = Math.ceil((epochMsOf(oldest) - epochMsOf(at)) / 1000);
  return reject({ kind: 'reason', reason: 'rate_limited', retryAfterSeconds });
}

function isSame(one: EndpointSettings, other: EndpointSettings): boolean {
  const isSameList = JSON.stringify(one.types) === JSON.stringify(other.types);
  return isSameList && one.url === other.url && one.payload === other.payload && one.description === other.description;
}

function issueIn({ url, types, description }: EndpointSettings) {
  if (url.length > urlLengthMax) return invalid('/url', `must be of ${urlLengthMax} characters at most`);
  if (types !== null && (types.length === 0 || new Set(types).size < types.length))
    return invalid('/types', 'must name one type or more, each once');
  const length = codePointLength(description);
  if (length < 1 || length > descriptionLengthMax)
    return invalid('/description', `must be a text of 1 to ${descriptionLengthMax} characters`);
  return null;
}
