import { unreachable } from '@app/kernel';
import { idInStream } from '@app/event-store';
import type { Projection } from '@app/read-store';
import type { UserEvent } from './user.events';
import { UserRow } from './user.row';
import { userKind } from './user.stream';

/** One row for each account. */
export const usersProjection: Projection<UserRow, UserEvent> = {
  name: 'users',
  version: 1,
  row: UserRow,
  kinds: [userKind],
  keyOf: ({ stream }) => idInStream(userKind, stream),
  project: (row, { stream, position, event }) => {
    switch (event.type) {
      case 'user.provisioned': {
        const userId = idInStream(userKind, stream);
        if (userId === null) return row;
        const { issuer, subject, at: provisionedAt } = event;
        return { userId, issuer, subject, disabled: false, provisionedAt, position };
      }
      case 'user.disabled':
        return row && { ...row, disabled: true, position };
      case 'user.enabled':
        return row && { ...row, disabled: false, position };
      default:
        return unreachable(event);
    }
  },
};
