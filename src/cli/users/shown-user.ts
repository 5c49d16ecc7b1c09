import type { ResultOf } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { formatAgo, formatTime, type TimeStyle } from '../format/time.ts';

type UserInfo = NonNullable<ResultOf<'UserManager', 'UserInfo'>['results'][number]['result']>;

/** Describes a user as `users` and `show-user` print it. `exact`: times in full, not their age. */
export function shownUser(info: UserInfo, style: TimeStyle, exact: boolean) {
  const shown = (time: string | undefined): string =>
    exact && time !== undefined ? formatTime(time, style) : formatAgo(time, style);
  return {
    'user-name': info.username,
    'display-name': info['display-name'],
    access: info.access,
    // Users of another domain have Go's zero time: no user created them.
    'date-created': info['date-created'].startsWith('0001-') ? '' : shown(info['date-created']),
    'last-connection': shown(info['last-connection']),
    ...defined({ disabled: info.disabled || undefined }),
  };
}
